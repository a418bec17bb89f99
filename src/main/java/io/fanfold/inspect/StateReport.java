package io.fanfold.inspect;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.client.ConnectFailure;
import io.fanfold.discovery.SplitObserver;
import io.fanfold.inspect.Finding.Severity;
import io.fanfold.reason.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the findings about the server and what prevents splitting, at start and after changes. The server is inspected
 * after the catalog was read. While something blocks every split, it is inspected each time. Otherwise it is inspected
 * if tables have changed or statements keep failing. Thread-safe.
 */
public final class StateReport implements SplitObserver {
    private static final Logger LOG = LoggerFactory.getLogger(StateReport.class);

    /** The number of such failures in a row after which the server is inspected again. */
    static final int LOOK_AGAIN = 3;

    /** The number of failures in a row that are logged although the inspection finds nothing. */
    static final int TELL = 20;

    /**
     * Why statements were passed through after the proxy had decided to split them.
     *
     * @param detail of the first of them, so that the log repeats one line while the reason stays the same
     */
    private record Failure(Reason reason, String detail) {}

    /** Inspects the server. */
    interface ServerLook {
        /** @return empty if no worker connections were free for it */
        Optional<Inspection> at(CatalogSnapshot catalog) throws IOException, InterruptedException;

        Inspection unreachable(ConnectFailure failure);
    }

    private final ServerLook inspector;

    @GuardedBy("this")
    private final SplitState state;

    @GuardedBy("this")
    private Inspection last = Inspection.of(List.of());

    /** Whether the server must be inspected. */
    @GuardedBy("this")
    private boolean due = true;

    /** Whether the settings have changed since the last inspection began. */
    private final AtomicBoolean otherSettings = new AtomicBoolean();

    /** The number of failures at the last inspection. */
    @GuardedBy("this")
    private int lookedAtFailures;

    /** Failures since the last fan-out. */
    private final AtomicInteger failures = new AtomicInteger();

    private volatile @Nullable Failure failure;

    /** Logs to the logger of this class. */
    public StateReport(Inspector inspector) {
        this(look(inspector), new SplitState(System::nanoTime, voice()));
    }

    StateReport(ServerLook inspector, SplitState state) {
        this.inspector = inspector;
        this.state = state;
    }

    private static ServerLook look(Inspector inspector) {
        return new ServerLook() {
            @Override
            public Optional<Inspection> at(CatalogSnapshot catalog) throws IOException, InterruptedException {
                return inspector.look(catalog);
            }

            @Override
            public Inspection unreachable(ConnectFailure failure) {
                return inspector.unreachable(failure);
            }
        };
    }

    private static SplitState.Voice voice() {
        return new SplitState.Voice() {
            @Override
            public void info(String line) {
                LOG.info("{}", line);
            }

            @Override
            public void warn(String line) {
                LOG.warn("{}", line);
            }
        };
    }

    /** Logs the findings about the settings alone, if there is no worker account or fan-out is switched off. */
    public static void reportSettings(Inspection settings) {
        new SplitState(System::nanoTime, voice()).look(settings);
    }

    /** Inspects the server again after its next reading: with other settings there may be other findings. */
    public void settingsChanged() {
        otherSettings.set(true);
    }

    /** What was found last; nothing before the server could be inspected or has failed. */
    public synchronized Inspection last() {
        return last;
    }

    @Override
    public synchronized void unreachable(ConnectFailure why) {
        due = true;
        last = inspector.unreachable(why);
        state.look(last);
    }

    @Override
    public synchronized void catalogRead(CatalogSnapshot catalog, boolean changed) {
        if (otherSettings.getAndSet(false) || changed || due || !last.splits() || newFailures() >= LOOK_AGAIN) {
            lookedAtFailures = failures.get();
            look(catalog);
        }
    }

    /** The number of failures since the last inspection, or since the last fan-out if that was later. */
    @GuardedBy("this")
    private int newFailures() {
        int count = failures.get();
        return count < lookedAtFailures ? count : count - lookedAtFailures;
    }

    @GuardedBy("this")
    private void look(CatalogSnapshot catalog) {
        try {
            Optional<Inspection> found = inspector.at(catalog);
            // without free connections it is tried again next time
            due = found.isEmpty();
            if (found.isPresent()) {
                last = withFailure(found.get());
                state.look(last);
            }
        } catch (IOException | RuntimeException e) {
            due = true;
            LOG.debug("inspecting the server failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Adds a finding about the statements that keep failing, if the inspection found nothing. */
    private Inspection withFailure(Inspection inspection) {
        Failure newest = failure;
        int count = failures.get();
        if (newest == null || count < TELL || !inspection.splits()) {
            return inspection;
        }
        List<Finding> findings = new ArrayList<>(inspection.findings());
        findings.add(new Finding(
                Severity.BLOCKS,
                "the last statements that could be split were passed through: "
                        + newest.reason().sentence() + " (" + newest.detail() + ")",
                remedy(newest)));
        return new Inspection(findings, inspection.tables(), inspection.reached());
    }

    private static List<String> remedy(Failure failure) {
        return switch (failure.reason()) {
            case OTHER_SERVER -> List.of("set backend.host to the name of one server");
            case SNAPSHOT ->
                List.of("GRANT LOCK TABLES ON ... TO ...; for the worker account, and set fan-out.table-locks: allow");
            case WORKER_ERROR, TABLE_UNREADABLE ->
                List.of("GRANT SELECT ON ... TO ...; for the worker account, on all that clients read");
            default -> List.of();
        };
    }

    @Override
    public void passedThrough(Reason reason, String detail) {
        switch (reason) {
            case SNAPSHOT, OTHER_SERVER, WORKER_ERROR, TABLE_UNREADABLE -> {
                Failure before = failure;
                if (before == null || before.reason() != reason) {
                    failure = new Failure(reason, detail);
                }
                failures.incrementAndGet();
            }
            default -> {
                // says nothing about the server
            }
        }
    }

    @Override
    public void fannedOut() {
        failures.set(0);
        failure = null;
    }
}

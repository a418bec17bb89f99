package io.fanfold.inspect;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.backend.ConnectFailure;
import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.execute.SplitObserver;
import io.fanfold.inspect.Finding.Severity;
import io.fanfold.metrics.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what the proxy found on the server and what keeps it from splitting: at start, and when that changes. It looks at the server
 * after the catalog was read: each time while something keeps every statement from being split, otherwise if tables have changed or
 * statements keep failing. Safe for all threads.
 */
public final class StateReport implements SplitObserver {
    private static final Logger LOG = LoggerFactory.getLogger(StateReport.class);

    /** The number of statements in a row that fail for such a reason before the proxy looks at the server again. */
    static final int LOOK_AGAIN = 3;

    /** The number of statements in a row that fail before the log says so, although the look finds nothing. */
    static final int TELL = 20;

    /**
     * Why statements were passed through after the proxy had decided to split them.
     *
     * @param detail of the first of them: the log then repeats one line as long as the reason stays the same
     */
    private record Failure(Reason reason, String detail) {}

    /** Looks at the server. */
    interface Look {
        /** @return empty when it was too busy for that */
        Optional<Inspection> at(CatalogSnapshot catalog) throws IOException, InterruptedException;

        Inspection unreachable(ConnectFailure failure);
    }

    private final Look inspector;

    @GuardedBy("this")
    private final SplitState state;

    @GuardedBy("this")
    private Inspection last = Inspection.of(List.of());

    /** Whether the server has to be looked at. */
    @GuardedBy("this")
    private boolean due = true;

    /** The number of failures when the server was last looked at. */
    @GuardedBy("this")
    private int lookedAtFailures;

    /** Failures since the last fan-out. */
    private final AtomicInteger failures = new AtomicInteger();

    private volatile @Nullable Failure failure;

    /** Tells in the log of this class. */
    public StateReport(Inspector inspector) {
        this(look(inspector), new SplitState(System::nanoTime, voice()));
    }

    StateReport(Look inspector, SplitState state) {
        this.inspector = inspector;
        this.state = state;
    }

    private static Look look(Inspector inspector) {
        return new Look() {
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

    /** Logs the findings about the settings alone: there is no worker account, or fan-out is switched off. */
    public static void tellSettings(Inspection settings) {
        new SplitState(System::nanoTime, voice()).look(settings);
    }

    @Override
    public synchronized void unreachable(ConnectFailure why) {
        due = true;
        last = inspector.unreachable(why);
        state.look(last);
    }

    @Override
    public synchronized void catalogRead(CatalogSnapshot catalog, boolean changed) {
        if (changed || due || !last.splits() || newFailures() >= LOOK_AGAIN) {
            lookedAtFailures = failures.get();
            look(catalog);
        }
    }

    /** Failures since the last look, or since the last fan-out if that was later. */
    @GuardedBy("this")
    private int newFailures() {
        int count = failures.get();
        return count < lookedAtFailures ? count : count - lookedAtFailures;
    }

    @GuardedBy("this")
    private void look(CatalogSnapshot catalog) {
        try {
            Optional<Inspection> found = inspector.at(catalog);
            // a busy pool is looked at next time
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

    /** Adds why statements keep failing if the look found nothing. */
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
        return new Inspection(findings, inspection.tables());
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

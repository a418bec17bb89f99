package io.fanfold.execute;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.binlog.ChangeStream;
import io.fanfold.binlog.LogPosition;
import io.fanfold.binlog.LoggedChanges;
import io.fanfold.binlog.StreamState;
import io.fanfold.client.WireSettings;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ReuseConfig.Reuse;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.reuse.PartialResults;
import io.fanfold.variables.ResultsCharset;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rows of partition queries that may be used again, and the stream of changes that says which may. The stream runs
 * while any table has reuse switched on. Safe for all threads.
 */
final class PartialReuse implements AutoCloseable {
    /** Statements that depend on it have rows of their own, see {@link PreflightStep}. */
    private static final String TIME = "timestamp";

    /** The rest of a statement takes longer than to read such rows again. */
    private static final long LEAST_NANOS = 2_000_000;

    private final Supplier<WireSettings> login;
    private final FanfoldMetrics metrics;
    private final PartialResults results;

    @GuardedBy("this")
    private @Nullable ChangeStream changes;

    /** The log's connection during which rows are kept, see {@link LoggedChanges#number}. */
    @GuardedBy("this")
    private long connection;

    @GuardedBy("this")
    private boolean closed;

    /** @param login how the stream connects to the server */
    PartialReuse(FanfoldConfig config, Supplier<WireSettings> login, FanfoldMetrics metrics) {
        this.login = login;
        this.metrics = metrics;
        this.results = new PartialResults(MemoryBudget.ofProcess(0));
        change(config);
    }

    /** Takes changed settings over. */
    synchronized void change(FanfoldConfig config) {
        if (closed) {
            return;
        }
        boolean on = config.reuses();
        results.limit(on ? config.limits().reuseMemoryBytes() : 0);
        if (on && changes == null) {
            changes = ChangeStream.start(login);
        } else if (!on && changes != null) {
            changes.close();
            changes = null;
        }
    }

    private synchronized @Nullable ChangeStream changes() {
        return changes;
    }

    /** What the stream does; empty if reuse is off. */
    Optional<StreamState> stream() {
        ChangeStream now = changes();
        return now == null ? Optional.empty() : Optional.of(now.state());
    }

    PartialResults results() {
        return results;
    }

    /**
     * Begins to reuse for a statement.
     *
     * @param position the position of its snapshots, see {@link io.fanfold.snapshot.SnapshotOutcome#position}
     * @param charset the character set of its partition queries' results
     * @return empty if its rows cannot be used again, or reuse is off for it
     */
    Optional<StatementReuse> of(FanOutTask task, String position, ResultsCharset charset, ServerFlavor flavor) {
        ChangeStream stream = changes();
        if (task.reuse().mode() == Reuse.OFF || position.isEmpty() || stream == null) {
            return Optional.empty();
        }
        String server = task.settings().server();
        stream.leaveOthersThan(server);
        Optional<LoggedChanges> logged =
                stream.changes().filter(now -> now.server().equals(server));
        if (logged.isEmpty()) {
            return Optional.empty();
        }
        long number = logged.get().number();
        dropBefore(number);
        Map<String, String> settings = new LinkedHashMap<>(task.settings().assignments(charset));
        settings.remove(TIME);
        String all = number + "\n" + task.settings().database() + '\n' + settings;
        return Optional.of(new StatementReuse(
                results,
                logged.get(),
                position(position, flavor),
                task.reuse().patience(),
                task.byWork() ? LEAST_NANOS : 0,
                all.getBytes(StandardCharsets.UTF_8),
                metrics));
    }

    /** Drops rows that were kept during earlier connections to the log, since nothing is proven for them. */
    private synchronized void dropBefore(long number) {
        if (number > connection) {
            connection = number;
            results.clear();
        }
    }

    private static LogPosition position(String text, ServerFlavor flavor) {
        if (!flavor.isMariaDb()) {
            return LogPosition.executed(text);
        }
        int colon = text.lastIndexOf(':');
        return new LogPosition.InFile(text.substring(0, colon), Long.parseLong(text.substring(colon + 1)));
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (changes != null) {
            changes.close();
            changes = null;
        }
        results.limit(0);
    }
}

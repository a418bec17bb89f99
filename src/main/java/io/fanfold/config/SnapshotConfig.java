package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * Requirements on the workers' snapshots, and the means allowed to meet them.
 *
 * @param consistency the required consistency
 * @param rounds the most attempts at snapshots that are proven equal, 1..1000
 * @param time the longest time for these attempts; short statements have less
 * @param tableLocks when the tables of a statement may be locked briefly
 * @param lockWait the longest wait for a lock
 */
@RecordBuilder
public record SnapshotConfig(
        Consistency consistency, int rounds, Duration time, TableLocks tableLocks, Duration lockWait)
        implements SnapshotConfigBuilder.With {

    /** The required consistency of the workers' snapshots. */
    public enum Consistency {
        /** The snapshots are proven equal, or the statement is passed through. */
        STRICT,
        /** The snapshots are opened at nearly the same time; a fan-out may see only part of concurrent commits. */
        RELAXED
    }

    /** When snapshots may be opened under {@code LOCK TABLES ... READ} on the statement's tables. */
    public enum TableLocks {
        /** If the server offers no other proof, and the worker account has the privilege LOCK TABLES. */
        AUTO,
        /** Never. */
        REFUSE,
        /** Also if another proof failed. */
        ALLOW
    }

    public static SnapshotConfig defaults() {
        return new SnapshotConfig(
                Consistency.STRICT, 1000, Duration.ofSeconds(1), TableLocks.AUTO, Duration.ofMillis(5));
    }

    /** Returns these settings with at most that time for the attempts. */
    public SnapshotConfig within(Duration patience) {
        return patience.compareTo(time) < 0 ? withTime(patience) : this;
    }
}

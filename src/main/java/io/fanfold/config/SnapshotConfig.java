package io.fanfold.config;

import java.time.Duration;

/**
 * What is demanded of the snapshots in which workers read, and what may be done for it.
 *
 * @param consistency what is demanded
 * @param rounds the most attempts at snapshots that are proven to be the same, 1..1000
 * @param time the longest time spent on these attempts; a statement that is short by itself has less
 * @param tableLocks whether the tables of a statement may be locked for a moment where no attempt succeeded
 * @param lockTime the longest time that a lock is waited for
 */
public record SnapshotConfig(
        Consistency consistency, int rounds, Duration time, TableLocks tableLocks, Duration lockTime) {

    /** What is demanded of the workers' snapshots. */
    public enum Consistency {
        /** Proven to be the same, or the statement is passed through. */
        STRICT,
        /** Taken at nearly the same time; a fan-out may see commits of that moment in part. */
        RELAXED
    }

    /** What becomes of a statement of which the snapshots cannot be proven to be the same. */
    public enum TableLocks {
        /** It is passed through. */
        REFUSE,
        /** They are opened while {@code LOCK TABLES ... READ} holds on its tables. */
        ALLOW
    }

    public static SnapshotConfig defaults() {
        return new SnapshotConfig(
                Consistency.STRICT, 1000, Duration.ofSeconds(1), TableLocks.REFUSE, Duration.ofMillis(20));
    }

    /** The same with no more time than that for the attempts. */
    public SnapshotConfig within(Duration patience) {
        return patience.compareTo(time) < 0
                ? new SnapshotConfig(consistency, rounds, patience, tableLocks, lockTime)
                : this;
    }

    public SnapshotConfig with(TableLocks allowed) {
        return new SnapshotConfig(consistency, rounds, time, allowed, lockTime);
    }
}

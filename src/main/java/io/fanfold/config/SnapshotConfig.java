package io.fanfold.config;

import java.time.Duration;

/**
 * What is demanded of the snapshots in which workers read, and what may be done for it.
 *
 * @param consistency what is demanded
 * @param rounds the most attempts at snapshots that are proven to be the same, 1..1000
 * @param time the longest time spent on these attempts; a statement that is short by itself has less
 * @param tableLocks when the tables of a statement may be locked for a moment
 * @param lockWait the longest time that a lock is waited for
 */
public record SnapshotConfig(
        Consistency consistency, int rounds, Duration time, TableLocks tableLocks, Duration lockWait) {

    /** What is demanded of the workers' snapshots. */
    public enum Consistency {
        /** Proven to be the same, or the statement is passed through. */
        STRICT,
        /** Taken at nearly the same time; a fan-out may see commits of that moment in part. */
        RELAXED
    }

    /** When snapshots may be opened while {@code LOCK TABLES ... READ} holds on the statement's tables. */
    public enum TableLocks {
        /** If the server offers no other proof, and the worker account has the right LOCK TABLES. */
        AUTO,
        /** Never. */
        REFUSE,
        /** Also if another proof did not succeed. */
        ALLOW
    }

    public static SnapshotConfig defaults() {
        return new SnapshotConfig(
                Consistency.STRICT, 1000, Duration.ofSeconds(1), TableLocks.AUTO, Duration.ofMillis(5));
    }

    /** The same with no more time than that for the attempts. */
    public SnapshotConfig within(Duration patience) {
        return patience.compareTo(time) < 0
                ? new SnapshotConfig(consistency, rounds, patience, tableLocks, lockWait)
                : this;
    }

    public SnapshotConfig with(Consistency demanded) {
        return new SnapshotConfig(demanded, rounds, time, tableLocks, lockWait);
    }

    public SnapshotConfig with(TableLocks allowed) {
        return new SnapshotConfig(consistency, rounds, time, allowed, lockWait);
    }
}

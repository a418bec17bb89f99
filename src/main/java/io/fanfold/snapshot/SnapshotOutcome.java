package io.fanfold.snapshot;

import java.util.Locale;

/**
 * The result of opening equal snapshots.
 *
 * @param kind how they were proven, or why they may not be used
 * @param rounds how often they were opened, 0 or more
 * @param nanos the time it took
 * @param detail why they are not proven; "" if they are, or if no proof was wanted
 * @param position what the snapshots show: all commits up to this position of the binary log, and no others.
 *     gtid_executed on MySQL, {@code file:offset} on MariaDB. "" if the proof does not tell.
 */
public record SnapshotOutcome(SnapshotState kind, int rounds, long nanos, String detail, String position) {
    /** The proof of the workers' snapshots. */
    public enum SnapshotState {
        /** All are equal: no commit lies between them. */
        VERIFIED,
        /** All are equal: they were opened while the tables were locked. */
        LOCKED,
        /** They were opened at nearly the same time; no proof was required. */
        RELAXED,
        /** The server offers no proof to this account. No snapshot was opened, or the snapshots must not be used. */
        NOT_PROVABLE,
        /** In every round, transactions committed between the snapshots. The snapshots must not be used. */
        NOT_EQUAL;

        /** Returns the kind in logs and metrics: {@code verified}, {@code locked}, {@code relaxed} ... */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether the snapshots may be used. */
    public boolean usable() {
        return kind == SnapshotState.VERIFIED || kind == SnapshotState.LOCKED || kind == SnapshotState.RELAXED;
    }
}

package io.fanfold.backend;

import java.util.Locale;

/**
 * How the attempt to open equal snapshots ended.
 *
 * @param kind what is known of them
 * @param rounds how often they were opened, 0 or more
 * @param nanos how long it took
 * @param detail why they are not proven; "" where they are, or no proof was wanted
 */
public record SnapshotOutcome(Kind kind, int rounds, long nanos, String detail) {
    /** What is known of the workers' snapshots. */
    public enum Kind {
        /** All are the same: no commit lies between them. */
        VERIFIED,
        /** All are the same: they were opened while the tables were locked. */
        LOCKED,
        /** Opened at nearly the same time; nothing was proven, and nothing was to be. */
        RELAXED,
        /** This server offers no proof to this account; no snapshot was opened, or they are not to be used. */
        NOT_PROVABLE,
        /** Commits came in between in every round; the snapshots are not to be used. */
        NOT_EQUAL;

        /** The kind in logs and metrics: {@code verified}, {@code locked}, {@code relaxed} ... */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether the snapshots may be used. */
    public boolean usable() {
        return kind == Kind.VERIFIED || kind == Kind.LOCKED || kind == Kind.RELAXED;
    }
}

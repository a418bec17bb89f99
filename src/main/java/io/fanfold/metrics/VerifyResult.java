package io.fanfold.metrics;

import java.util.Locale;

/** What the verification of an answer has shown. */
public enum VerifyResult {
    /** The server gives the same answer, as far as SQL does not leave it open. */
    SAME,
    /** The answers differ, and SQL leaves the difference open, or it could not be decided. */
    OPEN,
    /** The answers differ. */
    DIFFERENT,
    /** The time was over, or the server refused the statement or was lost. */
    UNFINISHED,
    /**
     * The statement reads a Spider table, no connection was free for it, or the transaction needs all its workers, or their
     * snapshots were not proven equal.
     */
    SKIPPED;

    /** The name in meters and logs. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}

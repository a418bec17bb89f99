package io.fanfold.execute;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The best times of a statement with and without a split, in nanoseconds. Immutable.
 *
 * @param directNanos without a split, 0 when unknown
 * @param directTries how often that was timed
 * @param splitNanos with a split, 0 when unknown
 * @param splitAgain whether a second split was begun after the first was slower
 * @param filteredNanos with a split and dynamic filters, 0 when unknown
 * @param left the fraction of the rows that these filters left, by the server's estimate
 * @param unfilteredNanos with a split but without the available dynamic filters, 0 when unknown
 * @param reusedNanos the last time with a split that had known rows, 0 when unknown
 * @param keptInVain how many splits in a row had no known rows, although they kept rows for the next one
 */
@RecordBuilder
record StatementTimes(
        long directNanos,
        int directTries,
        long splitNanos,
        boolean splitAgain,
        long filteredNanos,
        double left,
        long unfilteredNanos,
        long reusedNanos,
        int keptInVain)
        implements StatementTimesBuilder.With {
    static final StatementTimes UNKNOWN = new StatementTimes(0, 0, 0, false, 0, 0, 0, 0, 0);

    /**
     * How often the unsplit statement is timed if both ways take about as long: a single time may be off by the
     * difference.
     */
    private static final int CLOSE_TRIES = 3;

    /**
     * Two times are close if they differ by less than a quarter of the longer one. Each further try costs a slower
     * execution.
     */
    private static final int CLOSE_GAIN = 4;

    /**
     * A first split that was slower is tried again, unless it took this many times as long as the unsplit statement. It had
     * to read rows from disk, and to open connections. In a process that has just started, Fanfold's own code is slow too.
     */
    private static final int MUCH_SLOWER = 2;

    /** Returns the better of two times: the first execution warms caches for the second. */
    private static long best(long known, long now) {
        return known == 0 ? now : Math.min(known, now);
    }

    StatementTimes direct(long nanos) {
        return withDirectNanos(best(directNanos, nanos)).withDirectTries(directTries + 1);
    }

    StatementTimes split(long nanos) {
        return withSplitNanos(best(splitNanos, nanos));
    }

    /** Whether {@link #split} changes anything. */
    boolean learnsFrom(long nanos) {
        return splitNanos == 0 || nanos < splitNanos;
    }

    StatementTimes filtered(long nanos, double part) {
        return withFilteredNanos(best(filteredNanos, nanos)).withLeft(part);
    }

    StatementTimes unfiltered(long nanos) {
        return withUnfilteredNanos(best(unfilteredNanos, nanos));
    }

    StatementTimes reused(long nanos, int inVain) {
        return withReusedNanos(nanos).withKeptInVain(inVain);
    }

    /** Whether the next split probably has known rows. A table that changes all the time gets one try. */
    boolean expectsReuse() {
        return reusedNanos > 0 || keptInVain == 1;
    }

    /** Whether the split is faster by so little that another direct execution may turn out faster. */
    boolean triesDirectAgain() {
        return directNanos > splitNanos
                && directNanos - directNanos / CLOSE_GAIN < splitNanos
                && directTries < CLOSE_TRIES;
    }

    /** Whether the first split was slower by so little that a second one may turn out faster. */
    boolean splitsOnceMore() {
        return !splitAgain && splitNanos >= directNanos && splitNanos < MUCH_SLOWER * directNanos;
    }
}

package io.fanfold.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a statement must reach. Times are compared within one run; 0 means no target.
 *
 * @param ofByHand the maximum of the time through Fanfold divided by the time of the split by hand; a short statement
 *     may instead take {@link #FIXED_COST_NANOS} longer
 * @param timesDirect the minimum of the direct time divided by the time through Fanfold, at scale 1 and above; at
 *     smaller scales temporary tables fit into memory, so the gain is smaller
 * @param ofDirectIfSplit the same minimum at any scale, if the statement is split
 */
public record Target(double ofByHand, double timesDirect, double ofDirectIfSplit) {
    /** The maximum cost of a fan-out over eight partitions with next to nothing to read. */
    static final long FIXED_COST_NANOS = 5_000_000;

    /**
     * The maximum of the sum of executions in a row through Fanfold divided by their direct sum, for every statement.
     */
    static final double OF_DIRECT_IN_SUM = 1.02;

    /**
     * The minimum of statements per second through Fanfold divided by those through HAProxy, for statements passed
     * through.
     */
    static final double OF_RELAY = 0.95;

    /**
     * The maximum of the time within which Fanfold answers 99 of 100 selects of one row for 16 clients with pauses, minus
     * the direct one, in milliseconds. Without pauses, statements wait for a core, not for the proxy.
     */
    static final double P99_MILLIS_OVER_DIRECT = 0.15;

    /**
     * The maximum of the time with dynamic filters divided by the time without them, for every star join. A short
     * statement may instead take {@link #FIXED_COST_NANOS} longer. Medians of the same statement differ by this much.
     */
    static final double OF_NO_FILTERS = 1.05;

    /** The maximum of the sum of first executions with reuse divided by the sum without reuse. */
    static final double FIRST_OF_NO_REUSE = 1.05;

    /** The minimum of the sum of direct times divided by that of repeated executions with reuse, at scale 1 and above. */
    static final double REUSE_TIMES_DIRECT = 50;

    /**
     * The minimum of the sum of first executions with reuse divided by that of executions after a change in one of eight
     * partitions, at scale 1 and above, if the server's log names partitions.
     */
    static final double CHANGED_TIMES_FIRST = 4;

    /**
     * The minimum of the direct time of the Star Schema Benchmark divided by its time through Fanfold, at scale 1 and
     * above.
     */
    static final double BENCHMARK_TIMES_DIRECT = 3;

    /** The maximum of what each further partition adds to a fan-out, in milliseconds. */
    static final double MILLIS_OF_A_PARTITION = 0.2;

    /**
     * The minimum of statements per second through Fanfold divided by direct ones, whatever the number of clients; the
     * rest is the noise of two such measurements.
     */
    static final double OF_DIRECT_THROUGHPUT = 0.95;

    /** The target of statements without another target. */
    static final Target USUAL = new Target(1.10, 0, 0);

    /** The target if a loose index scan reads the index. */
    static final Target LOOSE_SCAN = new Target(1.50, 50, 0);

    /** The target if there are more groups than a temporary table in memory holds. */
    static final Target MANY_GROUPS = new Target(1.50, 6, 0);

    /** The target of a star join whose dimensions leave few keys; the split by hand reads these first too. */
    static final Target STAR_JOIN = new Target(1.20, 3, 0);

    /** The target if there are as many groups, and the answer has all of them. */
    static final Target ALL_GROUPS = new Target(1.20, 6, 0);

    /** The target if rows are sent as they arrive. */
    static final Target STREAMED = new Target(1.20, 0, 1.00);

    /**
     * Returns the targets that were missed.
     *
     * @param statement its name
     * @param scaleOne whether there are at least as many rows as at scale 1
     */
    List<Miss> misses(String statement, Times times, boolean scaleOne) {
        List<Miss> misses = new ArrayList<>();
        double fanfold = times.fanfoldNanos();
        double ofByHand = fanfold / times.byHandNanos();
        if (this.ofByHand > 0
                && ofByHand > this.ofByHand
                && fanfold > times.byHandNanos() + (double) FIXED_COST_NANOS) {
            misses.add(new Miss(statement, "Fanfold/by hand", ofByHand, "at most", this.ofByHand));
        }
        double ofNoFilters = fanfold / times.noFiltersNanos();
        if (times.noFiltersNanos() > 0
                && ofNoFilters > OF_NO_FILTERS
                && fanfold > times.noFiltersNanos() + (double) FIXED_COST_NANOS) {
            misses.add(new Miss(statement, "Fanfold/no filters", ofNoFilters, "at most", OF_NO_FILTERS));
        }
        double ofDirect = times.directNanos() / fanfold;
        if (scaleOne && ofDirect < timesDirect) {
            misses.add(new Miss(statement, "direct/Fanfold", ofDirect, "at least", timesDirect));
        }
        if (times.split() && ofDirect < ofDirectIfSplit) {
            misses.add(new Miss(statement, "direct/Fanfold", ofDirect, "at least", ofDirectIfSplit));
        }
        return misses;
    }

    /** The target as text for a table. */
    String shown(boolean scaleOne) {
        List<String> parts = new ArrayList<>();
        if (ofByHand > 0) {
            parts.add(String.format(Locale.ROOT, "by hand %.2f", ofByHand));
        }
        if (timesDirect > 0 && scaleOne) {
            parts.add(String.format(Locale.ROOT, "direct %.0f", timesDirect));
        }
        if (ofDirectIfSplit > 0) {
            parts.add(String.format(Locale.ROOT, "direct %.2f if split", ofDirectIfSplit));
        }
        return String.join(", ", parts);
    }

    /**
     * The times of a statement.
     *
     * @param directNanos the median direct time
     * @param byHandNanos the median time of the split by hand, with the fastest number of connections
     * @param noFiltersNanos the median time through Fanfold without dynamic filters; 0 if not measured
     * @param fanfoldNanos the median time through Fanfold
     * @param split whether Fanfold split it
     */
    record Times(long directNanos, long byHandNanos, long noFiltersNanos, long fanfoldNanos, boolean split) {}

    /**
     * A target that was missed.
     *
     * @param statement its name, or the name of another measurement
     * @param figure the meaning of the value
     * @param bound {@code at most} or {@code at least}
     */
    record Miss(String statement, String figure, double value, String bound, double target) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%s: %s %.3f (target: %s %.2f)", statement, figure, value, bound, target);
        }
    }
}

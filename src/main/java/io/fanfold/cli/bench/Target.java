package io.fanfold.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a statement has to reach. Times are compared within one run; 0 stands for no target.
 *
 * @param ofByHand the time through Fanfold divided by that of the split by hand, at most; a short statement may take {@link #FIXED_COST_NANOS}
 *     longer than by hand instead
 * @param timesDirect how many times faster than direct Fanfold is at least, at scale 1 and above: below it, temporary tables fit into
 *     memory and there is less to gain
 * @param ofDirectIfSplit how many times faster than direct Fanfold is at least, at any scale, if the statement is split
 */
public record Target(double ofByHand, double timesDirect, double ofDirectIfSplit) {
    /** The most that a fan-out over eight partitions may cost, next to nothing to read. */
    static final long FIXED_COST_NANOS = 5_000_000;

    /** The sum of executions in a row through Fanfold divided by the sum direct, at most, of every statement. */
    static final double OF_DIRECT_IN_SUM = 1.02;

    /** Statements a second through Fanfold divided by those through HAProxy, at least, for statements that are passed through. */
    static final double OF_RELAY = 0.90;

    /**
     * The time with dynamic filters divided by the time without them, at most, of every star join; a short statement may take
     * {@link #FIXED_COST_NANOS} longer instead. Medians of the same statement differ by as much.
     */
    static final double OF_NO_FILTERS = 1.05;

    /** How many times faster than direct the statements of the Star Schema Benchmark are together, at least, at scale 1 and above. */
    static final double BENCHMARK_TIMES_DIRECT = 3;

    /** What any statement has to reach that has no other target. */
    static final Target USUAL = new Target(1.10, 0, 0);

    /** Of an index that is read by a loose scan. */
    static final Target LOOSE_SCAN = new Target(1.50, 50, 0);

    /** Of more groups than a temporary table in memory holds. */
    static final Target MANY_GROUPS = new Target(1.50, 6, 0);

    /** Of a star join whose dimensions leave few keys; by hand, these are read first too. */
    static final Target STAR_JOIN = new Target(1.20, 3, 0);

    /** Of rows that are answered as they come. */
    static final Target STREAMED = new Target(0, 0, 1.00);

    /**
     * The targets that were missed.
     *
     * @param statement its name
     * @param scaleOne whether there are as many rows as at scale 1, or more
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

    /** The target in a column of a table. */
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
     * What was measured of a statement.
     *
     * @param directNanos the median time direct
     * @param byHandNanos the median time of the split by hand, of the number of connections that was the fastest
     * @param noFiltersNanos the median time through Fanfold without dynamic filters; 0 if that was not measured
     * @param fanfoldNanos the median time through Fanfold
     * @param split whether Fanfold split it
     */
    record Times(long directNanos, long byHandNanos, long noFiltersNanos, long fanfoldNanos, boolean split) {}

    /**
     * A target that was missed.
     *
     * @param statement its name, or what else was measured
     * @param figure what the value is
     * @param bound {@code at most} or {@code at least}
     */
    record Miss(String statement, String figure, double value, String bound, double target) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%s: %s %.3f (target: %s %.2f)", statement, figure, value, bound, target);
        }
    }
}

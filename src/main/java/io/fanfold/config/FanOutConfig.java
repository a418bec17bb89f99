package io.fanfold.config;

import java.time.Duration;

/**
 * Which statements are split, and how far.
 *
 * @param enabled whether anything is split
 * @param degree the most worker connections one query uses at once, 1..1000
 * @param minRows estimated rows below which a statement is passed through, 0 or more; 0 compares no costs
 * @param consistency what is demanded of the workers' snapshots
 * @param snapshotRounds the most attempts at equal snapshots, 1..1000
 * @param snapshotTime the longest time spent on them
 * @param splitPlainCount whether an unfiltered COUNT(*) is split on MySQL without a hint, where InnoDB reads in
 *     parallel by itself
 * @param approximate what becomes of aggregates whose digits depend on the order of rows, such as sums of DOUBLE
 * @param catalogRefresh how often the list of partitioned tables is read again
 */
public record FanOutConfig(
        boolean enabled,
        int degree,
        long minRows,
        Consistency consistency,
        int snapshotRounds,
        Duration snapshotTime,
        boolean splitPlainCount,
        Approximate approximate,
        Duration catalogRefresh) {

    /** What is demanded of the workers' snapshots. */
    public enum Consistency {
        /** Proven to be the same, or the statement is passed through. */
        STRICT,
        /** Taken at nearly the same time; a fan-out may see commits of that moment in part. */
        RELAXED
    }

    /** What becomes of aggregates whose last digits depend on the order in which rows are added. */
    public enum Approximate {
        /** They are passed through, unless the statement's hint allows them. */
        REFUSE,
        /** They are split. */
        ALLOW
    }

    public static FanOutConfig defaults() {
        return new FanOutConfig(
                true,
                8,
                50_000,
                Consistency.STRICT,
                10,
                Duration.ofMillis(50),
                false,
                Approximate.REFUSE,
                Duration.ofSeconds(5));
    }
}

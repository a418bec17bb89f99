package io.fanfold.config;

import java.time.Duration;

/**
 * Which statements are split, and how far.
 *
 * @param enabled whether anything is split
 * @param degree the most worker connections one query uses at once, 1..1000
 * @param minRows estimated rows below which a statement is passed through, 0 or more; 0 compares no costs
 * @param snapshots what is demanded of the snapshots in which workers read
 * @param splitPlainCount whether an unfiltered COUNT(*) is split on MySQL without a hint, where InnoDB reads in
 *     parallel by itself
 * @param approximate what becomes of aggregates whose digits depend on the order of rows, such as sums of DOUBLE
 * @param catalogRefresh how often the list of partitioned tables is read again
 */
public record FanOutConfig(
        boolean enabled,
        int degree,
        long minRows,
        SnapshotConfig snapshots,
        boolean splitPlainCount,
        Approximate approximate,
        Duration catalogRefresh) {

    /** What becomes of aggregates whose last digits depend on the order in which rows are added. */
    public enum Approximate {
        /** They are passed through, unless the statement's hint allows them. */
        REFUSE,
        /** They are split. */
        ALLOW
    }

    public static FanOutConfig defaults() {
        return new FanOutConfig(
                true, 8, 50_000, SnapshotConfig.defaults(), false, Approximate.REFUSE, Duration.ofSeconds(5));
    }
}

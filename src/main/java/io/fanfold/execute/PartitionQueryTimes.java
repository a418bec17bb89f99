package io.fanfold.execute;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * What is known of the partition queries of a statement, all of them together. Immutable.
 *
 * @param nanosARow their time, for each row of the server's estimate
 * @param nanos their time in the last split
 * @param received the rows that they returned in the last split
 * @param mostGroups the most groups that one of them has returned, if nearly each group was in one of them alone; 0 when
 *     unknown, {@link #REPEATED} once groups were in several
 * @param spentNanos the time of all splits since the statement was last timed without
 * @param coreNanos their time in the last split on a core that does nothing else
 */
@RecordBuilder
record PartitionQueryTimes(
        double nanosARow, long nanos, long received, long mostGroups, long spentNanos, long coreNanos)
        implements PartitionQueryTimesBuilder.With {
    /** Smaller partition queries would return the same groups again and again. */
    static final long REPEATED = -1;

    /** Groups count as repeated if the partition queries return more than this many rows for each. */
    private static final int LEAST_REPEATED = 2;

    /** About how long the server takes to send one row of a partition query, and Fanfold to merge it. */
    private static final long RECEIVED_NANOS = 2_000;

    /**
     * The unsplit statement does not send the rows of partition queries. If they took more than a sixteenth of the split's
     * time, the unsplit statement may be faster.
     */
    private static final int RECEIVED_SHARE = 16;

    /**
     * Because of such rows, only a split below this time is compared at once. The unsplit statement may also be many
     * times slower, and a try of a long one costs minutes.
     */
    private static final long QUICK_SPLIT_NANOS = Duration.ofSeconds(1).toNanos();

    /**
     * Any other split may be slower too. Once the splits took 20 times as long as one worker takes for the partition
     * queries, the unsplit statement is tried. So a repeated statement takes about a twentieth longer at most.
     */
    private static final int SPLITS_A_TRY = 20;

    /**
     * A split saves work if the unsplit statement takes at least a quarter longer than the partition queries. A smaller
     * difference may come from the measurement.
     */
    private static final int LEAST_SAVED = 4;

    /**
     * Returns the work of a first split.
     *
     * @param rows the server's estimate
     * @param nanos the time of all partition queries
     * @param coreNanos that time on a core that does nothing else
     * @param received the rows that they returned
     */
    static PartitionQueryTimes of(long rows, long nanos, long coreNanos, long received) {
        return new PartitionQueryTimes((double) nanos / Math.max(1, rows), nanos, received, 0, 0, coreNanos);
    }

    /** Returns what is known after one more split: a longer time for each row counts at once, a shorter one by half. */
    PartitionQueryTimes then(PartitionQueryTimes next) {
        double longer = Math.max(next.nanosARow, (nanosARow + next.nanosARow) / 2);
        return next.withNanosARow(longer).withMostGroups(mostGroups).withSpentNanos(spentNanos);
    }

    /**
     * Returns what is known after the groups of a split have been merged.
     *
     * @param most the most rows that one partition query has returned
     * @param merged the number of groups
     */
    PartitionQueryTimes grouped(long most, long merged) {
        boolean repeated = mostGroups == REPEATED || received > LEAST_REPEATED * merged;
        return withMostGroups(repeated ? REPEATED : Math.max(mostGroups, most));
    }

    /**
     * Returns the time that one worker needs for the partition queries, in nanoseconds.
     *
     * @param rows the server's estimate for this execution
     */
    long nanosOf(long rows) {
        return (long) (nanosARow * Math.max(1, rows));
    }

    /**
     * Whether the partition queries need clearly less of the server's cores than the unsplit statement.
     *
     * @param unsplitNanos the time of the unsplit statement on a core that does nothing else
     */
    boolean savesWork(long unsplitNanos) {
        return unsplitNanos - coreNanos > coreNanos / LEAST_SAVED;
    }

    /** Whether the unsplit statement may be faster than the split. One worker would take about {@link #nanos}. */
    boolean mayExceedUnsplit(long splitNanos) {
        return splitNanos < QUICK_SPLIT_NANOS && received > splitNanos / (RECEIVED_SHARE * RECEIVED_NANOS)
                || spentNanos > SPLITS_A_TRY * nanos;
    }
}

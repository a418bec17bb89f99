package io.fanfold.plan;

import java.util.List;

/**
 * How the partial rows of all partition queries become one list of rows. Column numbers count from 0 in the partial row.
 * Immutable.
 */
public sealed interface MergeNode {

    /**
     * Groups partial rows by keys and folds their slots.
     *
     * <p>A merged row is: the value columns of {@code keys} in order, then one column for each of {@code slots}. The
     * rows come in no particular order. With {@code scalar} exactly one row comes out, also for no input.
     *
     * <pre>
     * SELECT g, COUNT(*), SUM(x) FROM t GROUP BY g
     *   partition query:  SELECT g, COUNT(*), SUM(x) FROM t PARTITION (p) GROUP BY 1
     *   merge:            keys [g], slots [Sum(1, counting), Sum(2)]
     * </pre>
     *
     * @param keys the grouping keys, empty for a scalar aggregation
     * @param slots what is folded
     * @param scalar whether the block has no GROUP BY
     */
    record Aggregate(List<GroupKey> keys, List<Slot> slots, boolean scalar) implements MergeNode {
        public Aggregate {
            keys = List.copyOf(keys);
            slots = List.copyOf(slots);
            if (scalar && !keys.isEmpty()) {
                throw new IllegalArgumentException("a scalar aggregation has no keys");
            }
        }
    }

    /**
     * Merges rows that each partition query delivers sorted by the keys, and gives {@code count} rows after skipping
     * {@code offset}. A merged row is the first {@code visibleColumns} columns of the partial row.
     *
     * <pre>
     * SELECT a, b FROM t ORDER BY a LIMIT 10 OFFSET 5
     *   partition query:  SELECT a, b, a FROM t PARTITION (p) ORDER BY a LIMIT 15
     *   merge:            keys [column 2], offset 5, count 10, visible 2
     * </pre>
     */
    record TopRows(List<SortKey> keys, long offset, long count, int visibleColumns) implements MergeNode {
        public TopRows {
            keys = List.copyOf(keys);
        }
    }

    /**
     * One grouping key.
     *
     * @param valueColumn the column with the value shown; of equal values any one is shown
     * @param compare by what two values are found equal
     */
    record GroupKey(int valueColumn, SortKey compare) {}

    /** What is folded over the partial rows of one group. */
    sealed interface Slot {
        /**
         * The exact sum of numbers; NULLs do not count.
         *
         * @param column the partial sums or counts
         * @param zeroWhenEmpty whether no non-NULL input gives 0 (COUNT) instead of NULL (SUM)
         */
        record Sum(int column, boolean zeroWhenEmpty) implements Slot {}

        /** The smallest value by {@code compare}; NULLs do not count; NULL when there is none. */
        record Min(int column, SortKey compare) implements Slot {}

        /** The largest value by {@code compare}; NULLs do not count; NULL when there is none. */
        record Max(int column, SortKey compare) implements Slot {}

        /**
         * Bits of unsigned 64-bit numbers.
         *
         * @param operation which; the neutral element (all ones for AND, else 0) when there is no input
         */
        record Bits(int column, BitOperation operation) implements Slot {}

        /**
         * How many different tuples of {@code keys} the group has, tuples with a NULL not counted. The partition query
         * groups by these columns as well.
         */
        record CountDistinct(List<SortKey> keys) implements Slot {
            public CountDistinct {
                keys = List.copyOf(keys);
            }
        }

        /** The exact sum of the different values of {@code key}; NULL when there is none. */
        record SumDistinct(SortKey key) implements Slot {}
    }

    /** A bit aggregate. */
    enum BitOperation {
        AND,
        OR,
        XOR
    }
}

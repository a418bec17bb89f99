package io.fanfold.plan;

import java.util.List;
import java.util.stream.IntStream;

/**
 * How the partial rows of all partition queries become one list of rows. Column numbers count from 0 in the partial
 * row. Immutable.
 */
public sealed interface MergeNode {

    /**
     * Groups partial rows by keys and folds their slots.
     *
     * <p>A merged row is: the value columns of {@code keys} in order, then one column for each of {@code slots}, then one
     * for each of {@code averages}. With {@code scalar} there is exactly one group, also for no input.
     *
     * <pre>
     * SELECT g, COUNT(*), SUM(x) FROM t GROUP BY g
     *   partition query:  SELECT g, COUNT(*), SUM(x) FROM t PARTITION (p) GROUP BY 1
     *   merge:            keys [g], slots [Sum(1, counting), Sum(2)]
     * </pre>
     *
     * @param keys the grouping keys, empty for a scalar aggregation
     * @param slots what is folded
     * @param averages what is divided after the fold
     * @param scalar whether the block has no GROUP BY
     * @param order in which order the merged rows come, and which of them
     */
    record Aggregate(List<GroupKey> keys, List<Slot> slots, List<Average> averages, boolean scalar, GroupOrder order)
            implements MergeNode {
        public Aggregate {
            keys = List.copyOf(keys);
            slots = List.copyOf(slots);
            averages = List.copyOf(averages);
            if (scalar && !keys.isEmpty()) {
                throw new IllegalArgumentException("a scalar aggregation has no keys");
            }
        }

        /** One without averages whose rows all come, sorted upwards by the keys or in no particular order. */
        public Aggregate(List<GroupKey> keys, List<Slot> slots, boolean scalar, boolean sorted) {
            this(keys, slots, List.of(), scalar, sorted ? GroupOrder.byKeys(keys.size()) : GroupOrder.NONE);
        }

        /** How many columns a merged row has. */
        public int columns() {
            return keys.size() + slots.size() + averages.size();
        }
    }

    /**
     * The order of merged rows, of which {@code count} come after {@code offset} are skipped. Rows that are equal by all
     * columns, or all rows where there are none, come in no particular order.
     *
     * @param by the columns that are sorted by, the first counts most; none for no order
     * @param count {@link Long#MAX_VALUE} for all rows
     */
    record GroupOrder(List<SortColumn> by, long offset, long count) {
        /** All rows, in no particular order. */
        public static final GroupOrder NONE = new GroupOrder(List.of(), 0, Long.MAX_VALUE);

        public GroupOrder {
            by = List.copyOf(by);
        }

        /** All rows, sorted upwards by all of so many keys. */
        static GroupOrder byKeys(int keys) {
            return new GroupOrder(
                    IntStream.range(0, keys)
                            .mapToObj(key -> new SortColumn(key, false))
                            .toList(),
                    0,
                    Long.MAX_VALUE);
        }

        /** Whether all rows come. */
        public boolean all() {
            return offset == 0 && count == Long.MAX_VALUE;
        }
    }

    /**
     * A column of merged rows that is sorted by: a key as it is compared for grouping, an extreme as it is compared, any
     * other as a number. NULL comes first upwards.
     */
    record SortColumn(int column, boolean descending) {}

    /**
     * The average of exact numbers: a sum divided by a count as servers divide, NULL where the count is 0.
     *
     * @param sumSlot the slot with the sum
     * @param countSlot the slot with the number of its summands
     * @param innerDigits how many digits after the point are computed; what would follow is cut off
     * @param digits to how many of them the quotient is rounded, half up
     */
    record Average(int sumSlot, int countSlot, int innerDigits, int digits) {}

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
     * All rows as they are, one partition query's after the other's, in the order of the partitions. A merged row is
     * the first {@code columns} columns of the partial row.
     */
    record Gathered(int columns) implements MergeNode {}

    /**
     * Hands rows on while they come: without keys one partition query's rows after the other's, in the order of the
     * partitions; with keys merged by them, where each query reads a group of partitions and delivers them sorted.
     * Gives {@code count} rows after skipping {@code offset}. A row is the first {@code visibleColumns} columns of the
     * partial row.
     *
     * <pre>
     * SELECT a, b FROM t WHERE c > 5
     *   partition query:  SELECT a, b FROM t PARTITION (p) WHERE c > 5
     *   merge:            no keys, visible 2
     * SELECT a, b FROM t ORDER BY a
     *   partition query:  SELECT a, b, a FROM t PARTITION (p0, p3) ORDER BY a
     *   merge:            keys [column 2], visible 2
     * </pre>
     *
     * @param count {@link Long#MAX_VALUE} for all rows
     * @param certain whether no partition query can raise a warning or an error of its own, or rows that do not come
     *     sorted: then the answer may begin before all have ended
     */
    record Streamed(List<SortKey> keys, long offset, long count, int visibleColumns, boolean certain)
            implements MergeNode {
        public Streamed {
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

        /**
         * The sum of floating-point numbers, rounded once, so that it does not depend on the order; NULLs do not count;
         * NULL when there is none.
         */
        record SumDouble(int column) implements Slot {}

        /**
         * Any one value: of the first partial row that has one.
         *
         * @param skipsNull whether a NULL may stand for no row at all, so that another value goes before it
         */
        record AnyValue(int column, boolean skipsNull) implements Slot {}

        /**
         * The spread of numbers out of that of parts of them.
         *
         * @param count how many numbers a part has, NULLs not counted
         * @param mean their mean
         * @param variance their population variance
         * @param function what is asked for; NULL where there are too few numbers
         */
        record Spread(int count, int mean, int variance, SpreadFunction function) implements Slot {}

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

    /** A variance, or its root. */
    enum SpreadFunction {
        VAR_POP,
        VAR_SAMP,
        STDDEV_POP,
        STDDEV_SAMP
    }

    /** A bit aggregate. */
    enum BitOperation {
        AND,
        OR,
        XOR
    }
}

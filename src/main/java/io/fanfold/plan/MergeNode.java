package io.fanfold.plan;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Describes how the partial rows of all partition queries are merged into one list of rows. Column numbers count from 0
 * in the partial row. Immutable.
 */
public sealed interface MergeNode {

    /**
     * Groups partial rows by keys and merges their aggregates.
     *
     * <p>A merged row has the value columns of {@code keys} in order, then one column for each of {@code functions}, then
     * one for each of {@code averages}. With {@code scalar} there is exactly one group, even for no input.
     *
     * <pre>
     * SELECT g, COUNT(*), SUM(x) FROM t GROUP BY g
     *   partition query:  SELECT g, COUNT(*), SUM(x) FROM t PARTITION (p) GROUP BY 1
     *   merge:            keys [g], functions [Sum(1, counting), Sum(2)]
     * </pre>
     *
     * @param keys the grouping keys, empty for a scalar aggregation
     * @param functions how the columns of the aggregates are merged, in order
     * @param averages the quotients that are computed after the merge
     * @param scalar whether the block has no GROUP BY
     * @param order the order of the merged rows and the range of them that is returned
     */
    record Aggregate(
            List<GroupKey> keys,
            List<MergeFunction> functions,
            List<Average> averages,
            boolean scalar,
            GroupOrder order)
            implements MergeNode {
        public Aggregate {
            keys = List.copyOf(keys);
            functions = List.copyOf(functions);
            averages = List.copyOf(averages);
            if (scalar && !keys.isEmpty()) {
                throw new IllegalArgumentException("a scalar aggregation has no keys");
            }
        }

        /**
         * Creates an aggregation without averages that returns all rows, in ascending order of the keys or unordered.
         */
        public Aggregate(List<GroupKey> keys, List<MergeFunction> functions, boolean scalar, boolean sorted) {
            this(keys, functions, List.of(), scalar, sorted ? GroupOrder.byKeys(keys.size()) : GroupOrder.NONE);
        }

        /** Returns the number of columns of a merged row. */
        public int columns() {
            return keys.size() + functions.size() + averages.size();
        }
    }

    /**
     * The order of merged rows and the range that is returned: {@code count} rows after the first {@code offset}. The
     * order of rows that are equal in all columns of {@code by} is unspecified.
     *
     * @param by the columns to sort by, the most significant first; empty for no order
     * @param count {@link Long#MAX_VALUE} for all rows
     */
    record GroupOrder(List<SortColumn> by, long offset, long count) {
        /** All rows, unordered. */
        public static final GroupOrder NONE = new GroupOrder(List.of(), 0, Long.MAX_VALUE);

        public GroupOrder {
            by = List.copyOf(by);
        }

        /** Returns the order of all rows by the first {@code keys} columns, ascending. */
        static GroupOrder byKeys(int keys) {
            return new GroupOrder(
                    IntStream.range(0, keys)
                            .mapToObj(key -> new SortColumn(key, false))
                            .toList(),
                    0,
                    Long.MAX_VALUE);
        }

        /** Whether all rows are returned. */
        public boolean all() {
            return offset == 0 && count == Long.MAX_VALUE;
        }
    }

    /**
     * A column of merged rows to sort by. A key is compared as for grouping, a MIN or MAX as its function compares
     * it, any other column as a number. NULL sorts first in ascending order.
     */
    record SortColumn(int column, boolean descending) {}

    /**
     * The average of exact numbers: a sum divided by a count as the server divides, NULL if the count is 0.
     *
     * @param sumIndex which of the functions is the sum, from 0
     * @param countIndex which of the functions is the number of summands, from 0
     * @param innerDigits the digits after the point that the division computes; further digits are truncated
     * @param digits the digits after the point that the quotient is rounded to, half up
     */
    record Average(int sumIndex, int countIndex, int innerDigits, int digits) {}

    /**
     * Merges rows that each partition query returns sorted by the keys. Returns {@code count} rows after the first
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
     * Returns all rows unchanged, in the order of the partitions. A merged row is the first {@code columns} columns of
     * the partial row.
     */
    record Concatenate(int columns) implements MergeNode {}

    /**
     * Passes rows on as they arrive. Without keys, the rows of the partition queries follow each other in the order of
     * the partitions. With keys, each query reads a group of partitions and returns sorted rows, which are merged.
     * Returns {@code count} rows after the first {@code offset}. A row is the first {@code visibleColumns} columns of
     * the partial row.
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
     * @param certain whether no partition query can raise a warning or an error of its own, or return unsorted rows; if
     *     so, the answer may begin before all of them have ended
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
     * @param valueColumn the column with the value that is returned, that of any row of the group
     * @param compare how two values are compared for equality; empty if the value depends on other keys
     */
    record GroupKey(int valueColumn, Optional<SortKey> compare) {
        public GroupKey(int valueColumn, SortKey compare) {
            this(valueColumn, Optional.of(compare));
        }

        /** Returns a key whose value depends on other keys. */
        public static GroupKey dependent(int valueColumn) {
            return new GroupKey(valueColumn, Optional.empty());
        }
    }

    /** A function that is merged over the partial rows of one group. */
    sealed interface MergeFunction {
        /**
         * The exact sum of the non-NULL numbers.
         *
         * @param column the partial sums or counts
         * @param zeroWhenEmpty whether the result without a non-NULL input is 0 (COUNT) instead of NULL (SUM)
         */
        record Sum(int column, boolean zeroWhenEmpty) implements MergeFunction {}

        /**
         * The sum of the non-NULL floating-point numbers, NULL if there are none. It is rounded only once, so it does
         * not depend on the order.
         */
        record SumDouble(int column) implements MergeFunction {}

        /**
         * The value of the first partial row that has one.
         *
         * @param skipsNull whether NULL may mean that a part had no rows, so that any other value is preferred
         */
        record AnyValue(int column, boolean skipsNull) implements MergeFunction {}

        /**
         * A variance or standard deviation, combined from the variances of the parts. NULL if there are too few
         * numbers.
         *
         * @param count the column with the number of non-NULL values of a part
         * @param mean the column with their mean
         * @param variance the column with their population variance
         * @param function the function that is returned
         */
        record Variance(int count, int mean, int variance, VarianceFunction function) implements MergeFunction {}

        /** The smallest non-NULL value by {@code compare}, NULL if there is none. */
        record Min(int column, SortKey compare) implements MergeFunction {}

        /** The largest non-NULL value by {@code compare}, NULL if there is none. */
        record Max(int column, SortKey compare) implements MergeFunction {}

        /**
         * A bit aggregate of unsigned 64-bit numbers.
         *
         * @param operation the operation; without input the result is its neutral element (all ones for AND, else 0)
         */
        record Bits(int column, BitOperation operation) implements MergeFunction {}

        /**
         * The number of distinct tuples of {@code keys} in the group, without tuples that contain NULL. The partition
         * query also groups by these columns.
         */
        record CountDistinct(List<SortKey> keys) implements MergeFunction {
            public CountDistinct {
                keys = List.copyOf(keys);
            }
        }

        /**
         * The exact sum of the distinct non-NULL values of {@code key}, NULL if there are none.
         *
         * @param decimals the least number of decimals of the result, from the type of the sum. A partition query may
         *     return a value with fewer than its column has: MySQL 9.7 does so for {@code IF(a = b, num, 100.0)}.
         */
        record SumDistinct(SortKey key, int decimals) implements MergeFunction {}
    }

    /** A variance or its square root. */
    enum VarianceFunction {
        VAR_POP,
        VAR_SAMP,
        STDDEV_POP,
        STDDEV_SAMP
    }

    /** The operation of a bit aggregate. */
    enum BitOperation {
        AND,
        OR,
        XOR
    }
}

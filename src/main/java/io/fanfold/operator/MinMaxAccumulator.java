package io.fanfold.operator;

import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.SortKey;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * MIN or MAX by a key. Ignores NULLs; NULL if there is no value. Of values with equal keys it keeps the first in
 * partition order, like a server that reads partitions one after another.
 */
final class MinMaxAccumulator implements Accumulator {
    private final int column;
    private final int keyColumn;
    private final int sign;
    private final KeyEncoder encoder;
    private final boolean exact;

    /**
     * Creates the accumulator of one column.
     *
     * @param column the value's column
     * @param compare the key by which values are compared
     * @param largest whether the largest is kept
     */
    MinMaxAccumulator(int column, SortKey compare, boolean largest) {
        this.column = column;
        this.keyColumn = compare.column();
        this.sign = largest ? -1 : 1;
        this.encoder = KeyEncoder.forEquality(List.of(compare));
        this.exact = compare.comparison() == SortKey.KeyComparison.NUMBER;
    }

    /**
     * Compares equal numbers by sign. MariaDB shows -4.00 % 2 as -0.00, and treats it as less than 0.00 in MIN and MAX,
     * but nowhere else.
     */
    private int compareZeros(byte first, byte firstOfOther) {
        return sign * Boolean.compare(firstOfOther == '-', first == '-');
    }

    @Override
    public AccumulatorState start() {
        return new MinMaxState();
    }

    private final class MinMaxState implements AccumulatorState {
        private static final long SHELL_BYTES = 32;

        private long rank;
        private byte @Nullable [] key;
        private byte @Nullable [] value;

        @Override
        public long add(Row row, long rank) throws MergeException {
            KeyPresence.check(row, column, keyColumn);
            if (row.isNull(column)) {
                return 0;
            }
            encoder.encode(row);
            int order = key == null ? -1 : sign * encoder.compareTo(key);
            if (order == 0 && exact && value != null) {
                order = compareZeros(row.payload()[row.start(column)], value[0]);
            }
            if (order > 0 || (order == 0 && rank >= this.rank)) {
                return 0;
            }
            this.rank = rank;
            long before = held();
            if (order != 0) {
                key = encoder.toBytes();
            }
            value = row.bytes(column);
            return held() - before;
        }

        @Override
        public void merge(AccumulatorState other) {
            MinMaxState that = (MinMaxState) other;
            if (that.key == null || that.value == null) {
                return;
            }
            int order = key == null ? -1 : sign * Arrays.compareUnsigned(that.key, key);
            if (order == 0 && exact && value != null) {
                order = compareZeros(that.value[0], value[0]);
            }
            if (order < 0 || (order == 0 && that.rank < rank)) {
                rank = that.rank;
                key = that.key;
                value = that.value;
            }
        }

        @Override
        public void write(MergeFunction asked, RowBuilder to) {
            if (value == null) {
                to.addNull();
            } else {
                to.add(value);
            }
        }

        @Override
        public boolean compared(KeyBuffer to) throws MergeException {
            if (key == null) {
                KeyEncoder.writeNull(to);
            } else {
                to.put(key, 0, key.length);
            }
            return true;
        }

        private long held() {
            return HeapSize.of(key) + HeapSize.of(value);
        }

        @Override
        public long heapBytes() {
            return SHELL_BYTES + held();
        }
    }
}

package io.fanfold.operator;

import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import org.jspecify.annotations.Nullable;

/** ANY_VALUE: the value of the first row in partition order, like a server that reads partitions one after another. */
final class AnyValueAccumulator implements Accumulator {
    private final int column;
    private final boolean skipsNull;

    AnyValueAccumulator(MergeFunction.AnyValue accumulator) {
        this.column = accumulator.column();
        this.skipsNull = accumulator.skipsNull();
    }

    @Override
    public AccumulatorState start() {
        return new AnyState();
    }

    private final class AnyState implements AccumulatorState {
        private static final long SHELL_BYTES = 32;

        private long rank = Long.MAX_VALUE;
        private byte @Nullable [] value;

        @Override
        public long add(Row row, long rank) {
            if (rank >= this.rank || skipsNull && row.isNull(column)) {
                return 0;
            }
            long before = HeapSize.of(value);
            this.rank = rank;
            value = row.bytes(column);
            return HeapSize.of(value) - before;
        }

        @Override
        public void merge(AccumulatorState other) {
            AnyState that = (AnyState) other;
            if (that.rank < rank) {
                rank = that.rank;
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
        public long heapBytes() {
            return SHELL_BYTES + HeapSize.of(value);
        }
    }
}

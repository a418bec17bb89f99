package io.fanfold.merge;

import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import org.jspecify.annotations.Nullable;

/** ANY_VALUE: the value of the first row in partition order, like a server that reads partitions one after another. */
final class AnyValueSlot implements SlotFold {
    private final int column;
    private final boolean skipsNull;

    AnyValueSlot(Slot.AnyValue slot) {
        this.column = slot.column();
        this.skipsNull = slot.skipsNull();
    }

    @Override
    public State start() {
        return new AnyState();
    }

    private final class AnyState implements State {
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
        public void merge(State other) {
            AnyState that = (AnyState) other;
            if (that.rank < rank) {
                rank = that.rank;
                value = that.value;
            }
        }

        @Override
        public void write(Slot asked, RowBuilder to) {
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

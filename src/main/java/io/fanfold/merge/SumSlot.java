package io.fanfold.merge;

import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.row.ExactDecimal;
import io.fanfold.row.MalformedValueException;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;

/** Exact sums. NULLs do not count; without a number the sum is NULL, or 0 where the slot says so. */
final class SumSlot implements SlotFold {
    /** The most digits of a DECIMAL. A server whose sum gets longer clamps it or fails: that is left to the server. */
    private static final int SERVER_DIGITS = 65;

    private final Slot.Sum slot;

    SumSlot(Slot.Sum slot) {
        this.slot = slot;
    }

    @Override
    public State start() {
        return new SumState();
    }

    static void checkDigits(ExactDecimal sum) throws FoldException {
        int digits = sum.precision();
        if (digits > SERVER_DIGITS) {
            throw new FoldException(
                    FoldException.Kind.TOO_LARGE,
                    "a sum has " + digits + " digits, a DECIMAL holds at most " + SERVER_DIGITS);
        }
    }

    static void add(ExactDecimal sum, Row row, int column) throws FoldException {
        if (row.length(column) >= SERVER_DIGITS) {
            throw new FoldException(
                    FoldException.Kind.TOO_LARGE, "a partial sum is so long that the server may have clamped it");
        }
        try {
            sum.add(row.payload(), row.start(column), row.length(column));
        } catch (MalformedValueException e) {
            throw new FoldException(FoldException.Kind.MALFORMED_VALUE, "column " + column + ": " + e.getMessage());
        }
    }

    /** A sum itself, because there may be millions of them. */
    private final class SumState extends ExactDecimal implements State {
        private static final long MORE_BYTES = 8;

        private boolean any;

        @Override
        public long add(Row row, long rank) throws FoldException {
            if (row.isNull(slot.column())) {
                return 0;
            }
            long before = heapBytes();
            SumSlot.add(this, row, slot.column());
            any = true;
            return heapBytes() - before;
        }

        @Override
        public void merge(State other) {
            SumState that = (SumState) other;
            add(that);
            any |= that.any;
        }

        @Override
        public void check() throws FoldException {
            checkDigits(this);
        }

        @Override
        public void write(Slot asked, RowBuilder to) {
            if (any || slot.zeroWhenEmpty()) {
                to.add(toText());
            } else {
                to.addNull();
            }
        }

        @Override
        public long heapBytes() {
            return MORE_BYTES + super.heapBytes();
        }
    }
}

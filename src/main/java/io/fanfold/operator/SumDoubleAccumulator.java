package io.fanfold.operator;

import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.row.MalformedValueException;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.nio.charset.StandardCharsets;

/** The sum of floating-point numbers. Ignores NULLs; NULL if there is no number. */
final class SumDoubleAccumulator implements Accumulator {
    private final int column;

    SumDoubleAccumulator(MergeFunction.SumDouble accumulator) {
        this.column = accumulator.column();
    }

    @Override
    public AccumulatorState start() {
        return new SumState();
    }

    /** The number in a column that is not NULL. */
    static double number(Row row, int column) throws MergeException {
        try {
            return DoubleText.parse(row.payload(), row.start(column), row.length(column));
        } catch (MalformedValueException e) {
            throw new MergeException(
                    MergeException.MergeFailure.MALFORMED_VALUE, "column " + column + ": " + e.getMessage());
        }
    }

    /** Adds a number in a form that servers read as the same number. */
    static void write(double number, RowBuilder to) {
        to.add(Double.toString(number).getBytes(StandardCharsets.US_ASCII));
    }

    static void checkFinite(double number) throws MergeException {
        if (!Double.isFinite(number)) {
            throw new MergeException(MergeException.MergeFailure.TOO_LARGE, "a number is too large for a DOUBLE");
        }
    }

    private final class SumState implements AccumulatorState {
        private static final long SHELL_BYTES = 56;

        private final DoubleSum sum = new DoubleSum();
        private boolean any;

        @Override
        public long add(Row row, long rank) throws MergeException {
            if (row.isNull(column)) {
                return 0;
            }
            long before = sum.heapBytes();
            sum.add(number(row, column));
            any = true;
            return sum.heapBytes() - before;
        }

        @Override
        public void merge(AccumulatorState other) {
            SumState that = (SumState) other;
            sum.add(that.sum);
            any |= that.any;
        }

        @Override
        public void check() throws MergeException {
            checkFinite(sum.value());
        }

        @Override
        public void write(MergeFunction asked, RowBuilder to) {
            if (any) {
                SumDoubleAccumulator.write(sum.value(), to);
            } else {
                to.addNull();
            }
        }

        @Override
        public long heapBytes() {
            return SHELL_BYTES + sum.heapBytes();
        }
    }
}

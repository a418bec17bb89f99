package io.fanfold.merge;

import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.plan.MergeNode.SpreadFunction;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;

/**
 * A variance or standard deviation, combined from the counts, means and variances of the partitions. So no large
 * squares are subtracted from each other.
 *
 * @see <a href="http://i.stanford.edu/pub/cstr/reports/cs/tr/79/773/CS-TR-79-773.pdf">Chan, Golub, LeVeque: Updating
 *     Formulae and a Pairwise Algorithm for Computing Sample Variances, 1979</a>
 */
final class SpreadSlot implements SlotFold {
    private final Slot.Spread slot;

    SpreadSlot(Slot.Spread slot) {
        this.slot = slot;
    }

    @Override
    public State start() {
        return new SpreadState();
    }

    private final class SpreadState implements State {
        private static final long SHELL_BYTES = 40;

        private double count;
        private double mean;

        /** The sum of squared distances from the mean. */
        private double squares;

        @Override
        public long add(Row row, long rank) throws FoldException {
            double more = row.isNull(slot.count()) ? 0 : SumDoubleSlot.number(row, slot.count());
            if (more > 0) {
                if (row.isNull(slot.mean()) || row.isNull(slot.variance())) {
                    throw new FoldException(
                            FoldException.Kind.MALFORMED_VALUE, "column " + slot.mean() + ": no mean of " + more);
                }
                double variance = SumDoubleSlot.number(row, slot.variance());
                join(more, SumDoubleSlot.number(row, slot.mean()), variance * more);
            }
            return 0;
        }

        private void join(double more, double theirMean, double theirSquares) {
            double all = count + more;
            double distance = theirMean - mean;
            squares += theirSquares + distance * distance * (count * more / all);
            mean += distance * (more / all);
            count = all;
        }

        @Override
        public void merge(State other) {
            SpreadState that = (SpreadState) other;
            if (that.count > 0) {
                join(that.count, that.mean, that.squares);
            }
        }

        @Override
        public void check() throws FoldException {
            SumDoubleSlot.checkFinite(squares);
        }

        @Override
        public void write(Slot asked, RowBuilder to) {
            SpreadFunction function = slot.function();
            boolean sample = function == SpreadFunction.VAR_SAMP || function == SpreadFunction.STDDEV_SAMP;
            boolean root = function == SpreadFunction.STDDEV_POP || function == SpreadFunction.STDDEV_SAMP;
            double degrees = sample ? count - 1 : count;
            if (degrees <= 0) {
                to.addNull();
                return;
            }
            double variance = squares / degrees;
            SumDoubleSlot.write(root ? Math.sqrt(variance) : variance, to);
        }

        @Override
        public long heapBytes() {
            return SHELL_BYTES;
        }
    }
}

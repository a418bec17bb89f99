package io.fanfold.operator;

import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.VarianceFunction;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;

/**
 * A variance or standard deviation, combined from the counts, means and variances of the partitions. So no large
 * squares are subtracted from each other.
 *
 * @see <a href="http://i.stanford.edu/pub/cstr/reports/cs/tr/79/773/CS-TR-79-773.pdf">Chan, Golub, LeVeque: Updating
 *     Formulae and a Pairwise Algorithm for Computing Sample Variances, 1979</a>
 */
final class VarianceAccumulator implements Accumulator {
    private final MergeFunction.Variance accumulator;

    VarianceAccumulator(MergeFunction.Variance accumulator) {
        this.accumulator = accumulator;
    }

    @Override
    public AccumulatorState start() {
        return new VarianceState();
    }

    private final class VarianceState implements AccumulatorState {
        private static final long SHELL_BYTES = 40;

        private double count;
        private double mean;

        /** The sum of squared distances from the mean. */
        private double squares;

        @Override
        public long add(Row row, long rank) throws MergeException {
            double more = row.isNull(accumulator.count()) ? 0 : SumDoubleAccumulator.number(row, accumulator.count());
            if (more > 0) {
                if (row.isNull(accumulator.mean()) || row.isNull(accumulator.variance())) {
                    throw new MergeException(
                            MergeException.MergeFailure.MALFORMED_VALUE,
                            "column " + accumulator.mean() + ": no mean of " + more);
                }
                double variance = SumDoubleAccumulator.number(row, accumulator.variance());
                join(more, SumDoubleAccumulator.number(row, accumulator.mean()), variance * more);
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
        public void merge(AccumulatorState other) {
            VarianceState that = (VarianceState) other;
            if (that.count > 0) {
                join(that.count, that.mean, that.squares);
            }
        }

        @Override
        public void check() throws MergeException {
            SumDoubleAccumulator.checkFinite(squares);
        }

        @Override
        public void write(MergeFunction asked, RowBuilder to) {
            VarianceFunction function = accumulator.function();
            boolean sample = function == VarianceFunction.VAR_SAMP || function == VarianceFunction.STDDEV_SAMP;
            boolean root = function == VarianceFunction.STDDEV_POP || function == VarianceFunction.STDDEV_SAMP;
            double degrees = sample ? count - 1 : count;
            if (degrees <= 0) {
                to.addNull();
                return;
            }
            double variance = squares / degrees;
            SumDoubleAccumulator.write(root ? Math.sqrt(variance) : variance, to);
        }

        @Override
        public long heapBytes() {
            return SHELL_BYTES;
        }
    }
}

package io.fanfold.plan;

import java.util.List;

/** An aggregate function whose types are not yet known. */
public sealed interface LogicalAggregate {
    /** Returns the input whose values this function sums or chooses from, -1 if there is no single one. */
    default int source() {
        return -1;
    }

    /**
     * A sum of partial sums or counts.
     *
     * @param argument the type-only input with the summed expression; -1 for counts
     */
    record LogicalSum(int input, int argument, boolean count) implements LogicalAggregate {
        @Override
        public int source() {
            return argument;
        }
    }

    /** MIN or MAX; {@code argument} is the type-only input with the expression itself. */
    record LogicalMinMax(int input, int argument, boolean largest) implements LogicalAggregate {
        @Override
        public int source() {
            return argument;
        }
    }

    /** ANY_VALUE; {@code argument} is the type-only input with the expression itself. */
    record LogicalAnyValue(int input, int argument) implements LogicalAggregate {
        @Override
        public int source() {
            return argument;
        }
    }

    /**
     * A variance or standard deviation. Its inputs are the number, mean and variance of the values; {@code shown}
     * is the type-only input with the call itself.
     */
    record LogicalVariance(int count, int mean, int variance, int shown, MergeNode.VarianceFunction function)
            implements LogicalAggregate {}

    record LogicalBits(int input, int argument, MergeNode.BitOperation operation) implements LogicalAggregate {}

    /** The number of distinct tuples of these inputs, which are distinct arguments. */
    record LogicalCountDistinct(List<Integer> arguments) implements LogicalAggregate {
        public LogicalCountDistinct {
            arguments = List.copyOf(arguments);
        }
    }

    /** The sum of the distinct values of an argument; {@code sum} is a type-only input with its SUM. */
    record LogicalSumDistinct(int sum, int argument) implements LogicalAggregate {
        @Override
        public int source() {
            return argument;
        }
    }
}

package io.fanfold.operator;

import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.SortKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/**
 * The storage of each accumulator's running value. Sums are parts of a group's record, see {@link GroupSums}. All
 * others are states. Accumulators that count or sum distinct tuples of the same keys share one state. Immutable.
 */
final class AccumulatorLayout {
    private final List<MergeFunction> accumulators;
    private final List<MergeFunction.Sum> sums = new ArrayList<>();

    /** For each accumulator the index of its sum; -1 for others. */
    private final int[] sumOf;

    /** For each accumulator the index of its state; -1 for sums. */
    private final int[] stateOf;

    /** For each state the accumulators that read it. */
    private final List<List<MergeFunction>> sharers = new ArrayList<>();

    AccumulatorLayout(List<MergeFunction> accumulators) {
        this.accumulators = List.copyOf(accumulators);
        this.sumOf = new int[accumulators.size()];
        this.stateOf = new int[accumulators.size()];
        for (int i = 0; i < stateOf.length; i++) {
            MergeFunction accumulator = accumulators.get(i);
            if (accumulator instanceof MergeFunction.Sum sum) {
                sumOf[i] = sums.size();
                stateOf[i] = -1;
                sums.add(sum);
                continue;
            }
            int state = 0;
            while (state < sharers.size() && !share(sharers.get(state).get(0), accumulator)) {
                state++;
            }
            if (state == sharers.size()) {
                sharers.add(new ArrayList<>());
            }
            sharers.get(state).add(accumulator);
            sumOf[i] = -1;
            stateOf[i] = state;
        }
    }

    private static boolean share(MergeFunction a, MergeFunction b) {
        List<SortKey> keys = distinctKeys(a);
        List<SortKey> others = distinctKeys(b);
        if (keys.isEmpty() || keys.size() != others.size()) {
            return false;
        }
        for (int i = 0; i < keys.size(); i++) {
            if (!sameKey(keys.get(i), others.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static List<SortKey> distinctKeys(MergeFunction accumulator) {
        if (accumulator instanceof MergeFunction.CountDistinct count) {
            return count.keys();
        }
        return accumulator instanceof MergeFunction.SumDistinct sum ? List.of(sum.key()) : List.of();
    }

    private static boolean sameKey(SortKey a, SortKey b) {
        return a.column() == b.column() && a.comparison() == b.comparison() && Arrays.equals(a.pad(), b.pad());
    }

    /** Creates one object for each state, for one thread. */
    Accumulator[] newAccumulators(long seed) {
        return sharers.stream().map(readers -> newAccumulator(readers, seed)).toArray(Accumulator[]::new);
    }

    private static Accumulator newAccumulator(List<MergeFunction> readers, long seed) {
        MergeFunction accumulator = readers.get(0);
        if (accumulator instanceof MergeFunction.Min min) {
            return new MinMaxAccumulator(min.column(), min.compare(), false);
        }
        if (accumulator instanceof MergeFunction.Max max) {
            return new MinMaxAccumulator(max.column(), max.compare(), true);
        }
        if (accumulator instanceof MergeFunction.Bits bits) {
            return new BitsAccumulator(bits);
        }
        if (accumulator instanceof MergeFunction.SumDouble sum) {
            return new SumDoubleAccumulator(sum);
        }
        if (accumulator instanceof MergeFunction.AnyValue any) {
            return new AnyValueAccumulator(any);
        }
        if (accumulator instanceof MergeFunction.Variance variance) {
            return new VarianceAccumulator(variance);
        }
        OptionalInt decimals = readers.stream()
                .filter(MergeFunction.SumDistinct.class::isInstance)
                .mapToInt(reader -> ((MergeFunction.SumDistinct) reader).decimals())
                .max();
        return new DistinctAccumulator(distinctKeys(accumulator), decimals, seed);
    }

    /** Whether merged rows can be sorted by the result of an accumulator. */
    static boolean compares(MergeFunction accumulator) {
        return !(accumulator instanceof MergeFunction.AnyValue
                || accumulator instanceof MergeFunction.SumDouble
                || accumulator instanceof MergeFunction.Variance);
    }

    MergeFunction accumulator(int number) {
        return accumulators.get(number);
    }

    /** The index of an accumulator's sum; -1 if it is not a sum. */
    int sumOf(int accumulator) {
        return sumOf[accumulator];
    }

    /** The index of an accumulator's state; -1 if it is a sum. */
    int stateOf(int accumulator) {
        return stateOf[accumulator];
    }

    /** The sums in order. */
    List<MergeFunction.Sum> sums() {
        return sums;
    }

    /** The number of states of a group. */
    int states() {
        return sharers.size();
    }

    /** The minimum number of columns of a partial row. */
    int columnsNeeded() {
        int last = -1;
        for (MergeFunction accumulator : accumulators) {
            last = Math.max(last, lastColumn(accumulator));
        }
        return last + 1;
    }

    private static int lastColumn(MergeFunction accumulator) {
        if (accumulator instanceof MergeFunction.Sum sum) {
            return sum.column();
        }
        if (accumulator instanceof MergeFunction.Min min) {
            return Math.max(min.column(), min.compare().column());
        }
        if (accumulator instanceof MergeFunction.Max max) {
            return Math.max(max.column(), max.compare().column());
        }
        if (accumulator instanceof MergeFunction.Bits bits) {
            return bits.column();
        }
        if (accumulator instanceof MergeFunction.SumDouble sum) {
            return sum.column();
        }
        if (accumulator instanceof MergeFunction.AnyValue any) {
            return any.column();
        }
        if (accumulator instanceof MergeFunction.Variance variance) {
            return Math.max(variance.count(), Math.max(variance.mean(), variance.variance()));
        }
        return distinctKeys(accumulator).stream()
                .mapToInt(SortKey::column)
                .max()
                .orElse(-1);
    }
}

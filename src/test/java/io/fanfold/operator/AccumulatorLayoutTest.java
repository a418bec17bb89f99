package io.fanfold.operator;

import static io.fanfold.operator.Merging.descending;
import static io.fanfold.operator.Merging.key;
import static io.fanfold.operator.Merging.padded;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.MergeNode.BitOperation;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.VarianceFunction;
import io.fanfold.plan.SortKey;
import io.fanfold.plan.SortKey.KeyComparison;
import java.util.List;
import org.junit.jupiter.api.Test;

class AccumulatorLayoutTest {
    private static int states(MergeFunction... accumulators) {
        return new AccumulatorLayout(List.of(accumulators)).newAccumulators(7).length;
    }

    private static MergeFunction count(SortKey... keys) {
        return new MergeFunction.CountDistinct(List.of(keys));
    }

    private static MergeFunction sum(SortKey key) {
        return new MergeFunction.SumDistinct(key, 0);
    }

    @Test
    void countsAndSumsOfTheSameTuplesShareOneSet() {
        SortKey number = key(1, KeyComparison.NUMBER);
        assertThat(states(count(number), sum(number))).isEqualTo(1);
        assertThat(states(sum(number), count(number), sum(number))).isEqualTo(1);
        assertThat(states(count(number, padded(2, " ")), count(number, padded(2, " "))))
                .isEqualTo(1);
        assertThat(states(count(number), sum(descending(1, KeyComparison.NUMBER))))
                .as("a direction compares the same")
                .isEqualTo(1);
    }

    @Test
    void othersDoNot() {
        SortKey number = key(1, KeyComparison.NUMBER);
        assertThat(states(count(number), count(key(2, KeyComparison.NUMBER)))).isEqualTo(2);
        assertThat(states(count(number), count(key(1, KeyComparison.BYTES)))).isEqualTo(2);
        assertThat(states(count(padded(1, " ")), count(padded(1, "\\0")))).isEqualTo(2);
        assertThat(states(count(number), count(number, number))).isEqualTo(2);
        assertThat(states(count(number, key(2, KeyComparison.NUMBER)), count(number, key(3, KeyComparison.NUMBER))))
                .isEqualTo(2);
        assertThat(states(new MergeFunction.Bits(1, BitOperation.OR), new MergeFunction.Bits(1, BitOperation.OR)))
                .isEqualTo(2);
    }

    @Test
    void sumsAreNoStates() {
        AccumulatorLayout layout = new AccumulatorLayout(List.of(
                new MergeFunction.Sum(1, true), count(key(2, KeyComparison.BYTES)), new MergeFunction.Sum(3, false)));
        assertThat(layout.states()).isEqualTo(1);
        assertThat(layout.sums()).containsExactly(new MergeFunction.Sum(1, true), new MergeFunction.Sum(3, false));
        assertThat(List.of(layout.sumOf(0), layout.sumOf(1), layout.sumOf(2))).containsExactly(0, -1, 1);
        assertThat(List.of(layout.stateOf(0), layout.stateOf(1), layout.stateOf(2)))
                .containsExactly(-1, 0, -1);
    }

    @Test
    void rowsNeedEveryColumnThatASlotReads() {
        SortKey at = key(7, KeyComparison.NUMBER);
        for (MergeFunction reader : List.of(
                new MergeFunction.Sum(7, true),
                new MergeFunction.SumDouble(7),
                new MergeFunction.AnyValue(7, false),
                new MergeFunction.Bits(7, BitOperation.OR),
                new MergeFunction.Min(7, key(2, KeyComparison.NUMBER)),
                new MergeFunction.Min(2, at),
                new MergeFunction.Max(7, key(2, KeyComparison.NUMBER)),
                new MergeFunction.Max(2, at),
                new MergeFunction.Variance(7, 1, 2, VarianceFunction.STDDEV_POP),
                new MergeFunction.Variance(1, 7, 2, VarianceFunction.STDDEV_POP),
                new MergeFunction.Variance(1, 2, 7, VarianceFunction.STDDEV_POP),
                sum(at),
                count(key(3, KeyComparison.NUMBER), at, key(4, KeyComparison.NUMBER)))) {
            assertThat(new AccumulatorLayout(List.of(new MergeFunction.Sum(1, true), reader)).columnsNeeded())
                    .as("%s", reader)
                    .isEqualTo(8);
            assertThat(new AccumulatorLayout(List.of(reader, new MergeFunction.Sum(1, true))).columnsNeeded())
                    .as("%s", reader)
                    .isEqualTo(8);
        }
        assertThat(new AccumulatorLayout(List.of()).columnsNeeded()).isZero();
    }
}

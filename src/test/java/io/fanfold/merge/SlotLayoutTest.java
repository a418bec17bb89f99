package io.fanfold.merge;

import static io.fanfold.merge.Folding.descending;
import static io.fanfold.merge.Folding.key;
import static io.fanfold.merge.Folding.padded;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.MergeNode.BitOperation;
import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.plan.MergeNode.SpreadFunction;
import io.fanfold.plan.SortKey;
import io.fanfold.plan.SortKey.Comparison;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotLayoutTest {
    private static int states(Slot... slots) {
        return new SlotLayout(List.of(slots)).newFolds(7).length;
    }

    private static Slot count(SortKey... keys) {
        return new Slot.CountDistinct(List.of(keys));
    }

    private static Slot sum(SortKey key) {
        return new Slot.SumDistinct(key);
    }

    @Test
    void countsAndSumsOfTheSameTuplesShareOneSet() {
        SortKey number = key(1, Comparison.NUMBER);
        assertThat(states(count(number), sum(number))).isEqualTo(1);
        assertThat(states(sum(number), count(number), sum(number))).isEqualTo(1);
        assertThat(states(count(number, padded(2, " ")), count(number, padded(2, " "))))
                .isEqualTo(1);
        assertThat(states(count(number), sum(descending(1, Comparison.NUMBER))))
                .as("a direction compares the same")
                .isEqualTo(1);
    }

    @Test
    void othersDoNot() {
        SortKey number = key(1, Comparison.NUMBER);
        assertThat(states(count(number), count(key(2, Comparison.NUMBER)))).isEqualTo(2);
        assertThat(states(count(number), count(key(1, Comparison.BYTES)))).isEqualTo(2);
        assertThat(states(count(padded(1, " ")), count(padded(1, "\\0")))).isEqualTo(2);
        assertThat(states(count(number), count(number, number))).isEqualTo(2);
        assertThat(states(count(number, key(2, Comparison.NUMBER)), count(number, key(3, Comparison.NUMBER))))
                .isEqualTo(2);
        assertThat(states(new Slot.Bits(1, BitOperation.OR), new Slot.Bits(1, BitOperation.OR)))
                .isEqualTo(2);
    }

    @Test
    void sumsAreNoStates() {
        SlotLayout layout =
                new SlotLayout(List.of(new Slot.Sum(1, true), count(key(2, Comparison.BYTES)), new Slot.Sum(3, false)));
        assertThat(layout.states()).isEqualTo(1);
        assertThat(layout.sums()).containsExactly(new Slot.Sum(1, true), new Slot.Sum(3, false));
        assertThat(List.of(layout.sumOf(0), layout.sumOf(1), layout.sumOf(2))).containsExactly(0, -1, 1);
        assertThat(List.of(layout.stateOf(0), layout.stateOf(1), layout.stateOf(2)))
                .containsExactly(-1, 0, -1);
    }

    @Test
    void rowsNeedEveryColumnThatASlotReads() {
        SortKey at = key(7, Comparison.NUMBER);
        for (Slot reader : List.of(
                new Slot.Sum(7, true),
                new Slot.SumDouble(7),
                new Slot.AnyValue(7, false),
                new Slot.Bits(7, BitOperation.OR),
                new Slot.Min(7, key(2, Comparison.NUMBER)),
                new Slot.Min(2, at),
                new Slot.Max(7, key(2, Comparison.NUMBER)),
                new Slot.Max(2, at),
                new Slot.Spread(7, 1, 2, SpreadFunction.STDDEV_POP),
                new Slot.Spread(1, 7, 2, SpreadFunction.STDDEV_POP),
                new Slot.Spread(1, 2, 7, SpreadFunction.STDDEV_POP),
                sum(at),
                count(key(3, Comparison.NUMBER), at, key(4, Comparison.NUMBER)))) {
            assertThat(new SlotLayout(List.of(new Slot.Sum(1, true), reader)).columnsNeeded())
                    .as("%s", reader)
                    .isEqualTo(8);
            assertThat(new SlotLayout(List.of(reader, new Slot.Sum(1, true))).columnsNeeded())
                    .as("%s", reader)
                    .isEqualTo(8);
        }
        assertThat(new SlotLayout(List.of()).columnsNeeded()).isZero();
    }
}

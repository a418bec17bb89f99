package io.fanfold.merge;

import static io.fanfold.merge.Folding.fold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.fanfold.plan.MergeNode.Aggregate;
import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.plan.MergeNode.SpreadFunction;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Sums of doubles, spreads and any values: against exact arithmetic, in many orders. */
class ApproximateSlotsTest {
    private static final Aggregate SUM = scalar(new Slot.SumDouble(0));

    @Test
    void sumIsRoundedOnceWhateverTheOrder() throws Exception {
        Random random = new Random(11);
        for (int round = 0; round < 200; round++) {
            List<List<String>> partitions = new ArrayList<>();
            BigDecimal exact = BigDecimal.ZERO;
            for (int i = 0; i < 12; i++) {
                double number = (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(40) - 20);
                exact = exact.add(new BigDecimal(number));
                partitions.add(List.of(Double.toString(number)));
            }
            List<String> straight = fold(SUM, partitions, 1, null);
            Collections.shuffle(partitions, random);
            assertThat(fold(SUM, partitions, 3, random)).isEqualTo(straight);
            assertThat(Double.parseDouble(straight.get(0)))
                    .isCloseTo(exact.doubleValue(), within(Math.ulp(exact.doubleValue())));
        }
    }

    @Test
    void numbersThatCancelLeaveTheSmallOne() throws Exception {
        assertThat(fold(SUM, List.of("1e100"), List.of("1"), List.of("-1e100"))).containsExactly("1.0");
        assertThat(fold(SUM, List.of("0.1"), List.of("0.2"), List.of("-0.3")))
                .containsExactly("2.7755575615628914E-17");
    }

    @Test
    void sumOfNothingIsNull() throws Exception {
        assertThat(fold(SUM)).containsExactly("NULL");
        assertThat(fold(SUM, List.of("NULL"), List.of("NULL"))).containsExactly("NULL");
        assertThat(fold(SUM, List.of("NULL"), List.of("2.5"))).containsExactly("2.5");
    }

    @Test
    void sumTooLargeForADoubleIsAnError() {
        assertThatThrownBy(() -> fold(SUM, List.of("1.7e308"), List.of("1.7e308")))
                .isInstanceOf(FoldException.class)
                .hasMessageContaining("too large");
        assertThatThrownBy(() -> fold(SUM, List.of("one"))).isInstanceOf(FoldException.class);
    }

    @Test
    void spreadOfPartsIsThatOfTheWhole() throws Exception {
        Random random = new Random(12);
        for (int round = 0; round < 100; round++) {
            double offset = round % 2 == 0 ? 0 : 1e8;
            List<List<String>> partitions = new ArrayList<>();
            List<Double> all = new ArrayList<>();
            for (int partition = 0; partition < 5; partition++) {
                List<Double> part = new ArrayList<>();
                for (int i = random.nextInt(6); i > 0; i--) {
                    part.add(offset + random.nextDouble());
                }
                all.addAll(part);
                partitions.add(List.of(
                        part.size() + "|" + (part.isEmpty() ? "NULL|NULL" : mean(part) + "|" + variance(part))));
            }
            Aggregate spreads = scalar(
                    new Slot.Spread(0, 1, 2, SpreadFunction.VAR_POP),
                    new Slot.Spread(0, 1, 2, SpreadFunction.STDDEV_SAMP));
            String[] values = fold(spreads, partitions, 2, random).get(0).split("\\|", -1);
            double expected = variance(all);
            assertThat(Double.parseDouble(values[0])).isCloseTo(expected, within(1e-6 * expected));
            double sample = Math.sqrt(expected * all.size() / (all.size() - 1));
            assertThat(Double.parseDouble(values[1])).isCloseTo(sample, within(1e-6 * sample));
        }
    }

    @Test
    void spreadOfTooFewNumbersIsNull() throws Exception {
        Aggregate all = scalar(
                new Slot.Spread(0, 1, 2, SpreadFunction.VAR_POP),
                new Slot.Spread(0, 1, 2, SpreadFunction.VAR_SAMP),
                new Slot.Spread(0, 1, 2, SpreadFunction.STDDEV_POP),
                new Slot.Spread(0, 1, 2, SpreadFunction.STDDEV_SAMP));
        assertThat(fold(all, List.of("0|NULL|NULL"))).containsExactly("NULL|NULL|NULL|NULL");
        assertThat(fold(all, List.of("0|NULL|NULL"), List.of("1|7|0"))).containsExactly("0.0|NULL|0.0|NULL");
        assertThat(fold(all, List.of("1|3|0"), List.of("1|7|0"))).containsExactly("4.0|8.0|2.0|2.8284271247461903");
        assertThatThrownBy(() -> fold(all, List.of("2|NULL|NULL"))).isInstanceOf(FoldException.class);
    }

    @Test
    void anyValueIsThatOfTheFirstPartition() throws Exception {
        List<List<String>> partitions = List.of(List.of("NULL"), List.of("b", "c"), List.of("a"));
        for (int seed = 0; seed < 10; seed++) {
            Random random = new Random(seed);
            assertThat(fold(scalar(new Slot.AnyValue(0, false)), partitions, 2, random))
                    .containsExactly("NULL");
            assertThat(fold(scalar(new Slot.AnyValue(0, true)), partitions, 2, random))
                    .containsExactly("b");
        }
        assertThat(fold(scalar(new Slot.AnyValue(0, true)))).containsExactly("NULL");
    }

    private static double mean(List<Double> numbers) {
        return numbers.stream().mapToDouble(Double::doubleValue).sum() / numbers.size();
    }

    private static double variance(List<Double> numbers) {
        double mean = mean(numbers);
        return numbers.stream()
                        .mapToDouble(number -> (number - mean) * (number - mean))
                        .sum()
                / numbers.size();
    }

    private static Aggregate scalar(Slot... slots) {
        return new Aggregate(List.of(), List.of(slots), true, false);
    }
}

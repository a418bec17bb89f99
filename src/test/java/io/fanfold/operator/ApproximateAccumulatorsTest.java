package io.fanfold.operator;

import static io.fanfold.operator.Merging.merge;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.fanfold.plan.MergeNode.Aggregate;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.VarianceFunction;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares sums of doubles, variances and ANY_VALUE with exact arithmetic, in many orders. */
class ApproximateAccumulatorsTest {
    private static final Aggregate SUM = scalar(new MergeFunction.SumDouble(0));

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
            List<String> straight = merge(SUM, partitions, 1, null);
            Collections.shuffle(partitions, random);
            assertThat(merge(SUM, partitions, 3, random)).isEqualTo(straight);
            assertThat(Double.parseDouble(straight.get(0)))
                    .isCloseTo(exact.doubleValue(), within(Math.ulp(exact.doubleValue())));
        }
    }

    @Test
    void numbersThatCancelLeaveTheSmallOne() throws Exception {
        assertThat(merge(SUM, List.of("1e100"), List.of("1"), List.of("-1e100")))
                .containsExactly("1.0");
        assertThat(merge(SUM, List.of("0.1"), List.of("0.2"), List.of("-0.3")))
                .containsExactly("2.7755575615628914E-17");
    }

    @Test
    void sumOfNothingIsNull() throws Exception {
        assertThat(merge(SUM)).containsExactly("NULL");
        assertThat(merge(SUM, List.of("NULL"), List.of("NULL"))).containsExactly("NULL");
        assertThat(merge(SUM, List.of("NULL"), List.of("2.5"))).containsExactly("2.5");
    }

    @Test
    void sumTooLargeForADoubleIsAnError() {
        assertThatThrownBy(() -> merge(SUM, List.of("1.7e308"), List.of("1.7e308")))
                .isInstanceOf(MergeException.class)
                .hasMessageContaining("too large");
        assertThatThrownBy(() -> merge(SUM, List.of("one"))).isInstanceOf(MergeException.class);
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
                    new MergeFunction.Variance(0, 1, 2, VarianceFunction.VAR_POP),
                    new MergeFunction.Variance(0, 1, 2, VarianceFunction.STDDEV_SAMP));
            String[] values = merge(spreads, partitions, 2, random).get(0).split("\\|", -1);
            double expected = variance(all);
            assertThat(Double.parseDouble(values[0])).isCloseTo(expected, within(1e-6 * expected));
            double sample = Math.sqrt(expected * all.size() / (all.size() - 1));
            assertThat(Double.parseDouble(values[1])).isCloseTo(sample, within(1e-6 * sample));
        }
    }

    @Test
    void spreadOfTooFewNumbersIsNull() throws Exception {
        Aggregate all = scalar(
                new MergeFunction.Variance(0, 1, 2, VarianceFunction.VAR_POP),
                new MergeFunction.Variance(0, 1, 2, VarianceFunction.VAR_SAMP),
                new MergeFunction.Variance(0, 1, 2, VarianceFunction.STDDEV_POP),
                new MergeFunction.Variance(0, 1, 2, VarianceFunction.STDDEV_SAMP));
        assertThat(merge(all, List.of("0|NULL|NULL"))).containsExactly("NULL|NULL|NULL|NULL");
        assertThat(merge(all, List.of("0|NULL|NULL"), List.of("1|7|0"))).containsExactly("0.0|NULL|0.0|NULL");
        assertThat(merge(all, List.of("1|3|0"), List.of("1|7|0"))).containsExactly("4.0|8.0|2.0|2.8284271247461903");
        assertThatThrownBy(() -> merge(all, List.of("2|NULL|NULL"))).isInstanceOf(MergeException.class);
    }

    @Test
    void anyValueIsThatOfTheFirstPartition() throws Exception {
        List<List<String>> partitions = List.of(List.of("NULL"), List.of("b", "c"), List.of("a"));
        for (int seed = 0; seed < 10; seed++) {
            Random random = new Random(seed);
            assertThat(merge(scalar(new MergeFunction.AnyValue(0, false)), partitions, 2, random))
                    .containsExactly("NULL");
            assertThat(merge(scalar(new MergeFunction.AnyValue(0, true)), partitions, 2, random))
                    .containsExactly("b");
        }
        assertThat(merge(scalar(new MergeFunction.AnyValue(0, true)))).containsExactly("NULL");
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

    private static Aggregate scalar(MergeFunction... accumulators) {
        return new Aggregate(List.of(), List.of(accumulators), true, false);
    }
}

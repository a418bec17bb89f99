package io.fanfold.operator;

import static io.fanfold.operator.Merging.key;
import static io.fanfold.operator.Merging.merge;
import static io.fanfold.operator.Merging.padded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.plan.MergeNode.Aggregate;
import io.fanfold.plan.MergeNode.Average;
import io.fanfold.plan.MergeNode.BitOperation;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.GroupOrder;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.SortColumn;
import io.fanfold.plan.SortKey.KeyComparison;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AggregateTest {
    private static final List<String> EMPTY = List.of();

    private static Aggregate scalar(MergeFunction... accumulators) {
        return new Aggregate(List.of(), List.of(accumulators), true, false);
    }

    private static Aggregate grouped(GroupKey key, MergeFunction... accumulators) {
        return new Aggregate(List.of(key), List.of(accumulators), false, false);
    }

    private static GroupKey plainKey(int column) {
        return new GroupKey(column, key(column, KeyComparison.BYTES));
    }

    private static MergeFunction.Sum sum(int column) {
        return new MergeFunction.Sum(column, false);
    }

    private static MergeFunction.Sum count(int column) {
        return new MergeFunction.Sum(column, true);
    }

    private static MergeFunction.Min min(int column, KeyComparison comparison) {
        return new MergeFunction.Min(column, key(column, comparison));
    }

    private static MergeFunction.Max max(int column, KeyComparison comparison) {
        return new MergeFunction.Max(column, key(column, comparison));
    }

    @Nested
    class WithoutGroups {
        private final Aggregate everySlot = scalar(
                count(0),
                sum(0),
                min(0, KeyComparison.NUMBER),
                max(0, KeyComparison.NUMBER),
                new MergeFunction.Bits(0, BitOperation.AND),
                new MergeFunction.Bits(0, BitOperation.OR),
                new MergeFunction.Bits(0, BitOperation.XOR),
                new MergeFunction.CountDistinct(List.of(key(0, KeyComparison.NUMBER))),
                new MergeFunction.SumDistinct(key(0, KeyComparison.NUMBER), 0));

        private static final String NEUTRAL = "0|NULL|NULL|NULL|18446744073709551615|0|0|0|NULL";

        @Test
        void noPartitionGivesOneRow() throws Exception {
            assertThat(merge(everySlot)).containsExactly(NEUTRAL);
        }

        @Test
        void emptyPartitionsGiveOneRow() throws Exception {
            assertThat(merge(everySlot, EMPTY, EMPTY)).containsExactly(NEUTRAL);
        }

        @Test
        void nullsDoNotCount() throws Exception {
            assertThat(merge(everySlot, List.of("NULL", "NULL"), List.of("NULL")))
                    .containsExactly(NEUTRAL);
        }

        @Test
        void foldsEachSlot() throws Exception {
            assertThat(merge(everySlot, List.of("12", "NULL"), EMPTY, List.of("7"), List.of("12")))
                    .containsExactly("31|31|7|12|4|15|7|2|19");
        }
    }

    @Nested
    class Groups {
        @Test
        void keysThatFollowFromOthersAreNotCompared() throws Exception {
            GroupKey shown = GroupKey.dependent(1);
            Aggregate node = new Aggregate(List.of(plainKey(0), shown), List.of(count(2)), false, false);
            List<List<String>> partitions =
                    List.of(List.of("b|Bert|2", "a|Anna|1", "NULL|NULL|4"), List.of("a|Anna|5", "b|Bert|1"));
            for (int workers = 1; workers <= 2; workers++) {
                assertThat(merge(node, partitions, workers, null))
                        .containsExactlyInAnyOrder("a|Anna|6", "b|Bert|3", "NULL|NULL|4");
            }
        }

        @Test
        void theyDoNotChangeTheOrder() throws Exception {
            List<GroupKey> keys = List.of(plainKey(0), GroupKey.dependent(1), plainKey(2));
            List<String> one = List.of("b|y|1|1", "a|z|2|1");
            List<String> other = List.of("a|z|1|1", "b|y|1|1");
            assertThat(merge(new Aggregate(keys, List.of(count(3)), false, true), one, other))
                    .containsExactly("a|z|1|1", "a|z|2|1", "b|y|1|2");
            // the group is sorted by a key that comes after one that is not compared
            GroupOrder descending =
                    new GroupOrder(List.of(new SortColumn(2, true), new SortColumn(0, false)), 0, Long.MAX_VALUE);
            assertThat(merge(new Aggregate(keys, List.of(count(3)), List.of(), false, descending), one, other))
                    .containsExactly("a|z|2|1", "a|z|1|1", "b|y|1|2");
        }

        @Test
        void noRowsGiveNoGroups() throws Exception {
            assertThat(merge(grouped(plainKey(0), count(1)))).isEmpty();
            assertThat(merge(grouped(plainKey(0), count(1)), EMPTY, EMPTY)).isEmpty();
        }

        /** MariaDB's order: NULL first, then ascending, independent of the partition that had a key first. */
        @Test
        void comeInTheOrderOfTheirKeysWhereThatIsWanted() throws Exception {
            Aggregate sorted = new Aggregate(
                    List.of(new GroupKey(0, key(0, KeyComparison.NUMBER)), new GroupKey(1, padded(1, " "))),
                    List.of(count(2)),
                    false,
                    true);
            List<List<String>> partitions = List.of(
                    List.of("10|b|1", "9|x|1", "NULL|y|1"),
                    EMPTY,
                    List.of("-3|b|2", "10|a|5", "9|NULL|1"),
                    List.of("10|b|4", "10|ab|1"));
            for (int workers = 1; workers <= 3; workers++) {
                assertThat(merge(sorted, partitions, workers, new Random(workers)))
                        .containsExactly("NULL|y|1", "-3|b|2", "9|NULL|1", "9|x|1", "10|a|5", "10|ab|1", "10|b|5");
            }
        }

        @Test
        void addUpOverPartitions() throws Exception {
            assertThat(merge(
                            grouped(plainKey(0), count(1), sum(2)),
                            List.of("a|2|1.50", "b|1|-0.25"),
                            List.of("c|1|NULL"),
                            List.of("b|3|0.20", "a|1|0.50")))
                    .containsExactly("a|3|2.00", "b|4|-0.05", "c|1|NULL");
        }

        /** A sum is a long as long as it fits into one. */
        @Test
        void addUpBeyondTheRangeOfALong() throws Exception {
            List<List<String>> partitions = List.of(
                    List.of("a|9223372036854775807", "a|1", "b|-9223372036854775808", "b|-1", "c|9223372036854775807"),
                    List.of("c|9223372036854775807", "d|-9223372036854775808", "e|92233720368547758.07"),
                    List.of("c|-1", "d|-9223372036854775808", "e|0.01", "f|9223372036854775806", "f|1"),
                    List.of("f|-9223372036854775807", "e|-0.001"));
            List<String> sums = List.of(
                    "a|9223372036854775808",
                    "b|-9223372036854775809",
                    "c|18446744073709551613",
                    "d|-18446744073709551616",
                    "e|92233720368547758.079",
                    "f|0");
            for (int workers = 1; workers <= 4; workers++) {
                assertThat(merge(grouped(plainKey(0), sum(1)), partitions, workers, null))
                        .as("%d workers", workers)
                        .containsExactlyInAnyOrderElementsOf(sums);
            }
        }

        /** Numbers of 18 digits are read as longs; ten of them are more than a long holds. */
        @Test
        void manyLongsAddUpBeyondTheRangeOfALong() throws Exception {
            List<String> six = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                six.addAll(List.of("a|999999999999999999", "b|-999999999999999999", "c|9999999999999999.99"));
            }
            for (int workers = 1; workers <= 2; workers++) {
                assertThat(merge(grouped(plainKey(0), sum(1)), List.of(six, six), workers, null))
                        .as("%d workers", workers)
                        .containsExactlyInAnyOrder(
                                "a|11999999999999999988", "b|-11999999999999999988", "c|119999999999999999.88");
            }
        }

        @Test
        void averagesDivideSumsBeyondTheRangeOfALong() throws Exception {
            Aggregate average = new Aggregate(
                    List.of(plainKey(0)),
                    List.of(sum(1), count(2)),
                    List.of(new Average(0, 1, 9, 4)),
                    false,
                    GroupOrder.NONE);
            assertThat(merge(
                            average,
                            List.of("a|9223372036854775807|2", "b|1.5|1", "c|NULL|0"),
                            List.of("a|9223372036854775807|2", "b|-4.25|3", "c|NULL|0")))
                    .containsExactlyInAnyOrder(
                            "a|18446744073709551614|4|4611686018427387903.5000", "b|-2.75|4|-0.6875", "c|NULL|0|NULL");
        }

        @Test
        void averagesDivideByCountsBeyondTheRangeOfALong() throws Exception {
            Aggregate average = new Aggregate(
                    List.of(plainKey(0)),
                    List.of(sum(1), count(2)),
                    List.of(new Average(0, 1, 27, 24)),
                    false,
                    GroupOrder.NONE);
            assertThat(merge(
                            average,
                            List.of("a|1|9223372036854775807", "b|9223372036854775807|9223372036854775807"),
                            List.of("a|3|9223372036854775807", "b|9223372036854775807|9223372036854775807")))
                    .containsExactly(
                            "a|4|18446744073709551614|0.000000000000000000216840",
                            "b|18446744073709551614|18446744073709551614|1.000000000000000000000000");
        }

        @Test
        void nullIsAGroupOfItsOwn() throws Exception {
            assertThat(merge(grouped(plainKey(0), count(1)), List.of("NULL|2", "|1"), List.of("NULL|5")))
                    .containsExactly("NULL|7", "|1");
        }

        @Test
        void keysAreNotJoinedToOneString() throws Exception {
            Aggregate node = new Aggregate(List.of(plainKey(0), plainKey(1)), List.of(count(2)), false, false);
            assertThat(merge(node, List.of("ab|c|1", "a|bc|1", "|abc|1", "abc||1", "NULL|abc|1", "ab|c|1")))
                    .containsExactly("ab|c|2", "a|bc|1", "|abc|1", "abc||1", "NULL|abc|1");
        }

        @Test
        void withoutKeysGiveNoRowForNoInput() throws Exception {
            Aggregate constantKey = new Aggregate(List.of(), List.of(count(0)), false, false);
            assertThat(merge(constantKey, EMPTY)).isEmpty();
            assertThat(merge(constantKey, List.of("1"), List.of("2"))).containsExactly("3");
        }

        @Test
        void equalWeightsAreOneGroupShownByTheFirstPartitionsRow() throws Exception {
            Aggregate node = grouped(new GroupKey(0, key(1, KeyComparison.WEIGHT)), count(2));
            List<List<String>> partitions = List.of(List.of("a|A|1"), List.of("A|A|1", "b|B|1"), List.of("á|A|1"));
            assertThat(merge(node, partitions, 1, null)).containsExactly("a|3", "b|1");
            assertThat(merge(node, partitions, 3, null)).containsExactly("a|3", "b|1");
        }

        @Test
        void groupsComeInPartitionOrderWhoeverWasFirst() throws Exception {
            Aggregate node = grouped(plainKey(0), count(1));
            MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
            try (Merge merge = Merge.of(node, budget)) {
                PartialMerge partial = merge.newPartial();
                partial.partitionStarts(2);
                partial.add(Merging.row("z|1"));
                partial.add(Merging.row("y|1"));
                partial.partitionStarts(0);
                partial.add(Merging.row("x|1"));
                partial.add(Merging.row("y|1"));
                MergedRows rows = merge.combine(List.of(partial));
                assertThat(Merging.lines(rows)).containsExactly("x|1", "y|2", "z|1");
            }
        }

        @ParameterizedTest
        @CsvSource({
            "NUMBER, 1.0, 1.00",
            "NUMBER, -0.0, 0",
            "NUMBER, 007, 7",
            "NUMBER, 100, 100.000",
            "DOUBLE, 1e3, 1000",
            "DOUBLE, 0.1, 1e-1",
            "TIME, 00:00:00, -00:00:00",
            "TIME, 12:00:00.5, 12:00:00.500000",
            "TIME, 012:00:00, 12:00:00",
        })
        void equalNumbersAreOneGroup(KeyComparison comparison, String a, String b) throws Exception {
            Aggregate node = grouped(new GroupKey(0, key(0, comparison)), count(1));
            assertThat(merge(node, List.of(a + "|1", b + "|1"))).containsExactly(a + "|2");
        }

        /** Servers group it with 0 in some plans and versions, and not in others. */
        @ParameterizedTest
        @CsvSource({"-0", "-0.0", "-0e5"})
        void aDoubleOfMinusZeroIsRefusedAsAKey(String zero) {
            Aggregate node = grouped(new GroupKey(0, key(0, KeyComparison.DOUBLE)), count(1));
            assertThatThrownBy(() -> merge(node, List.of("0|1", zero + "|1")))
                    .isInstanceOfSatisfying(
                            MergeException.class,
                            e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.MALFORMED_VALUE));
        }

        @Test
        void trailingBlanksDoNotCountUnderPadSpace() throws Exception {
            Aggregate node = grouped(new GroupKey(0, padded(1, "\0 ")), count(2));
            assertThat(merge(
                            node,
                            List.of(
                                    "a|\0A|1",
                                    "a |\0A\0 |1",
                                    "a  |\0A\0 \0 |1",
                                    " |\0 |1",
                                    "||1",
                                    " a|\0 \0A|1",
                                    "a\t|\0A\0\t|1")))
                    .containsExactly("a|3", " |2", " a|1", "a\t|1");
        }
    }

    @Nested
    class Sums {
        @ParameterizedTest
        @CsvSource({
            "9223372036854775807, 1, 9223372036854775808",
            "18446744073709551615, 18446744073709551615, 36893488147419103230",
            "0.01, -0.01, 0.00",
            "9999999999999999999999999999999999999999999999999999999999999999, -1,"
                    + " 9999999999999999999999999999999999999999999999999999999999999998",
        })
        void areExact(String a, String b, String expected) throws Exception {
            assertThat(merge(scalar(sum(0)), List.of(a), List.of(b))).containsExactly(expected);
            assertThat(merge(scalar(sum(0)), List.of(List.of(a), List.of(b)), 2, null))
                    .containsExactly(expected);
        }

        @Test
        void beyondADecimalAreRefused() {
            String largest = "9".repeat(65);
            assertThatThrownBy(() -> merge(scalar(sum(0)), List.of(largest), List.of("1")))
                    .isInstanceOfSatisfying(
                            MergeException.class,
                            e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.TOO_LARGE));
        }

        @Test
        void mayHaveAllDigitsOfADecimalAndNotOneMore() throws Exception {
            List<String> values =
                    IntStream.range(80, 92).mapToObj(i -> "9".repeat(62) + i).toList();
            String ten = new BigInteger("9".repeat(62) + "80")
                    .multiply(BigInteger.TEN)
                    .add(BigInteger.valueOf(45))
                    .toString();
            assertThat(ten).hasSize(65);
            for (MergeFunction accumulator :
                    List.of(sum(0), new MergeFunction.SumDistinct(key(0, KeyComparison.NUMBER), 0))) {
                assertThat(merge(scalar(accumulator), values.subList(0, 10))).containsExactly(ten);
                assertThatThrownBy(() -> merge(scalar(accumulator), values))
                        .isInstanceOfSatisfying(
                                MergeException.class,
                                e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.TOO_LARGE));
            }
        }

        @Test
        void ofPartialSumsThatTheServerMayHaveClampedAreRefused() {
            assertThatThrownBy(() -> merge(scalar(sum(0)), List.of("9".repeat(65)), List.of("-" + "9".repeat(64))))
                    .isInstanceOfSatisfying(
                            MergeException.class,
                            e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.TOO_LARGE));
        }

        @Test
        void ofTextAreRefusedByName() {
            assertThatThrownBy(() -> merge(scalar(sum(1)), List.of("x|12e")))
                    .isInstanceOf(MergeException.class)
                    .hasMessage("column 1: expected an exact number, found \"12e\"");
        }
    }

    @Nested
    class Extremes {
        @ParameterizedTest
        @CsvSource({
            "NUMBER, 9, 10, -11, -11, 10",
            "NUMBER, 0.5, 0.05, -0.05, -0.05, 0.5",
            "NUMBER, 18446744073709551615, 9223372036854775808, -9223372036854775808, -9223372036854775808,"
                    + " 18446744073709551615",
            "NUMBER, 0.00, -0.00, 0.00, -0.00, 0.00",
            "NUMBER, -0.00, -1.00, -0.00, -1.00, -0.00",
            "DOUBLE, 1e10, 9, -1e-300, -1e-300, 1e10",
            "TIME, -01:00:00, 838:59:59, 99:00:00.000001, -01:00:00, 838:59:59",
            "TIME, -00:00:00.5, -00:00:01, 00:00:00, -00:00:01, 00:00:00",
            "BYTES, 2024-01-31, 2024-01-30, 0000-00-00, 0000-00-00, 2024-01-31",
            "WEIGHT, b, ab, abc, ab, b",
        })
        void followTheComparison(KeyComparison comparison, String a, String b, String c, String least, String most)
                throws Exception {
            Aggregate node = scalar(min(0, comparison), max(0, comparison));
            assertThat(merge(node, List.of(a), List.of("NULL", b), List.of(c))).containsExactly(least + "|" + most);
            assertThat(merge(node, List.of(List.of(c), List.of(b), List.of(a)), 3, null))
                    .containsExactly(least + "|" + most);
        }

        @Test
        void showTheValueNotItsWeight() throws Exception {
            Aggregate node = scalar(
                    new MergeFunction.Min(0, key(1, KeyComparison.WEIGHT)),
                    new MergeFunction.Max(0, key(1, KeyComparison.WEIGHT)));
            assertThat(merge(node, List.of("b|\u0002"), List.of("A|\u0001", "c|\u0003")))
                    .containsExactly("A|c");
        }

        @Test
        void ofEqualValuesTheFirstInTheOrderOfPartitionsIsKept() throws Exception {
            Aggregate node = scalar(
                    new MergeFunction.Min(0, key(1, KeyComparison.WEIGHT)),
                    new MergeFunction.Max(0, key(1, KeyComparison.WEIGHT)));
            assertThat(merge(node, List.of("a|w", "A|w"))).containsExactly("a|a");
            assertThat(merge(node, List.of(List.of("A|w"), List.of("a|w")), 2, null))
                    .containsExactly("A|A");
            assertThat(merge(node, List.of(List.of("a|w"), List.of("A|w")), 2, null))
                    .containsExactly("a|a");
        }

        @Test
        void mayBeEmptyTexts() throws Exception {
            Aggregate node = scalar(
                    new MergeFunction.Min(0, key(0, KeyComparison.BYTES)),
                    new MergeFunction.Max(0, key(0, KeyComparison.BYTES)));
            assertThat(merge(node, List.of("|", "|"), List.of("|", "a|"))).containsExactly("|a");
        }

        @ParameterizedTest
        @ValueSource(strings = {"a|NULL", "NULL|a"})
        void refuseAValueWithoutItsWeight(String line) {
            Aggregate node = scalar(new MergeFunction.Min(0, key(1, KeyComparison.WEIGHT)));
            assertThatThrownBy(() -> merge(node, List.of(line)))
                    .isInstanceOfSatisfying(
                            MergeException.class,
                            e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.KEY_MISSING));
        }
    }

    @Nested
    class Bits {
        @ParameterizedTest
        @EnumSource(BitOperation.class)
        void coverAllOf64Bits(BitOperation operation) throws Exception {
            String expected = operation == BitOperation.AND
                    ? "9223372036854775808"
                    : operation == BitOperation.OR ? "18446744073709551615" : "9223372036854775807";
            assertThat(merge(
                            scalar(new MergeFunction.Bits(0, operation)),
                            List.of("18446744073709551615"),
                            List.of("9223372036854775808")))
                    .containsExactly(expected);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"", "-1", "18446744073709551616", "99999999999999999999", "1.0", "a", "184467440737095516150"
                })
        void refuseAllElse(String text) {
            assertThatThrownBy(() -> merge(scalar(new MergeFunction.Bits(0, BitOperation.OR)), List.of(text)))
                    .isInstanceOfSatisfying(
                            MergeException.class,
                            e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.MALFORMED_VALUE));
        }
    }

    @Nested
    class Distinct {
        @Test
        void countsTuplesOnceOverPartitionsAndSkipsNulls() throws Exception {
            MergeFunction pairs =
                    new MergeFunction.CountDistinct(List.of(key(1, KeyComparison.BYTES), key(2, KeyComparison.NUMBER)));
            assertThat(merge(
                            grouped(plainKey(0), pairs),
                            List.of("g|a|1", "g|a|2", "g|NULL|1", "h|a|NULL"),
                            List.of("g|a|1.0", "g|b|1", "g|b|NULL", "h|NULL|NULL")))
                    .containsExactly("g|3", "h|0");
        }

        @Test
        void sumsEachValueOnce() throws Exception {
            MergeFunction sum = new MergeFunction.SumDistinct(key(0, KeyComparison.NUMBER), 0);
            MergeFunction count = new MergeFunction.CountDistinct(List.of(Merging.descending(0, KeyComparison.NUMBER)));
            List<List<String>> partitions = List.of(
                    List.of("1.50", "-2.00", "NULL"), List.of("1.50", "100.00", "-2.00", "0.00"), List.of("0.00"));
            for (int workers = 1; workers <= 3; workers++) {
                assertThat(merge(scalar(sum, count), partitions, workers, null)).containsExactly("99.50|4");
            }
        }

        @Test
        void sumsWithTheWidestScaleOfAllWorkers() throws Exception {
            MergeFunction sum = new MergeFunction.SumDistinct(key(0, KeyComparison.NUMBER), 0);
            assertThat(merge(scalar(sum), List.of(List.of("2", "3"), List.of("1.50")), 2, null))
                    .containsExactly("6.50");
        }

        @Test
        void sumsHaveTheDecimalsOfTheirType() throws Exception {
            MergeFunction sum = new MergeFunction.SumDistinct(key(0, KeyComparison.NUMBER), 4);
            assertThat(merge(scalar(sum), List.of(List.of("100.0"), List.of("100.0")), 2, null))
                    .containsExactly("100.0000");
            assertThat(merge(scalar(sum), List.of(List.of("NULL")), 1, null)).containsExactly("NULL");
        }

        @Test
        void sumsFractionsOfAllSizes() throws Exception {
            MergeFunction sum = new MergeFunction.SumDistinct(key(0, KeyComparison.NUMBER), 0);
            List<List<String>> workers = List.of(
                    List.of("0.05", "-0.25", "3", "0"),
                    List.of("-0.25", "0.50", "-12.75"),
                    List.of("0.05", "100.5", "0"));
            for (int number = 1; number <= 3; number++) {
                assertThat(Merging.merge(scalar(sum), workers, number, null)).containsExactly("91.05");
            }
        }

        @Test
        void severalOfOneArgumentAndOfOthersAreToldApart() throws Exception {
            Aggregate node = scalar(
                    new MergeFunction.CountDistinct(List.of(key(0, KeyComparison.NUMBER))),
                    new MergeFunction.SumDistinct(key(0, KeyComparison.NUMBER), 0),
                    new MergeFunction.CountDistinct(List.of(key(1, KeyComparison.NUMBER))),
                    new MergeFunction.SumDistinct(key(1, KeyComparison.NUMBER), 0),
                    new MergeFunction.CountDistinct(List.of(key(0, KeyComparison.BYTES))),
                    new MergeFunction.CountDistinct(
                            List.of(key(0, KeyComparison.NUMBER), key(1, KeyComparison.NUMBER))));
            List<List<String>> partitions = List.of(List.of("1|5", "01|5", "2|7"), List.of("1|7", "3|7", "1|5"));
            for (int workers = 1; workers <= 2; workers++) {
                assertThat(Merging.merge(node, partitions, workers, null)).containsExactly("3|6|2|12|4|4");
            }
        }

        @Test
        void sumsBeyondLong() throws Exception {
            MergeFunction sum = new MergeFunction.SumDistinct(key(0, KeyComparison.NUMBER), 0);
            List<List<String>> partitions = List.of(
                    List.of("18446744073709551615"), List.of("18446744073709551615", "-9", "18446744073709551614"));
            assertThat(merge(scalar(sum), partitions, 1, null)).containsExactly("36893488147419103220");
            assertThat(merge(scalar(sum), partitions, 2, null)).containsExactly("36893488147419103220");
        }

        @Test
        void countsManyValues() throws Exception {
            MergeFunction count = new MergeFunction.CountDistinct(List.of(key(0, KeyComparison.NUMBER)));
            List<String> thousand =
                    IntStream.range(0, 1000).mapToObj(Integer::toString).toList();
            assertThat(merge(scalar(count), List.of(thousand, thousand, List.of("1000")), 2, null))
                    .containsExactly("1001");
        }

        @Test
        void sumsNeedOneNumber() {
            Aggregate node = scalar(new MergeFunction.SumDistinct(key(0, KeyComparison.BYTES), 0));
            assertThatThrownBy(() -> merge(node)).isInstanceOf(IllegalArgumentException.class);
            Aggregate nothing = scalar(new MergeFunction.CountDistinct(List.of()));
            assertThatThrownBy(() -> merge(nothing)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Nested
    class Shapes {
        @Test
        void partitionsAreNumberedAsFarAsRanksReach() throws Exception {
            MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
            try (Merge merge = Merge.of(scalar(new MergeFunction.Sum(0, true)), budget)) {
                PartialMerge partial = merge.newPartial();
                partial.partitionStarts((1 << 21) - 1);
                assertThatThrownBy(() -> partial.partitionStarts(1 << 21)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> partial.partitionStarts(-1)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> partial.partitionStarts((1 << 21) - 1))
                        .isInstanceOf(IllegalStateException.class);
            }
        }

        @Test
        void withoutAnyThreadThereIsTheRowOfNoInput() throws Exception {
            MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
            try (Merge merge = Merge.of(scalar(new MergeFunction.Sum(0, true)), budget)) {
                assertThat(Merging.lines(merge.combine(List.of()))).containsExactly("0");
            }
        }

        @Test
        void rowsNeedTheColumnsOfThePlan() {
            for (Aggregate node : List.of(
                    scalar(sum(1)),
                    scalar(new MergeFunction.Min(0, key(1, KeyComparison.WEIGHT))),
                    scalar(new MergeFunction.Max(1, key(0, KeyComparison.WEIGHT))),
                    scalar(new MergeFunction.Bits(1, BitOperation.OR)),
                    scalar(new MergeFunction.CountDistinct(List.of(key(1, KeyComparison.BYTES)))),
                    scalar(new MergeFunction.SumDistinct(key(1, KeyComparison.NUMBER), 0)),
                    grouped(plainKey(1)),
                    grouped(new GroupKey(0, key(1, KeyComparison.WEIGHT))))) {
                assertThatThrownBy(() -> merge(node, List.of("1")))
                        .isInstanceOf(MergeException.class)
                        .hasMessage("a row has 1 columns, expected at least 2");
            }
        }

        @Test
        void rowsOfOneFoldAreAlike() {
            Aggregate node = scalar(sum(0));
            assertThatThrownBy(() -> merge(node, List.of("1|1", "1")))
                    .isInstanceOf(MergeException.class)
                    .hasMessage("a row has 1 columns, expected 2 as before");
            assertThatThrownBy(() -> merge(node, List.of(List.of("1|1"), List.of("1")), 2, null))
                    .isInstanceOf(MergeException.class)
                    .hasMessageContaining("rows have");
        }

        @ParameterizedTest
        @ValueSource(strings = {"a|NULL|1", "NULL|a|1"})
        void aGroupNeedsValueAndWeight(String line) {
            Aggregate node = grouped(new GroupKey(0, key(1, KeyComparison.WEIGHT)), count(2));
            assertThatThrownBy(() -> merge(node, List.of(line)))
                    .isInstanceOfSatisfying(
                            MergeException.class,
                            e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.KEY_MISSING));
        }
    }
}

package io.fanfold.operator;

import static io.fanfold.operator.Merging.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.row.ExactDecimal;
import io.fanfold.row.RowBuilder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GroupSumsTest {
    /** The first is NULL without a number, the second is 0. */
    private static final List<MergeFunction.Sum> SUMS =
            List.of(new MergeFunction.Sum(0, false), new MergeFunction.Sum(1, true));

    private static final List<String> NINE_LARGE = Collections.nCopies(9, "999999999999999999");
    private static final List<String> NINE_SMALL = Collections.nCopies(9, "-999999999999999999");

    private final Store store = new Store();

    /** The sums of some groups, each of which is given by its record. */
    private static final class Store {
        final GroupRecords records =
                new GroupRecords(new BudgetShare(MemoryBudget.ofProcess(Merging.PLENTY)), SUMS.size(), false);
        final GroupSums sums = new GroupSums(SUMS, records);

        int group() throws Exception {
            return records.place(new byte[0], 0, 0, new byte[0], 0, 0, 1);
        }

        int group(List<String> first, List<String> second) throws Exception {
            int record = group();
            for (String number : first) {
                sums.add(record, row(number + "|NULL"));
            }
            for (String number : second) {
                sums.add(record, row("NULL|" + number));
            }
            return record;
        }

        String text(int record) {
            RowBuilder builder = new RowBuilder();
            sums.write(record, 0, builder);
            sums.write(record, 1, builder);
            return Merging.line(builder.toRow());
        }

        /** The heap of a group's sums that are objects. */
        long objectBytes(int record) {
            long bytes = 0;
            for (int sum = 0; sum < SUMS.size(); sum++) {
                if (sums.shortScale(record, sum) < 0) {
                    bytes += HeapSize.REFERENCE + sums.sum(record, sum).heapBytes();
                }
            }
            return bytes;
        }
    }

    private static List<String> and(List<String> numbers, String... more) {
        List<String> all = new ArrayList<>(numbers);
        all.addAll(List.of(more));
        return all;
    }

    /** Numbers, their sum, and whether it is stored as a long. */
    static Stream<Arguments> additions() {
        return Stream.of(
                Arguments.of(List.of("1", "2"), "3", true),
                Arguments.of(List.of("7"), "7", true),
                Arguments.of(List.of("-7", "5"), "-2", true),
                Arguments.of(List.of("1.50", "-0.25"), "1.25", true),
                Arguments.of(List.of("0.00", "-0.00"), "0.00", true),
                Arguments.of(List.of("0." + "0".repeat(61) + "5"), "0." + "0".repeat(61) + "5", true),
                Arguments.of(List.of("1", "0.5"), "1.5", false),
                Arguments.of(List.of("0.5", "1", "2.25"), "3.75", false),
                Arguments.of(List.of("1234567890123456789"), "1234567890123456789", false),
                Arguments.of(List.of("5", "1234567890123456789", "5"), "1234567890123456799", false),
                Arguments.of(List.of("99999999999999999.99", "0.01"), "100000000000000000.00", false),
                Arguments.of(and(NINE_LARGE, "223372036854775816"), "9223372036854775807", true),
                Arguments.of(and(NINE_LARGE, "223372036854775817"), "9223372036854775808", false),
                Arguments.of(and(NINE_LARGE, "223372036854775817", "-1"), "9223372036854775807", false),
                Arguments.of(and(NINE_SMALL, "-223372036854775817"), "-9223372036854775808", true),
                Arguments.of(and(NINE_SMALL, "-223372036854775818"), "-9223372036854775809", false));
    }

    /** Sums of other groups, so that the numbers of objects differ in each store. */
    @BeforeEach
    void otherGroups() throws Exception {
        store.group(List.of("1", "0.5"), List.of("0.5", "2"));
    }

    @Test
    void withoutANumberASumIsNullOrZero() throws Exception {
        int record = store.group();
        store.sums.add(record, row("NULL|NULL"));
        for (int sum = 0; sum < SUMS.size(); sum++) {
            assertThat(store.sums.none(record, sum)).isTrue();
            assertThat(store.sums.shortScale(record, sum)).isZero();
            assertThat(store.sums.shortSum(record, sum)).isZero();
            assertThat(store.sums.sum(record, sum)).hasToString("0");
        }
        assertThat(store.text(record)).isEqualTo("NULL|0");
        store.sums.add(record, row("0|0.0"));
        assertThat(List.of(store.sums.none(record, 0), store.sums.none(record, 1)))
                .containsExactly(false, false);
        assertThat(store.text(record)).isEqualTo("0|0.0");
    }

    @ParameterizedTest
    @MethodSource("additions")
    void numbersAddUpExactly(List<String> numbers, String expected, boolean isLong) throws Exception {
        long before = store.sums.heapBytes();
        int record = store.group(numbers, List.of());
        assertThat(store.text(record)).isEqualTo(expected + "|0");
        assertThat(store.sums.sum(record, 0)).hasToString(expected);
        assertThat(store.sums.shortScale(record, 0) >= 0).isEqualTo(isLong);
        assertThat(store.sums.heapBytes() - before).isEqualTo(store.objectBytes(record));
        int second = store.group(List.of(), numbers);
        assertThat(store.text(second)).isEqualTo("NULL|" + expected);
        int both = store.group(numbers, numbers);
        assertThat(store.text(both)).isEqualTo(expected + "|" + expected);
        assertThat(store.text(record)).as("another group").isEqualTo(expected + "|0");
    }

    @ParameterizedTest
    @MethodSource("additions")
    void sumsOfTwoThreadsAddUpExactly(List<String> numbers, String expected) throws Exception {
        for (int cut = 0; cut <= numbers.size(); cut++) {
            Store other = new Store();
            List<String> here = numbers.subList(0, cut);
            List<String> there = numbers.subList(cut, numbers.size());
            int record = store.group(here, there);
            int theirs = other.group(there, here);
            String before = other.text(theirs);
            long held = store.sums.heapBytes() - store.objectBytes(record);
            store.sums.merge(record, other.sums, theirs);
            assertThat(store.text(record)).as("cut after %d", cut).isEqualTo(expected + "|" + expected);
            assertThat(store.sums.heapBytes() - held).isEqualTo(store.objectBytes(record));
            assertThat(other.text(theirs)).as("the sums that were added").isEqualTo(before);
        }
    }

    @ParameterizedTest
    @MethodSource("additions")
    void copiedRecordsTakeTheirObjectsWithThem(List<String> numbers, String expected) throws Exception {
        Store other = new Store();
        int theirs = other.group(numbers, numbers);
        long before = store.sums.heapBytes();
        int record = store.records.copy(other.records, theirs);
        store.sums.adopt(record, other.sums);
        other.sums.clear();
        assertThat(other.sums.heapBytes()).isZero();
        assertThat(store.text(record)).isEqualTo(expected + "|" + expected);
        assertThat(store.sums.heapBytes() - before).isEqualTo(store.objectBytes(record));
        store.sums.add(record, row("1|-1"));
        assertThat(store.sums.heapBytes() - before).isEqualTo(store.objectBytes(record));
    }

    /** Zeros after the point are digits of a DECIMAL too. */
    @ParameterizedTest
    @ValueSource(strings = {"", "-"})
    void aSumHasAtMostTheDigitsOfADecimal(String sign) throws Exception {
        String digits = sign + "9".repeat(63);
        int largest = store.group(Collections.nCopies(100, digits), List.of());
        store.sums.check(largest);
        assertThat(store.text(largest)).hasSize(sign.length() + 65 + "|0".length());
        int tooLarge = store.group(List.of("1"), Collections.nCopies(1000, digits));
        assertThatThrownBy(() -> store.sums.check(tooLarge))
                .isInstanceOfSatisfying(
                        MergeException.class,
                        e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.TOO_LARGE))
                .hasMessage("a sum has 66 digits, a DECIMAL holds at most 65");
    }

    @Test
    void sumsWithinTheLimitAreNotRefused() throws Exception {
        store.sums.check(store.group());
        store.sums.check(store.group(NINE_LARGE, List.of("0." + "0".repeat(62))));
        store.sums.check(store.group(List.of("9".repeat(64)), List.of("1", "0." + "0".repeat(62))));
    }

    /** A server sends 65 digits for any larger sum. */
    @ParameterizedTest
    @ValueSource(strings = {"9", "-9.9", "0.0"})
    void aPartialSumThatTheServerMayHaveClampedIsRefused(String start) throws Exception {
        int record = store.group();
        String longest = (start + "9".repeat(64)).substring(0, 64);
        store.sums.add(record, row(longest + "|NULL"));
        ExactDecimal sum = new ExactDecimal();
        GroupSums.add(sum, row("NULL|" + longest), 1);
        assertThat(store.text(record)).isEqualTo(sum + "|0");
        for (String line : List.of(longest + "0|NULL", "NULL|" + longest + "0")) {
            assertThatThrownBy(() -> store.sums.add(record, row(line)))
                    .isInstanceOfSatisfying(
                            MergeException.class,
                            e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.TOO_LARGE));
        }
        assertThatThrownBy(() -> GroupSums.add(sum, row(longest + "0"), 0))
                .isInstanceOfSatisfying(
                        MergeException.class,
                        e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.TOO_LARGE));
    }

    @Test
    void aTextIsRefusedWithItsColumn() throws Exception {
        int record = store.group();
        assertThatThrownBy(() -> store.sums.add(record, row("1|x")))
                .isInstanceOfSatisfying(
                        MergeException.class,
                        e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.MALFORMED_VALUE))
                .hasMessage("column 1: expected an exact number, found \"x\"");
    }
}

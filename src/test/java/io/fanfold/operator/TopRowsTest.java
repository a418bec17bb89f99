package io.fanfold.operator;

import static io.fanfold.operator.Merging.descending;
import static io.fanfold.operator.Merging.key;
import static io.fanfold.operator.Merging.merge;
import static io.fanfold.operator.Merging.padded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.plan.MergeNode.TopRows;
import io.fanfold.plan.SortKey;
import io.fanfold.plan.SortKey.KeyComparison;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TopRowsTest {
    private static final List<SortKey> BY_SECOND = List.of(key(1, KeyComparison.NUMBER));
    private static final List<String> EMPTY = List.of();

    private static TopRows top(List<SortKey> keys, long offset, long count, int visible) {
        return new TopRows(keys, offset, count, visible);
    }

    @Test
    void mergesSortedRunsAndCutsHiddenColumns() throws Exception {
        TopRows node = top(BY_SECOND, 0, 4, 1);
        assertThat(merge(node, List.of("a|1", "d|9"), EMPTY, List.of("b|2", "c|10", "e|11"), List.of("n|NULL")))
                .containsExactly("n", "a", "b", "d");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, ''",
        "0, 1, 1",
        "2, 2, 3 4",
        "5, 5, 6",
        "6, 1, ''",
        "7, 1, ''",
        "0, 9223372036854775807, 1 2 3 4 5 6",
        "9223372036854775807, 9223372036854775807, ''",
        "1, 9223372036854775807, 2 3 4 5 6",
    })
    void skipsTheOffsetOnceAndStopsAtTheCount(long offset, long count, String expected) throws Exception {
        TopRows node = top(List.of(key(0, KeyComparison.NUMBER)), offset, count, 1);
        List<List<String>> partitions = List.of(List.of("1", "4", "6"), List.of("2", "5"), List.of("3"));
        for (int workers = 1; workers <= 3; workers++) {
            assertThat(String.join(" ", merge(node, partitions, workers, null))).isEqualTo(expected);
        }
    }

    @Test
    void equalRowsAreOrderedByPartitionThenByArrival() throws Exception {
        TopRows node = top(BY_SECOND, 1, 3, 1);
        List<List<String>> partitions = List.of(List.of("a|1", "b|1"), List.of("c|1", "d|1"), List.of("e|0", "f|1"));
        for (int workers = 1; workers <= 3; workers++) {
            assertThat(merge(node, partitions, workers, null)).containsExactly("a", "b", "c");
        }
        MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
        try (Merge merge = Merge.of(node, budget)) {
            PartialMerge partial = merge.newPartial();
            for (int partition = 2; partition >= 0; partition--) {
                partial.partitionStarts(partition);
                for (String line : partitions.get(partition)) {
                    partial.add(Merging.row(line));
                }
            }
            assertThat(Merging.lines(merge.combine(List.of(partial)))).containsExactly("a", "b", "c");
        }
    }

    @Test
    void sortsByEachKeyInItsDirection() throws Exception {
        TopRows node = top(List.of(descending(0, KeyComparison.BYTES), key(1, KeyComparison.TIME)), 0, 10, 2);
        assertThat(merge(
                        node,
                        List.of("b|-01:00:00", "b|100:00:00", "ab|00:00:00", "a|NULL", "a|01:00:00", "NULL|01:00:00"),
                        List.of("b|NULL", "b|99:00:00", "|00:00:00")))
                .containsExactly(
                        "b|NULL",
                        "b|-01:00:00",
                        "b|99:00:00",
                        "b|100:00:00",
                        "ab|00:00:00",
                        "a|NULL",
                        "a|01:00:00",
                        "|00:00:00",
                        "NULL|01:00:00");
    }

    @Test
    void shorterStringsAreAsIfPadded() throws Exception {
        TopRows node = top(List.of(padded(0, " ")), 0, 10, 1);
        assertThat(merge(node, List.of("a\t", "a"), List.of("a  ", "a !", "b")))
                .containsExactly("a\t", "a", "a  ", "a !", "b");
    }

    @Test
    void withoutKeysRowsAreInPartitionOrder() throws Exception {
        assertThat(merge(top(List.of(), 1, 3, 1), List.of("z", "y"), List.of("x", "w", "v")))
                .containsExactly("y", "x", "w");
    }

    @Test
    void allColumnsMayBeVisible() throws Exception {
        assertThat(merge(top(BY_SECOND, 0, 1, 2), List.of("a|2"), List.of("b|1")))
                .containsExactly("b|1");
    }

    @Test
    void anotherOrderThanThePlansIsRefused() {
        TopRows node = top(BY_SECOND, 0, 1, 1);
        assertThatThrownBy(() -> merge(node, List.of("a|1", "b|3", "c|2")))
                .isInstanceOfSatisfying(
                        MergeException.class,
                        e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.NOT_SORTED));
    }

    @ParameterizedTest
    @EnumSource(
            value = KeyComparison.class,
            names = {"BYTES", "WEIGHT", "WEIGHT_PAD"})
    void aKeyLongerThanServersSortByIsRefused(KeyComparison comparison) throws Exception {
        SortKey key = comparison == KeyComparison.WEIGHT_PAD ? padded(0, " ") : key(0, comparison);
        String longest = "x".repeat(1000);
        assertThat(merge(top(List.of(key), 0, 1, 1), List.of(longest))).containsExactly(longest);
        assertThatThrownBy(() -> merge(top(List.of(key), 0, 1, 1), List.of(longest + "x")))
                .isInstanceOfSatisfying(
                        MergeException.class,
                        e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.NOT_SORTED));
    }

    @Test
    void onlyKeysOfTextMustBeShort() throws Exception {
        String digits = "1." + "0".repeat(1000);
        assertThat(merge(top(List.of(key(0, KeyComparison.NUMBER)), 0, 1, 1), List.of(digits)))
                .containsExactly(digits);
        String longest = "x".repeat(2000);
        assertThat(merge(top(BY_SECOND, 0, 1, 1), List.of(longest + "|1"))).containsExactly(longest);
    }

    /** Each thread keeps the offset and the count, so no more rows are kept than these. */
    @Test
    void rowsThatAreNotKeptDoNotCountForTheLimitOfRows() throws Exception {
        TopRows node = top(BY_SECOND, 1, 2, 1);
        List<String> rows = List.of("a|1", "b|2", "c|3", "d|4", "e|5");
        for (long most : List.of(2L, 3L)) {
            try (Merge merge = Merge.of(node, MemoryBudget.ofProcess(Merging.PLENTY), most)) {
                PartialMerge partial = merge.newPartial();
                partial.partitionStarts(0);
                partial.add(Merging.row(rows.get(0)));
                partial.add(Merging.row(rows.get(1)));
                if (most < 3) {
                    assertThatThrownBy(() -> partial.add(Merging.row(rows.get(2))))
                            .isInstanceOf(MergeException.class)
                            .hasMessage("more than 2 rows");
                    continue;
                }
                for (String row : rows.subList(2, rows.size())) {
                    partial.add(Merging.row(row));
                }
                assertThat(Merging.lines(merge.combine(List.of(partial)))).containsExactly("b", "c");
            }
        }
    }

    @Test
    void aRowTooShortIsRefused() {
        assertThatThrownBy(() -> merge(top(BY_SECOND, 0, 1, 1), List.of("1")))
                .isInstanceOf(MergeException.class)
                .hasMessage("a row has 1 columns, expected at least 2");
        assertThatThrownBy(() -> merge(top(List.of(), 0, 1, 2), List.of("1"))).isInstanceOf(MergeException.class);
    }
}

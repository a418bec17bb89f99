package io.fanfold.operator;

import static io.fanfold.operator.Merging.key;
import static io.fanfold.operator.Merging.merge;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.plan.MergeNode.Aggregate;
import io.fanfold.plan.MergeNode.Average;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.GroupOrder;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.SortColumn;
import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.row.Row;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of merged groups, and which of them are returned. */
class GroupOrderTest {
    private static final int NUMBER = 0;
    private static final int TEXT = 1;

    /** A number, a text, a sum, a count, the smallest text, the largest number, an average. */
    private static final int COLUMNS = 7;

    private static Aggregate ordered(GroupOrder order) {
        return new Aggregate(
                List.of(new GroupKey(0, key(0, KeyComparison.NUMBER)), new GroupKey(1, key(1, KeyComparison.BYTES))),
                List.of(
                        new MergeFunction.Sum(2, false),
                        new MergeFunction.Sum(3, true),
                        new MergeFunction.Min(4, key(4, KeyComparison.BYTES)),
                        new MergeFunction.Max(5, key(5, KeyComparison.NUMBER))),
                List.of(new Average(0, 1, 9, 6)),
                false,
                order);
    }

    private static String value(Random random, String value) {
        return random.nextInt(6) == 0 ? "NULL" : value;
    }

    private static List<List<String>> partitions(Random random, int rows) {
        List<List<String>> partitions = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < rows; i++) {
            String sum = value(random, (random.nextInt(400) - 200) + "." + (10 + random.nextInt(90)));
            partitions
                    .get(random.nextInt(3))
                    .add(value(random, Integer.toString(random.nextInt(rows) - rows / 3))
                            + "|" + value(random, "t".repeat(random.nextInt(14)) + random.nextInt(3))
                            + "|" + sum
                            + "|" + (sum.equals("NULL") ? 0 : 1 + random.nextInt(9))
                            + "|" + value(random, "abcdefghij".substring(random.nextInt(10)))
                            + "|" + value(random, random.nextInt(30) + "." + random.nextInt(10)));
        }
        return partitions;
    }

    private static Comparator<String> by(SortColumn sorted) {
        boolean text = sorted.column() == TEXT || sorted.column() == 4;
        Comparator<String> values = text ? Comparator.naturalOrder() : Comparator.comparing(BigDecimal::new);
        Comparator<String> nullFirst = (a, b) -> {
            if (a.equals("NULL") || b.equals("NULL")) {
                return Boolean.compare(b.equals("NULL"), a.equals("NULL"));
            }
            return values.compare(a, b);
        };
        Comparator<String> lines = Comparator.comparing(line -> line.split("\\|", -1)[sorted.column()], nullFirst);
        return sorted.descending() ? lines.reversed() : lines;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 60, 700})
    void groupsAreReturnedInTheirOrder(int rows) throws Exception {
        Random random = new Random(rows);
        for (int round = 0; round < 150; round++) {
            List<List<String>> partitions = partitions(random, rows);
            List<SortColumn> by = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                by.add(new SortColumn(random.nextInt(COLUMNS), random.nextBoolean()));
            }
            long offset = random.nextInt(3) == 0 ? random.nextInt(rows + 2) : 0;
            long count = random.nextInt(3) == 0 ? Long.MAX_VALUE : random.nextInt(rows + 2);
            List<String> expected = new ArrayList<>(merge(ordered(GroupOrder.NONE), partitions, 1, null));
            for (int i = by.size() - 1; i >= 0; i--) {
                expected.sort(by(by.get(i)));
            }
            int from = (int) Math.min(offset, expected.size());
            int to = (int) Math.min(expected.size() - from, count) + from;
            GroupOrder order = new GroupOrder(by, offset, count);
            assertThat(merge(ordered(order), partitions, 1 + random.nextInt(3), random))
                    .as("%s of %d groups", order, expected.size())
                    .isEqualTo(expected.subList(from, to));
        }
    }

    @Test
    void someColumnsOfRowsAreWrittenAlone() throws Exception {
        for (long count : List.of(1L, Long.MAX_VALUE)) {
            MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
            try (Merge merge =
                    Merge.of(ordered(new GroupOrder(List.of(new SortColumn(NUMBER, true)), 0, count)), budget)) {
                PartialMerge partial = merge.newPartial();
                partial.partitionStarts(0);
                partial.add(Merging.row("1|a|2.50|2|x|7"));
                partial.add(Merging.row("2|b|0.50|3|y|NULL"));
                MergedRows rows = merge.combine(List.of(partial));
                byte[] payload = rows.next(new int[] {6, 1, 5, 6});
                assertThat(payload).isNotNull();
                assertThat(Merging.line(Row.of(payload, 4))).isEqualTo("0.166667|b|NULL|0.166667");
                rows.close();
                assertThatThrownBy(() -> rows.next(new int[] {0})).isInstanceOf(IllegalStateException.class);
            }
            assertThat(budget.heldBytes()).isZero();
        }
    }

    @Test
    void aColumnWithoutAnOrderIsNotASortColumn() {
        Aggregate node = new Aggregate(
                List.of(new GroupKey(0, key(0, KeyComparison.NUMBER))),
                List.of(new MergeFunction.AnyValue(1, false)),
                List.of(),
                false,
                new GroupOrder(List.of(new SortColumn(1, false)), 0, 5));
        MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
        assertThatThrownBy(() -> Merge.of(node, budget))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("column 1 is not sorted by");
    }
}

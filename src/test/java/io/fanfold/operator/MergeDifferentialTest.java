package io.fanfold.operator;

import static io.fanfold.operator.Merging.key;
import static io.fanfold.operator.Merging.padded;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.MergeNode;
import io.fanfold.plan.MergeNode.Aggregate;
import io.fanfold.plan.MergeNode.BitOperation;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.TopRows;
import io.fanfold.plan.SortKey;
import io.fanfold.plan.SortKey.KeyComparison;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/**
 * Compares merged random rows with a simple implementation that uses BigDecimal, TreeMap and a sort. A partial row has
 * the columns of {@link #COLUMNS}, then a DECIMAL and an unsigned number.
 */
class MergeDifferentialTest {
    private static final long SEED = 910_317;

    /** The comparison of each key column. */
    private static final List<SortKey> COLUMNS = List.of(
            key(0, KeyComparison.NUMBER),
            key(1, KeyComparison.DOUBLE),
            key(2, KeyComparison.TIME),
            key(3, KeyComparison.BYTES),
            key(4, KeyComparison.WEIGHT),
            padded(5, "\0 "));

    private static final List<BitOperation> OPERATIONS = List.of(BitOperation.values());

    private static final int DECIMAL = COLUMNS.size();
    private static final int UNSIGNED = DECIMAL + 1;

    @RepeatedTest(80)
    void aggregatesAsTheReference(RepetitionInfo repetition) throws Exception {
        long seed = SEED + repetition.getCurrentRepetition();
        Random random = new Random(seed);
        List<List<String>> partitions = withoutNegativeZeros(partitions(random));
        Aggregate node = aggregate(random);
        List<String> expected = referenceAggregate(node, partitions);
        for (int workers = 1; workers <= 7; workers++) {
            assertThat(Merging.merge(node, partitions, workers, random))
                    .as("seed %d, %d workers, %s", seed, workers, node)
                    .isEqualTo(expected);
        }
    }

    @RepeatedTest(80)
    void takesTopRowsAsTheReference(RepetitionInfo repetition) throws Exception {
        long seed = SEED + repetition.getCurrentRepetition();
        Random random = new Random(seed);
        List<SortKey> keys = new ArrayList<>();
        for (SortKey key : some(COLUMNS, random)) {
            keys.add(new SortKey(key.column(), key.comparison(), key.pad(), random.nextBoolean()));
        }
        Comparator<String> order = Comparator.comparing(MergeDifferentialTest::values, ReferenceOrder.of(keys, true));
        List<List<String>> partitions = new ArrayList<>();
        List<String> all = new ArrayList<>();
        for (List<String> partition : partitions(random)) {
            List<String> sorted = partition.stream().sorted(order).toList();
            partitions.add(sorted);
            all.addAll(sorted);
        }
        all.sort(order);
        TopRows node = new TopRows(keys, random.nextInt(20), random.nextInt(40), 1 + random.nextInt(UNSIGNED + 1));
        List<String> expected = all.stream()
                .skip(node.offset())
                .limit(node.count())
                .map(line -> String.join("|", List.of(line.split("\\|", -1)).subList(0, node.visibleColumns())))
                .toList();
        for (int workers = 1; workers <= 7; workers++) {
            assertThat(Merging.merge(node, partitions, workers, random))
                    .as("seed %d, %d workers, %s", seed, workers, node)
                    .isEqualTo(expected);
        }
    }

    /** A DOUBLE of -0 is refused as a group key. */
    private static List<List<String>> withoutNegativeZeros(List<List<String>> partitions) {
        return partitions.stream()
                .map(rows -> rows.stream()
                        .map(MergeDifferentialTest::withoutNegativeZero)
                        .toList())
                .toList();
    }

    private static String withoutNegativeZero(String line) {
        String[] values = line.split("\\|", -1);
        if (values[1].startsWith("-") && Double.parseDouble(values[1]) == 0) {
            values[1] = values[1].substring(1);
        }
        return String.join("|", values);
    }

    private static List<List<String>> partitions(Random random) {
        List<List<String>> partitions = new ArrayList<>();
        for (int i = random.nextInt(9); i >= 0; i--) {
            List<String> rows = new ArrayList<>();
            for (int n = random.nextInt(3) * random.nextInt(30); n > 0; n--) {
                rows.add(line(random));
            }
            partitions.add(rows);
        }
        return partitions;
    }

    private static String line(Random random) {
        List<String> values = new ArrayList<>();
        for (SortKey key : COLUMNS) {
            // The bar separates the values of a line; no value contains one.
            values.add(String.valueOf(ReferenceOrder.value(key, random)).replace("null", "NULL"));
        }
        BigDecimal decimal = BigDecimal.valueOf(random.nextLong() >> random.nextInt(64), 2);
        values.add(random.nextInt(10) == 0 ? "NULL" : decimal.toPlainString());
        values.add(random.nextInt(10) == 0 ? "NULL" : Long.toUnsignedString(random.nextLong() >> random.nextInt(64)));
        return String.join("|", values);
    }

    private static List<@Nullable String> values(String line) {
        List<@Nullable String> values = new ArrayList<>();
        for (String value : line.split("\\|", -1)) {
            values.add(value.equals("NULL") ? null : value);
        }
        return values;
    }

    private static <T> List<T> some(List<T> from, Random random) {
        List<T> some = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            some.add(from.get(random.nextInt(from.size())));
        }
        return some;
    }

    private static Aggregate aggregate(Random random) {
        boolean scalar = random.nextInt(4) == 0;
        List<GroupKey> keys = scalar
                ? List.of()
                : some(COLUMNS, random).stream()
                        .map(key -> new GroupKey(key.column(), key))
                        .toList();
        List<MergeFunction> accumulators = new ArrayList<>();
        for (SortKey key : some(COLUMNS, random)) {
            accumulators.add(new MergeFunction.Min(key.column(), key));
            accumulators.add(new MergeFunction.Max(key.column(), key));
        }
        accumulators.add(new MergeFunction.Sum(DECIMAL, random.nextBoolean()));
        accumulators.add(new MergeFunction.Bits(UNSIGNED, OPERATIONS.get(random.nextInt(3))));
        accumulators.add(new MergeFunction.CountDistinct(some(COLUMNS, random)));
        accumulators.add(new MergeFunction.SumDistinct(key(UNSIGNED, KeyComparison.NUMBER), 0));
        accumulators.add(new MergeFunction.CountDistinct(List.of(key(UNSIGNED, KeyComparison.NUMBER))));
        return new Aggregate(keys, accumulators, scalar, false);
    }

    private static List<String> referenceAggregate(Aggregate node, List<List<String>> partitions) {
        List<SortKey> keys =
                node.keys().stream().map(key -> key.compare().orElseThrow()).toList();
        TreeMap<List<@Nullable String>, List<List<@Nullable String>>> groups =
                new TreeMap<>(ReferenceOrder.of(keys, false));
        Set<List<@Nullable String>> firsts = new LinkedHashSet<>();
        for (List<String> partition : partitions) {
            for (String line : partition) {
                List<@Nullable String> row = values(line);
                groups.computeIfAbsent(row, first -> {
                            firsts.add(first);
                            return new ArrayList<>();
                        })
                        .add(row);
            }
        }
        List<String> lines = new ArrayList<>();
        if (node.scalar() && firsts.isEmpty()) {
            lines.add(referenceRow(node, List.of(), List.of()));
        }
        for (List<@Nullable String> first : firsts) {
            lines.add(referenceRow(node, first, groups.getOrDefault(first, List.of())));
        }
        return lines;
    }

    private static String referenceRow(
            MergeNode.Aggregate node, List<@Nullable String> first, List<List<@Nullable String>> rows) {
        List<String> values = new ArrayList<>();
        for (GroupKey key : node.keys()) {
            values.add(String.valueOf(first.get(key.valueColumn())).replace("null", "NULL"));
        }
        for (MergeFunction accumulator : node.functions()) {
            values.add(referenceSlot(accumulator, rows));
        }
        return String.join("|", values);
    }

    private static String referenceSlot(MergeFunction accumulator, List<List<@Nullable String>> rows) {
        if (accumulator instanceof MergeFunction.Sum sum) {
            List<String> numbers = column(rows, sum.column());
            BigDecimal total = numbers.stream().map(BigDecimal::new).reduce(BigDecimal.ZERO, BigDecimal::add);
            return numbers.isEmpty() && !sum.zeroWhenEmpty() ? "NULL" : total.toPlainString();
        }
        if (accumulator instanceof MergeFunction.Min min) {
            return column(rows, min.column()).stream()
                    .min(minMax(min.compare()))
                    .orElse("NULL");
        }
        if (accumulator instanceof MergeFunction.Max max) {
            return column(rows, max.column()).stream()
                    .min(minMax(max.compare(), -1))
                    .orElse("NULL");
        }
        if (accumulator instanceof MergeFunction.Bits bits) {
            long value = bits.operation() == BitOperation.AND ? -1 : 0;
            for (String number : column(rows, bits.column())) {
                long other = Long.parseUnsignedLong(number);
                value = switch (bits.operation()) {
                    case AND -> value & other;
                    case OR -> value | other;
                    case XOR -> value ^ other;
                };
            }
            return Long.toUnsignedString(value);
        }
        if (accumulator instanceof MergeFunction.SumDistinct sum) {
            TreeSet<BigDecimal> different = new TreeSet<>();
            column(rows, sum.key().column()).forEach(number -> different.add(new BigDecimal(number)));
            return different.isEmpty()
                    ? "NULL"
                    : different.stream()
                            .reduce(BigDecimal.ZERO, BigDecimal::add)
                            .toPlainString();
        }
        List<SortKey> keys = ((MergeFunction.CountDistinct) accumulator).keys();
        Set<List<@Nullable String>> tuples = new TreeSet<>(ReferenceOrder.of(keys, false));
        for (List<@Nullable String> row : rows) {
            if (keys.stream().allMatch(key -> row.get(key.column()) != null)) {
                tuples.add(row);
            }
        }
        return Integer.toString(tuples.size());
    }

    private static Comparator<String> minMax(SortKey key) {
        return minMax(key, 1);
    }

    /**
     * Compares by the key in one direction; among exact zeros, a zero with a minus is smaller. A stream's min() returns
     * the first of equal values, as the merge promises.
     */
    private static Comparator<String> minMax(SortKey key, int sign) {
        Comparator<String> byKey = (a, b) -> sign * ReferenceOrder.compare(key, a, b);
        return key.comparison() == SortKey.KeyComparison.NUMBER
                ? byKey.thenComparing((a, b) -> sign * Boolean.compare(b.startsWith("-"), a.startsWith("-")))
                : byKey;
    }

    private static List<String> column(List<List<@Nullable String>> rows, int column) {
        List<String> values = new ArrayList<>();
        for (List<@Nullable String> row : rows) {
            String value = row.get(column);
            if (value != null) {
                values.add(value);
            }
        }
        return values;
    }
}

package io.fanfold.operator;

import static io.fanfold.operator.Merging.descending;
import static io.fanfold.operator.Merging.key;
import static io.fanfold.operator.Merging.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.MergeNode.Aggregate;
import io.fanfold.plan.MergeNode.BitOperation;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.TopRows;
import io.fanfold.plan.MergeNode.VarianceFunction;
import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The growth that partial merges report equals the growth of the bytes they hold. */
class HeapAccountTest {
    private static final List<MergeFunction> SLOTS = List.of(
            new MergeFunction.SumDouble(0),
            new MergeFunction.AnyValue(1, false),
            new MergeFunction.AnyValue(1, true),
            new MergeFunction.Variance(2, 2, 2, VarianceFunction.STDDEV_POP),
            new MergeFunction.Min(1, key(1, KeyComparison.BYTES)),
            new MergeFunction.Max(0, key(0, KeyComparison.NUMBER)),
            new MergeFunction.Bits(2, BitOperation.XOR),
            new MergeFunction.CountDistinct(List.of(key(1, KeyComparison.BYTES))),
            new MergeFunction.SumDistinct(key(0, KeyComparison.NUMBER), 0));

    /** A number of up to 60 digits, a string of up to 50 bytes, a small number. */
    private static String line(Random random) {
        String number = random.nextInt(5) == 0
                ? "NULL"
                : "1".repeat(1 + random.nextInt(30)) + "." + "7".repeat(1 + random.nextInt(29));
        String text = random.nextInt(5) == 0 ? "NULL" : "x".repeat(random.nextInt(50)) + random.nextInt(40);
        return number + "|" + text + "|" + (1 + random.nextInt(9));
    }

    @Test
    void eachAccumulatorReportsItsGrowth() throws Exception {
        for (MergeFunction accumulator : SLOTS) {
            Random random = new Random(5);
            Accumulator.AccumulatorState state =
                    new AccumulatorLayout(List.of(accumulator)).newAccumulators(3)[0].start();
            long held = state.heapBytes();
            assertThat(held).as("an empty %s", accumulator).isBetween(16L, 2000L);
            for (int i = 0; i < 500; i++) {
                // later rows of earlier partitions too
                held += state.add(row(line(random)), random.nextInt(1000));
                assertThat(state.heapBytes())
                        .as("%s after %d rows", accumulator, i)
                        .isEqualTo(held);
            }
        }
    }

    private static BudgetShare share(MemoryBudget budget) {
        return new BudgetShare(budget);
    }

    /** A group of a number and two sums, including the free places of the hash table. */
    @Test
    void aMillionGroupsTakeFewBytesEach() throws Exception {
        Aggregate node = new Aggregate(
                List.of(new GroupKey(0, key(0, KeyComparison.NUMBER))),
                List.of(new MergeFunction.Sum(1, false), new MergeFunction.Sum(1, true)),
                false,
                false);
        MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
        try (Merge merge = Merge.of(node, budget, Long.MAX_VALUE, Merging.PLENTY)) {
            RankedPartial partial = (RankedPartial) merge.newPartial();
            partial.partitionStarts(0);
            for (int i = 1_000_000; i < 2_000_000; i++) {
                partial.add(row(i + "|12345.67"));
            }
            assertThat(partial.share.usedBytes()).isBetween(48_000_000L, 80_000_000L);
        }
        assertThat(budget.heldBytes()).isZero();
    }

    @Test
    void groupsHoldTheirRecordsTheirStatesAndTheSumsThatAreLong() throws Exception {
        MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
        BudgetShare share = share(budget);
        AccumulatorLayout layout = new AccumulatorLayout(List.of(
                new MergeFunction.Sum(0, false), new MergeFunction.Sum(0, true), new MergeFunction.AnyValue(1, false)));
        Groups groups = new Groups(share, layout, 3);
        assertThat(share.usedBytes()).isZero();
        KeyEncoder key = KeyEncoder.forGroups(List.of(key(2, KeyComparison.NUMBER)));
        Random random = new Random(4);
        for (int i = 0; i < 300; i++) {
            add(groups, key, 2, line(random), i);
            assertThat(share.usedBytes() - groups.table().heapBytes())
                    .as("beside the records, after row %d", i)
                    .isEqualTo(objects(groups));
        }
        assertThat(groups.table().size()).isEqualTo(9);
    }

    private static long objects(Groups groups) {
        long bytes = groups.sums().heapBytes();
        GroupTable table = groups.table();
        for (int record = table.first(); record >= 0; record = table.next(record)) {
            Accumulator.AccumulatorState[] states = groups.states(record);
            if (states.length > 0) {
                bytes += HeapSize.REFERENCE + HeapSize.array(HeapSize.REFERENCE * states.length);
            }
            for (Accumulator.AccumulatorState state : states) {
                bytes += state.heapBytes();
            }
        }
        return bytes;
    }

    private static void add(Groups groups, KeyEncoder key, int keyColumn, String line, long rank) throws Exception {
        Row row = row(line);
        key.encode(row);
        int hash = groups.table().hash(key.bytes(), 0, key.length());
        int record = groups.table().find(key.bytes(), 0, key.length(), hash);
        int found = record >= 0 ? record : groups.add(key, hash, new RowBuilder().add(row, keyColumn), rank);
        groups.merge(found, row, rank);
    }

    private static void assertHeld(BudgetShare share, Groups groups) {
        long objects = objects(groups);
        assertThat(share.usedBytes()).isEqualTo(groups.table().heapBytes() + objects);
        assertThat(groups.filledBytes()).isEqualTo(groups.table().filledBytes() + objects);
    }

    /** Of some groups both have rows, of others only one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void mergedGroupsHoldWhatTheyTookFromOthers(boolean keepsHeap) throws Exception {
        MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
        List<MergeFunction> accumulators = new ArrayList<>(SLOTS);
        accumulators.add(new MergeFunction.Sum(0, false));
        accumulators.add(new MergeFunction.Sum(2, true));
        for (AccumulatorLayout layout : List.of(
                new AccumulatorLayout(accumulators),
                new AccumulatorLayout(List.of(new MergeFunction.Sum(0, false), new MergeFunction.Sum(0, true))))) {
            BudgetShare share = share(budget);
            BudgetShare otherShare = share(budget);
            Groups groups = new Groups(share, layout, 3);
            Groups others = new Groups(otherShare, layout, 3);
            KeyEncoder key = KeyEncoder.forGroups(List.of(key(1, KeyComparison.BYTES)));
            Random random = new Random(9);
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 400; i++) {
                    add(groups, key, 1, line(random), random.nextInt(1000));
                    add(others, key, 1, line(random), random.nextInt(1000));
                }
                assertHeld(share, groups);
                assertHeld(otherShare, others);
                long otherTable = others.table().heapBytes();
                groups.merge(others, keepsHeap);
                assertHeld(share, groups);
                assertThat(others.filledBytes()).isZero();
                assertThat(others.table().size()).isZero();
                assertThat(otherShare.usedBytes()).isEqualTo(keepsHeap ? otherTable : 0);
            }
        }
    }

    /** The values of the first partition are kept for a key, which may be longer or shorter. */
    @Test
    void aGroupThatGetsOtherValuesHoldsBoth() throws Exception {
        Aggregate byLetter = new Aggregate(
                List.of(new GroupKey(0, key(1, KeyComparison.BYTES))),
                List.of(new MergeFunction.Sum(2, true)),
                false,
                false);
        MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
        try (Merge merge = Merge.of(byLetter, budget)) {
            RankedPartial partial = (RankedPartial) merge.newPartial();
            partial.partitionStarts(7);
            partial.add(row("x".repeat(1000) + "|k|1"));
            long first = partial.share.usedBytes();
            assertThat(first).isGreaterThan(1000);
            partial.add(row("y".repeat(2000) + "|k|1"));
            assertThat(partial.share.usedBytes()).as("the first value stays").isEqualTo(first);
            partial.partitionStarts(3);
            partial.add(row("z".repeat(1000) + "|k|1"));
            assertThat(partial.share.usedBytes()).as("in its place").isEqualTo(first);
            partial.partitionStarts(1);
            partial.add(row("z".repeat(2000) + "|k|1"));
            assertThat(partial.share.usedBytes()).isBetween(first + 2000, first + 3000);
        }
        assertThat(budget.heldBytes()).isZero();
    }

    @Test
    void groupsHoldTheirOrderToo() throws Exception {
        for (boolean sorted : List.of(false, true)) {
            Aggregate node = new Aggregate(
                    List.of(new GroupKey(0, key(0, KeyComparison.NUMBER))),
                    List.of(new MergeFunction.Sum(1, true)),
                    false,
                    sorted);
            MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
            try (Merge merge = Merge.of(node, budget)) {
                RankedPartial partial = (RankedPartial) merge.newPartial();
                partial.partitionStarts(0);
                for (int i = 0; i < 1000; i++) {
                    partial.add(row(i + "|1"));
                }
                long before = partial.share.usedBytes();
                try (MergedRows rows = merge.combine(List.of(partial))) {
                    assertThat(rows.rows()).isEqualTo(1000);
                    assertThat(partial.share.usedBytes() - before).isEqualTo(4_016);
                }
            }
        }
    }

    @Test
    void theSmallestRowsAreCountedOneByOne() throws Exception {
        TopRows node = new TopRows(List.of(descending(0, KeyComparison.NUMBER)), 0, 40, 2);
        MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
        try (Merge merge = Merge.of(node, budget)) {
            RankedPartial partial = (RankedPartial) merge.newPartial();
            partial.partitionStarts(0);
            partial.add(row("899|" + "x".repeat(16)));
            long each = partial.share.usedBytes();
            assertThat(each).isGreaterThan(HeapSize.array(20));
            long held = each;
            for (int i = 1; i < 40; i++) {
                partial.add(row((899 - i) + "|" + "x".repeat(16)));
                held += each + (i == 16 || i == 32 ? HeapSize.REFERENCE * i : 0);
                assertThat(partial.share.usedBytes()).as("after row %d", i).isEqualTo(held);
            }
            partial.partitionStarts(1);
            partial.add(row("900|" + "x".repeat(96)));
            assertThat(partial.share.usedBytes()).as("in the place of another").isEqualTo(held + 80);
            partial.add(row("100|" + "x".repeat(496)));
            assertThat(partial.share.usedBytes()).as("not among them").isEqualTo(held + 80);
        }
    }
}

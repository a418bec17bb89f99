package io.fanfold.operator;

import static io.fanfold.operator.Merging.key;
import static io.fanfold.operator.Merging.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.plan.MergeNode;
import io.fanfold.plan.MergeNode.Aggregate;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.TopRows;
import io.fanfold.plan.SortKey;
import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.row.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The bytes of accumulators are counted, bounded and released: after success, after an error, and if they are only
 * closed.
 */
class MergeBudgetTest {
    private static final SortKey NUMBER = key(0, KeyComparison.NUMBER);
    private static final TopRows ALL_ROWS = new TopRows(List.of(NUMBER), 0, Long.MAX_VALUE, 2);
    private static final TopRows TEN_ROWS = new TopRows(List.of(NUMBER), 5, 5, 2);
    private static final Aggregate GROUPS = new Aggregate(
            List.of(new GroupKey(0, NUMBER)),
            List.of(new MergeFunction.Sum(0, true), new MergeFunction.Min(1, key(1, KeyComparison.BYTES))),
            false,
            false);
    private static final Aggregate DISTINCT = new Aggregate(
            List.of(),
            List.of(new MergeFunction.CountDistinct(List.of(NUMBER)), new MergeFunction.SumDistinct(NUMBER, 0)),
            true,
            false);
    private static final String VALUE = "v".repeat(40);

    private final MemoryBudget process = MemoryBudget.ofProcess(Merging.PLENTY);

    static Stream<MergeNode> growing() {
        return Stream.of(ALL_ROWS, GROUPS, DISTINCT);
    }

    /** Starts a partition and adds rows "first|v...", "first+1|v...", ... */
    private static PartialMerge feed(PartialMerge partial, int partition, int first, int count) throws Exception {
        partial.partitionStarts(partition);
        for (int i = first; i < first + count; i++) {
            partial.add(row(i + "|" + VALUE));
        }
        return partial;
    }

    @ParameterizedTest
    @MethodSource("growing")
    void countsTheHeldBytesUntilTheRowsAreClosed(MergeNode node) throws Exception {
        Merge merge = Merge.of(node, process);
        PartialMerge one = feed(merge.newPartial(), 0, 0, 10_000);
        long afterOne = merge.heldBytes();
        assertThat(afterOne).isBetween(10_000L * 40, 10_000L * 400);
        PartialMerge two = feed(merge.newPartial(), 1, 5_000, 10_000);
        assertThat(merge.heldBytes()).isGreaterThan(afterOne * 3 / 2);
        MergedRows rows = merge.combine(List.of(one, two));
        assertThat(process.heldBytes()).isGreaterThan(afterOne);
        while (rows.next() != null) {
            assertThat(process.heldBytes()).isPositive();
        }
        rows.close();
        assertThat(process.heldBytes()).isZero();
        rows.close();
        merge.close();
        assertThat(process.heldBytes()).isZero();
        assertThatThrownBy(rows::next).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void combiningEqualGroupsReleasesTheirBytes() throws Exception {
        try (Merge merge = Merge.of(GROUPS, process, Long.MAX_VALUE, Merging.PLENTY)) {
            PartialMerge one = feed(merge.newPartial(), 0, 0, 10_000);
            long afterOne = merge.heldBytes();
            List<PartialMerge> partials = new ArrayList<>(List.of(one));
            for (int i = 1; i < 5; i++) {
                partials.add(feed(merge.newPartial(), i, 0, 10_000));
            }
            assertThat(merge.heldBytes()).isGreaterThan(4 * afterOne);
            merge.combine(partials);
            assertThat(merge.heldBytes()).isBetween(afterOne / 2, afterOne + 100_000);
        }
    }

    /** Each thread sees every group, and together they hold hardly more than one of them alone. */
    @Test
    void aMillionGroupsInEachOfThreeThreadsFitInto256MiB() throws Exception {
        Aggregate sums = new Aggregate(
                List.of(new GroupKey(0, NUMBER)),
                List.of(new MergeFunction.Sum(1, true), new MergeFunction.Sum(2, false)),
                false,
                false);
        MemoryBudget limited = MemoryBudget.ofProcess(256L << 20);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (Merge merge = Merge.of(sums, limited)) {
            List<Callable<PartialMerge>> tasks = new ArrayList<>();
            for (int partition = 0; partition < 3; partition++) {
                int own = partition;
                tasks.add(() -> {
                    PartialMerge partial = merge.newPartial();
                    partial.partitionStarts(own);
                    for (int i = 0; i < 1_000_000; i++) {
                        partial.add(row(i + "|2|" + own + ".50"));
                    }
                    return partial;
                });
            }
            List<PartialMerge> partials = new ArrayList<>();
            for (Future<PartialMerge> task : threads.invokeAll(tasks)) {
                partials.add(task.get());
            }
            try (MergedRows rows = merge.combine(partials)) {
                assertThat(rows.rows()).isEqualTo(1_000_000);
                for (int i = 0; i < 1_000_000; i++) {
                    Row row = rows.next();
                    assertThat(row == null ? null : row.ascii(1)).isEqualTo("6");
                    assertThat(row == null ? null : row.ascii(2)).isEqualTo("4.50");
                }
                assertThat(rows.next()).isNull();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(limited.heldBytes()).isZero();
    }

    @Test
    void moreGroupsThanAreWantedEndTheFold() throws Exception {
        try (Merge merge = Merge.of(GROUPS, process, 100)) {
            PartialMerge partial = feed(merge.newPartial(), 0, 0, 100);
            assertThatThrownBy(() -> feed(partial, 1, 50, 100))
                    .isInstanceOfSatisfying(
                            MergeException.class,
                            e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.TOO_MANY_ROWS));
        }
        try (Merge merge = Merge.of(new MergeNode.Concatenate(2), process, 100)) {
            PartialMerge partial = feed(merge.newPartial(), 0, 0, 100);
            assertThatThrownBy(() -> feed(partial, 1, 0, 1)).isInstanceOf(MergeException.class);
        }
    }

    @Test
    void topRowsHoldNoMoreThanTheResultNeeds() throws Exception {
        try (Merge merge = Merge.of(TEN_ROWS, process)) {
            PartialMerge partial = merge.newPartial();
            for (int i = 0; i < 200; i++) {
                feed(partial, i, 1_000_000 - i, 50);
            }
            assertThat(merge.heldBytes()).isLessThan(100_000);
        }
    }

    @Test
    void groupsWithTheSameValuesDoNotGrow() throws Exception {
        try (Merge merge = Merge.of(GROUPS, process)) {
            PartialMerge partial = feed(merge.newPartial(), 0, 0, 100);
            long held = merge.heldBytes();
            for (int i = 1; i < 100; i++) {
                feed(partial, i, 0, 100);
            }
            assertThat(merge.heldBytes()).isEqualTo(held);
        }
    }

    @ParameterizedTest
    @MethodSource("growing")
    void stopsAtTheLimit(MergeNode node) {
        long limit = 300_000;
        MemoryBudget query = process.child("query", limit);
        try (Merge merge = Merge.of(node, query)) {
            PartialMerge partial = merge.newPartial();
            assertThatThrownBy(() -> feed(partial, 0, 0, 100_000)).isInstanceOf(BudgetExceededException.class);
            assertThat(query.heldBytes()).isBetween(limit / 2, limit);
        }
        assertThat(query.heldBytes()).isZero();
        assertThat(process.heldBytes()).isZero();
    }

    @Test
    void oneLargeRowIsCounted() {
        try (Merge merge = Merge.of(GROUPS, process.child("query", 1_000_000))) {
            PartialMerge partial = merge.newPartial();
            partial.partitionStarts(0);
            Row large = row("1|" + "x".repeat(2_000_000));
            assertThatThrownBy(() -> partial.add(large)).isInstanceOf(BudgetExceededException.class);
        }
        assertThat(process.heldBytes()).isZero();
    }

    @ParameterizedTest
    @MethodSource("growing")
    void anErrorLeavesNothing(MergeNode node) throws Exception {
        try (Merge merge = Merge.of(node, process)) {
            PartialMerge partial = feed(merge.newPartial(), 0, 0, 1000);
            assertThatThrownBy(() -> partial.add(row("x|" + VALUE))).isInstanceOf(MergeException.class);
            assertThat(process.heldBytes()).isPositive();
        }
        assertThat(process.heldBytes()).isZero();
    }

    @ParameterizedTest
    @MethodSource("growing")
    void anAbandonedFoldLeavesNothingAndStopsItsWorkers(MergeNode node) throws Exception {
        Merge merge = Merge.of(node, process);
        feed(merge.newPartial(), 0, 0, 1000);
        PartialMerge running = feed(merge.newPartial(), 1, 0, 1000);
        merge.close();
        assertThat(process.heldBytes()).isZero();
        assertThatThrownBy(() -> feed(running, 2, 1000, 100_000)).isInstanceOf(CancellationException.class);
        assertThat(process.heldBytes()).isZero();
    }

    @Test
    void rowsLeftUnreadLeaveNothing() throws Exception {
        Merge merge = Merge.of(GROUPS, process);
        MergedRows rows = merge.combine(List.of(feed(merge.newPartial(), 0, 0, 1000)));
        assertThat(rows.next()).isNotNull();
        rows.close();
        assertThat(process.heldBytes()).isZero();
    }

    @Test
    void aFoldIsUsedAsItWasMeant() throws Exception {
        try (Merge merge = Merge.of(GROUPS, process);
                Merge other = Merge.of(GROUPS, process)) {
            PartialMerge partial = merge.newPartial();
            assertThatThrownBy(() -> partial.add(row("1|2"))).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> partial.partitionStarts(-1)).isInstanceOf(IllegalArgumentException.class);
            partial.partitionStarts(4);
            assertThatThrownBy(() -> partial.partitionStarts(4))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("partition 4 is merged twice");
            assertThatThrownBy(() -> other.combine(List.of(partial))).isInstanceOf(IllegalArgumentException.class);
            assertThat(merge.combine(List.of(partial)).rows()).isZero();
            assertThatThrownBy(() -> merge.combine(List.of(partial))).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aPartitionFoldedByTwoIsRefused() throws Exception {
        try (Merge merge = Merge.of(GROUPS, process)) {
            PartialMerge one = feed(merge.newPartial(), 7, 0, 1);
            PartialMerge two = feed(merge.newPartial(), 7, 0, 1);
            assertThatThrownBy(() -> merge.combine(List.of(one, two)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("{7}");
        }
    }
}

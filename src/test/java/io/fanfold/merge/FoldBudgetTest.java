package io.fanfold.merge;

import static io.fanfold.merge.Folding.key;
import static io.fanfold.merge.Folding.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.plan.MergeNode;
import io.fanfold.plan.MergeNode.Aggregate;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.Slot;
import io.fanfold.plan.MergeNode.TopRows;
import io.fanfold.plan.SortKey;
import io.fanfold.plan.SortKey.Comparison;
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

/** What folds hold is counted, bounded, and given back: after success, error, and when they are just dropped. */
class FoldBudgetTest {
    private static final SortKey NUMBER = key(0, Comparison.NUMBER);
    private static final TopRows ALL_ROWS = new TopRows(List.of(NUMBER), 0, Long.MAX_VALUE, 2);
    private static final TopRows TEN_ROWS = new TopRows(List.of(NUMBER), 5, 5, 2);
    private static final Aggregate GROUPS = new Aggregate(
            List.of(new GroupKey(0, NUMBER)),
            List.of(new Slot.Sum(0, true), new Slot.Min(1, key(1, Comparison.BYTES))),
            false,
            false);
    private static final Aggregate DISTINCT = new Aggregate(
            List.of(), List.of(new Slot.CountDistinct(List.of(NUMBER)), new Slot.SumDistinct(NUMBER)), true, false);
    private static final String VALUE = "v".repeat(40);

    private final MemoryBudget process = MemoryBudget.ofProcess(Folding.PLENTY);

    static Stream<MergeNode> growing() {
        return Stream.of(ALL_ROWS, GROUPS, DISTINCT);
    }

    /** Starts a partition and feeds rows "first|v...", "first+1|v...", ... */
    private static PartialFold feed(PartialFold partial, int partition, int first, int count) throws Exception {
        partial.partitionStarts(partition);
        for (int i = first; i < first + count; i++) {
            partial.add(row(i + "|" + VALUE));
        }
        return partial;
    }

    @ParameterizedTest
    @MethodSource("growing")
    void countsWhatIsHeldUntilTheRowsAreClosed(MergeNode node) throws Exception {
        Fold fold = Fold.of(node, process);
        PartialFold one = feed(fold.newPartial(), 0, 0, 10_000);
        long afterOne = fold.heldBytes();
        assertThat(afterOne).isBetween(10_000L * 40, 10_000L * 400);
        PartialFold two = feed(fold.newPartial(), 1, 5_000, 10_000);
        assertThat(fold.heldBytes()).isGreaterThan(afterOne * 3 / 2);
        FoldedRows rows = fold.combine(List.of(one, two));
        assertThat(process.heldBytes()).isGreaterThan(afterOne);
        while (rows.next() != null) {
            assertThat(process.heldBytes()).isPositive();
        }
        rows.close();
        assertThat(process.heldBytes()).isZero();
        rows.close();
        fold.close();
        assertThat(process.heldBytes()).isZero();
        assertThatThrownBy(rows::next).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void combiningEqualGroupsGivesTheirBytesBack() throws Exception {
        try (Fold fold = Fold.of(GROUPS, process, Long.MAX_VALUE, Folding.PLENTY)) {
            PartialFold one = feed(fold.newPartial(), 0, 0, 10_000);
            long afterOne = fold.heldBytes();
            List<PartialFold> partials = new ArrayList<>(List.of(one));
            for (int i = 1; i < 5; i++) {
                partials.add(feed(fold.newPartial(), i, 0, 10_000));
            }
            assertThat(fold.heldBytes()).isGreaterThan(4 * afterOne);
            fold.combine(partials);
            assertThat(fold.heldBytes()).isBetween(afterOne / 2, afterOne + 100_000);
        }
    }

    /** Each thread sees every group: what they hold together is hardly more than what one of them would. */
    @Test
    void aMillionGroupsInEachOfThreeThreadsFitInto256MiB() throws Exception {
        Aggregate sums = new Aggregate(
                List.of(new GroupKey(0, NUMBER)), List.of(new Slot.Sum(1, true), new Slot.Sum(2, false)), false, false);
        MemoryBudget limited = MemoryBudget.ofProcess(256L << 20);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (Fold fold = Fold.of(sums, limited)) {
            List<Callable<PartialFold>> tasks = new ArrayList<>();
            for (int partition = 0; partition < 3; partition++) {
                int own = partition;
                tasks.add(() -> {
                    PartialFold partial = fold.newPartial();
                    partial.partitionStarts(own);
                    for (int i = 0; i < 1_000_000; i++) {
                        partial.add(row(i + "|2|" + own + ".50"));
                    }
                    return partial;
                });
            }
            List<PartialFold> partials = new ArrayList<>();
            for (Future<PartialFold> task : threads.invokeAll(tasks)) {
                partials.add(task.get());
            }
            try (FoldedRows rows = fold.combine(partials)) {
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

    /** What goes wrong while a thread joins its groups is told by the one that combines. */
    @Test
    void joiningManyGroupsEndsAtTheLimitToo() throws Exception {
        PartialFold one;
        PartialFold two;
        try (Fold fold = Fold.of(GROUPS, process.child("query", 6_000_000), Long.MAX_VALUE, 20_000_000)) {
            one = feed(fold.newPartial(), 0, 0, 9_000);
            two = feed(fold.newPartial(), 1, 9_000, 9_000);
            for (PartialFold partial : List.of(one, two)) {
                partial.partitionEnds();
                partial.ends();
            }
            assertThatThrownBy(() -> fold.combine(List.of(one, two))).isInstanceOf(BudgetExceededException.class);
        }
        assertThat(process.heldBytes()).isZero();
    }

    @Test
    void manyGroupsAreJoinedByTheThreadsThatFoldedThem() throws Exception {
        try (Fold fold = Fold.of(GROUPS, process, Long.MAX_VALUE, 160_000)) {
            AggregatePartial one = (AggregatePartial) feed(fold.newPartial(), 0, 0, 300);
            AggregatePartial two = (AggregatePartial) feed(fold.newPartial(), 1, 200, 300);
            AggregatePartial brokenOff = (AggregatePartial) feed(fold.newPartial(), 2, 0, 300);
            for (AggregatePartial partial : List.of(one, two)) {
                partial.partitionEnds();
                partial.ends();
            }
            brokenOff.ends();
            assertThat(List.of(one.groupCount(), two.groupCount(), brokenOff.groupCount()))
                    .containsExactly(500, 0, 300);
            assertThat(fold.combine(List.of(one, two)).rows()).isEqualTo(500);
        }
        assertThat(process.heldBytes()).isZero();
    }

    @Test
    void moreGroupsThanAreWantedEndTheFold() throws Exception {
        try (Fold fold = Fold.of(GROUPS, process, 100)) {
            PartialFold partial = feed(fold.newPartial(), 0, 0, 100);
            assertThatThrownBy(() -> feed(partial, 1, 50, 100))
                    .isInstanceOfSatisfying(
                            FoldException.class, e -> assertThat(e.kind()).isEqualTo(FoldException.Kind.TOO_MANY_ROWS));
        }
        try (Fold fold = Fold.of(new MergeNode.Gathered(2), process, 100)) {
            PartialFold partial = feed(fold.newPartial(), 0, 0, 100);
            assertThatThrownBy(() -> feed(partial, 1, 0, 1)).isInstanceOf(FoldException.class);
        }
    }

    @Test
    void topRowsHoldNoMoreThanTheResultNeeds() throws Exception {
        try (Fold fold = Fold.of(TEN_ROWS, process)) {
            PartialFold partial = fold.newPartial();
            for (int i = 0; i < 200; i++) {
                feed(partial, i, 1_000_000 - i, 50);
            }
            assertThat(fold.heldBytes()).isLessThan(100_000);
        }
    }

    @Test
    void groupsWithTheSameValuesDoNotGrow() throws Exception {
        try (Fold fold = Fold.of(GROUPS, process)) {
            PartialFold partial = feed(fold.newPartial(), 0, 0, 100);
            long held = fold.heldBytes();
            for (int i = 1; i < 100; i++) {
                feed(partial, i, 0, 100);
            }
            assertThat(fold.heldBytes()).isEqualTo(held);
        }
    }

    @ParameterizedTest
    @MethodSource("growing")
    void stopsAtTheLimit(MergeNode node) {
        long limit = 300_000;
        MemoryBudget query = process.child("query", limit);
        try (Fold fold = Fold.of(node, query)) {
            PartialFold partial = fold.newPartial();
            assertThatThrownBy(() -> feed(partial, 0, 0, 100_000)).isInstanceOf(BudgetExceededException.class);
            assertThat(query.heldBytes()).isBetween(limit / 2, limit);
        }
        assertThat(query.heldBytes()).isZero();
        assertThat(process.heldBytes()).isZero();
    }

    @Test
    void oneLargeRowIsCounted() {
        try (Fold fold = Fold.of(GROUPS, process.child("query", 1_000_000))) {
            PartialFold partial = fold.newPartial();
            partial.partitionStarts(0);
            Row large = row("1|" + "x".repeat(2_000_000));
            assertThatThrownBy(() -> partial.add(large)).isInstanceOf(BudgetExceededException.class);
        }
        assertThat(process.heldBytes()).isZero();
    }

    @ParameterizedTest
    @MethodSource("growing")
    void anErrorLeavesNothing(MergeNode node) throws Exception {
        try (Fold fold = Fold.of(node, process)) {
            PartialFold partial = feed(fold.newPartial(), 0, 0, 1000);
            assertThatThrownBy(() -> partial.add(row("x|" + VALUE))).isInstanceOf(FoldException.class);
            assertThat(process.heldBytes()).isPositive();
        }
        assertThat(process.heldBytes()).isZero();
    }

    @ParameterizedTest
    @MethodSource("growing")
    void anAbandonedFoldLeavesNothingAndStopsItsWorkers(MergeNode node) throws Exception {
        Fold fold = Fold.of(node, process);
        feed(fold.newPartial(), 0, 0, 1000);
        PartialFold running = feed(fold.newPartial(), 1, 0, 1000);
        fold.close();
        assertThat(process.heldBytes()).isZero();
        assertThatThrownBy(() -> feed(running, 2, 1000, 100_000)).isInstanceOf(CancellationException.class);
        assertThat(process.heldBytes()).isZero();
    }

    @Test
    void rowsLeftUnreadLeaveNothing() throws Exception {
        Fold fold = Fold.of(GROUPS, process);
        FoldedRows rows = fold.combine(List.of(feed(fold.newPartial(), 0, 0, 1000)));
        assertThat(rows.next()).isNotNull();
        rows.close();
        assertThat(process.heldBytes()).isZero();
    }

    @Test
    void aFoldIsUsedAsItWasMeant() throws Exception {
        try (Fold fold = Fold.of(GROUPS, process);
                Fold other = Fold.of(GROUPS, process)) {
            PartialFold partial = fold.newPartial();
            assertThatThrownBy(() -> partial.add(row("1|2"))).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> partial.partitionStarts(-1)).isInstanceOf(IllegalArgumentException.class);
            partial.partitionStarts(4);
            assertThatThrownBy(() -> partial.partitionStarts(4))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("partition 4 is folded twice");
            assertThatThrownBy(() -> other.combine(List.of(partial))).isInstanceOf(IllegalArgumentException.class);
            assertThat(fold.combine(List.of(partial)).rows()).isZero();
            assertThatThrownBy(() -> fold.combine(List.of(partial))).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aPartitionFoldedByTwoIsRefused() throws Exception {
        try (Fold fold = Fold.of(GROUPS, process)) {
            PartialFold one = feed(fold.newPartial(), 7, 0, 1);
            PartialFold two = feed(fold.newPartial(), 7, 0, 1);
            assertThatThrownBy(() -> fold.combine(List.of(one, two)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("{7}");
        }
    }
}

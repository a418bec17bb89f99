package io.fanfold.operator;

import static io.fanfold.operator.Merging.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.plan.MergeNode.Aggregate;
import io.fanfold.plan.MergeNode.Average;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.GroupOrder;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.SortColumn;
import io.fanfold.plan.SortKey.KeyComparison;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharedGroupsTest {
    private static final Aggregate GROUPS = new Aggregate(
            List.of(new GroupKey(0, Merging.key(0, KeyComparison.NUMBER))),
            List.of(new MergeFunction.Sum(0, true), new MergeFunction.Min(1, Merging.key(1, KeyComparison.BYTES))),
            false,
            false);

    private static final String VALUE = "v".repeat(40);

    private final MemoryBudget process = MemoryBudget.ofProcess(Merging.PLENTY);

    @AfterEach
    void allBytesAreReleased() {
        assertThat(process.heldBytes()).isZero();
    }

    /** Adds a partition with rows "first|v...", "first+1|v...", ... */
    private static AggregatePartial feed(AggregatePartial partial, int partition, int first, int count)
            throws Exception {
        partial.partitionStarts(partition);
        for (int i = first; i < first + count; i++) {
            partial.add(Merging.row(i + "|" + VALUE));
        }
        return partial;
    }

    private static void end(AggregatePartial partial) {
        partial.partitionEnds();
        partial.ends();
    }

    /** A partial merge that takes more rows gives its groups away. */
    @Test
    void aPartialMergeAboveTheLimitMergesItsGroups() throws Exception {
        try (MemoryBudget budget = process.child("merge", Merging.PLENTY)) {
            SharedGroups shared = new SharedGroups(GROUPS, budget, Long.MAX_VALUE, 1);
            AggregatePartial one = feed(shared.newPartial(), 0, 0, 300);
            AggregatePartial two = feed(shared.newPartial(), 1, 200, 300);
            assertThat(List.of(one.groupCount(), two.groupCount())).containsExactly(0, 0);
            List<String> rows = Merging.lines(shared.combine(List.of(one, two)));
            assertThat(rows).hasSize(500).contains("199|199|" + VALUE, "200|400|" + VALUE, "300|300|" + VALUE);
        }
    }

    @Test
    void manyGroupsAreJoinedByTheThreadsThatMergedThem() throws Exception {
        try (MemoryBudget budget = process.child("merge", Merging.PLENTY)) {
            SharedGroups shared = new SharedGroups(GROUPS, budget, Long.MAX_VALUE, 160_000);
            AggregatePartial one = feed(shared.newPartial(), 0, 0, 300);
            AggregatePartial two = feed(shared.newPartial(), 1, 200, 300);
            AggregatePartial brokenOff = feed(shared.newPartial(), 2, 0, 300);
            end(one);
            end(two);
            brokenOff.ends();
            assertThat(List.of(one.groupCount(), two.groupCount(), brokenOff.groupCount()))
                    .containsExactly(500, 0, 300);
            assertThat(shared.combine(List.of(one, two)).rows()).isEqualTo(500);
        }
    }

    /** An error in a thread that joins its groups is thrown by the thread that combines. */
    @Test
    void joiningManyGroupsEndsAtTheLimitToo() throws Exception {
        try (MemoryBudget budget = process.child("merge", Merging.PLENTY)) {
            SharedGroups shared = new SharedGroups(GROUPS, budget, 400, 160_000);
            AggregatePartial one = feed(shared.newPartial(), 0, 0, 300);
            AggregatePartial two = feed(shared.newPartial(), 1, 200, 300);
            end(one);
            end(two);
            assertThatThrownBy(() -> shared.combine(List.of(one, two)))
                    .isInstanceOf(MergeException.class)
                    .hasMessageContaining("more than 400 rows");
        }
        try (MemoryBudget budget = process.child("merge", 6_000_000)) {
            SharedGroups shared = new SharedGroups(GROUPS, budget, Long.MAX_VALUE, 20_000_000);
            AggregatePartial one = feed(shared.newPartial(), 0, 0, 9_000);
            AggregatePartial two = feed(shared.newPartial(), 1, 9_000, 9_000);
            end(one);
            end(two);
            assertThatThrownBy(() -> shared.combine(List.of(one, two))).isInstanceOf(BudgetExceededException.class);
        }
    }

    /** The shared groups cannot be used after an error, so a thread that merges later gets the same one. */
    @Test
    void aFailedMergeFailsAllThreads() throws Exception {
        try (MemoryBudget budget = process.child("merge", 200_000)) {
            SharedGroups shared = new SharedGroups(GROUPS, budget, Long.MAX_VALUE, 1);
            AggregatePartial one = shared.newPartial();
            AggregatePartial two = feed(shared.newPartial(), 1, 0, 1);
            assertThatThrownBy(() -> feed(one, 0, 1, 10_000)).isInstanceOf(BudgetExceededException.class);
            for (int key = -2; key < 0; key++) {
                String row = key + "|" + VALUE;
                assertThatThrownBy(() -> two.add(Merging.row(row))).isInstanceOf(BudgetExceededException.class);
            }
            assertThatThrownBy(() -> shared.combine(List.of(one, two))).isInstanceOf(BudgetExceededException.class);
        }
    }

    /** Each call runs in its own thread, so a lock that one keeps would block all others. */
    @Test
    void noCallKeepsTheLock() throws Exception {
        try (MemoryBudget budget = process.child("merge", Merging.PLENTY)) {
            SharedGroups handedOver = new SharedGroups(GROUPS, budget, 100, 1);
            SharedGroups joined = new SharedGroups(GROUPS, budget, 100, 160_000);
            for (int round = 0; round < 3; round++) {
                int first = 40 * round;
                AggregatePartial one = handedOver.newPartial();
                AggregatePartial two = feed(joined.newPartial(), round, first, 40);
                if (round < 2) {
                    elsewhere(() -> feed(one, first, first, 40));
                } else {
                    assertThatThrownBy(() -> elsewhere(() -> feed(one, first, first, 40)))
                            .hasCauseInstanceOf(MergeException.class);
                }
                elsewhere(() -> {
                    joined.join(two);
                    return true;
                });
            }
            assertThatThrownBy(() -> handedOver.combine(List.of())).isInstanceOf(MergeException.class);
            assertThatThrownBy(() -> joined.combine(List.of())).isInstanceOf(MergeException.class);
        }
    }

    /** Keys, sums and averages have an order. */
    @Test
    void groupsAreOnlySortedByColumnsThatHaveAnOrder() {
        for (int column = 0; column < 5; column++) {
            Aggregate node = new Aggregate(
                    List.of(new GroupKey(0, Merging.key(0, KeyComparison.NUMBER))),
                    List.of(new MergeFunction.Sum(0, true), new MergeFunction.AnyValue(1, false)),
                    List.of(new Average(0, 0, 9, 4)),
                    false,
                    new GroupOrder(List.of(new SortColumn(column, false)), 0, 5));
            SharedGroups shared = new SharedGroups(node, process, Long.MAX_VALUE, 1);
            if (column == 2 || column == 4) {
                assertThatThrownBy(shared::newPartial)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("column " + column + " is not sorted by");
            } else {
                assertThat(shared.newPartial().groupCount())
                        .as("by column %d", column)
                        .isZero();
            }
        }
    }

    @Test
    void combiningWithoutRowsHasNoGroups() throws Exception {
        try (MemoryBudget budget = process.child("merge", Merging.PLENTY)) {
            assertThat(new SharedGroups(GROUPS, budget, 0, 1).combine(List.of()).rows())
                    .isZero();
        }
    }
}

package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import io.fanfold.row.Row;
import org.jspecify.annotations.Nullable;

/** The smallest rows of several sorted runs, at most as many as the whole result can need. */
final class TopRowsPartial extends RankedPartial {
    private final int visibleColumns;
    private final SortedRun run;
    private final SmallestRows smallest;

    TopRowsPartial(MemoryBudget budget, long mostRows, MergeNode.TopRows node) {
        super(budget, mostRows, columnsNeeded(node));
        long limit = node.offset() > Long.MAX_VALUE - node.count() ? Long.MAX_VALUE : node.offset() + node.count();
        this.visibleColumns = node.visibleColumns();
        this.run = new SortedRun(node.keys());
        this.smallest = new SmallestRows(limit, share);
    }

    private static int columnsNeeded(MergeNode.TopRows node) {
        return Math.max(SortedRun.columnsNeeded(node.keys()), node.visibleColumns());
    }

    @Override
    void runStarts() {
        run.starts();
    }

    @Override
    void add(Row row, long rank) throws MergeException, BudgetExceededException {
        KeyEncoder key = run.next(row);
        if (smallest.hasRoom()) {
            requireWanted(smallest.size() + 1L);
        }
        if (smallest.takes(key.bytes(), key.length(), rank)) {
            smallest.add(new TopRow(key.toBytes(), rank, row.prefix(visibleColumns)));
        }
    }

    int size() {
        return smallest.size();
    }

    /** Returns the kept rows, sorted; null after the first {@link #size()}. No rows may be added after this. */
    @Nullable
    TopRow[] sorted() {
        return smallest.sorted();
    }
}

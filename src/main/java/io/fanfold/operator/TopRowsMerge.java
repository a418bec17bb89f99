package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import io.fanfold.row.Row;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Merges the sorted rows of the partial merges, skips the offset and stops at the count. */
final class TopRowsMerge implements MergedRows {
    private final MemoryBudget budget;
    private final PriorityQueue<Run> runs = new PriorityQueue<>();
    private final int columns;
    private final long rows;
    private long left;
    private boolean closed;

    /** @param budget closed with the rows */
    TopRowsMerge(MemoryBudget budget, MergeNode.TopRows node, List<TopRowsPartial> partials) {
        this.budget = budget;
        this.columns = node.visibleColumns();
        long found = 0;
        for (TopRowsPartial partial : partials) {
            Run run = Run.of(partial.sorted());
            if (run != null) {
                runs.add(run);
            }
            found += partial.size();
        }
        this.rows = Math.max(Math.min(found - Math.min(node.offset(), found), node.count()), 0);
        this.left = rows;
        if (rows > 0) {
            for (long skipped = 0; skipped < node.offset(); skipped++) {
                smallest();
            }
        }
    }

    @Override
    public @Nullable Row next() {
        if (closed) {
            throw new IllegalStateException("the merged rows are closed");
        }
        if (left == 0) {
            return null;
        }
        left--;
        return Row.of(smallest().payload(), columns);
    }

    private TopRow smallest() {
        Run run = runs.remove();
        TopRow row = run.head;
        if (run.advance()) {
            runs.add(run);
        }
        return row;
    }

    @Override
    public long rows() {
        return rows;
    }

    @Override
    public void close() {
        closed = true;
        runs.clear();
        budget.close();
    }

    /** The remaining rows of one partial merge. */
    private static final class Run implements Comparable<Run> {
        private final @Nullable TopRow[] rows;
        private int at;
        private TopRow head;

        private Run(@Nullable TopRow[] rows, TopRow head) {
            this.rows = rows;
            this.head = head;
        }

        static @Nullable Run of(@Nullable TopRow[] rows) {
            TopRow first = rows[0];
            return first == null ? null : new Run(rows, first);
        }

        boolean advance() {
            at++;
            TopRow row = at < rows.length ? rows[at] : null;
            if (row == null) {
                return false;
            }
            head = row;
            return true;
        }

        @Override
        public int compareTo(Run other) {
            return head.compareTo(other.head);
        }
    }
}

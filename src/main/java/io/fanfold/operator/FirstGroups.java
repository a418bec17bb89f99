package io.fanfold.operator;

import io.fanfold.plan.MergeNode.GroupOrder;
import io.fanfold.row.Row;
import org.jspecify.annotations.Nullable;

/** The first merged rows of groups in an order, after an offset. */
final class FirstGroups implements MergedRows {
    private final Runnable release;
    private final int columns;
    private final int rows;
    private @Nullable TopRow @Nullable [] sorted;
    private int next;

    FirstGroups(Runnable release, int columns, SmallestRows smallest, GroupOrder order) {
        this.release = release;
        this.columns = columns;
        this.sorted = smallest.sorted();
        this.next = (int) Math.min(order.offset(), smallest.size());
        this.rows = smallest.size() - next;
    }

    @Override
    public @Nullable Row next() {
        if (sorted == null) {
            throw new IllegalStateException("the merged rows are closed");
        }
        TopRow row = next < sorted.length ? sorted[next++] : null;
        return row == null ? null : Row.of(row.payload(), columns);
    }

    @Override
    public long rows() {
        return rows;
    }

    @Override
    public void close() {
        sorted = null;
        release.run();
    }
}

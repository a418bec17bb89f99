package io.fanfold.merge;

import io.fanfold.plan.MergeNode;
import io.fanfold.row.Row;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The smallest rows of several sorted runs, at most as many as the whole result can need. Until that many are there they
 * are kept as they come; from then on they are a heap with the largest at its root.
 */
final class TopRowsPartial extends RankedPartial {
    private final long limit;
    private final int visibleColumns;
    private final SortedRun run;

    private @Nullable TopRow[] kept = new TopRow[16];
    private int size;
    private boolean isHeap;

    TopRowsPartial(Fold owner, MemoryBudget budget, MergeNode.TopRows node) {
        super(owner, budget, columnsNeeded(node));
        this.limit = node.offset() > Long.MAX_VALUE - node.count() ? Long.MAX_VALUE : node.offset() + node.count();
        this.visibleColumns = node.visibleColumns();
        this.run = new SortedRun(node.keys());
    }

    private static int columnsNeeded(MergeNode.TopRows node) {
        return Math.max(SortedRun.columnsNeeded(node.keys()), node.visibleColumns());
    }

    @Override
    void runStarts() {
        run.starts();
    }

    @Override
    void add(Row row, long rank) throws FoldException, BudgetExceededException {
        KeyEncoder key = run.next(row);
        if (size < limit) {
            append(new TopRow(key.toBytes(), rank, row.prefix(visibleColumns)));
        } else if (size > 0) {
            replaceLargest(key, row, rank);
        }
    }

    private void append(TopRow row) throws FoldException, BudgetExceededException {
        owner.requireWanted(size + 1L);
        long more = row.heapBytes();
        if (size == kept.length) {
            int capacity = (int) Math.min(Integer.MAX_VALUE - 8, 2L * size);
            more += HeapSize.REFERENCE * (capacity - size);
            share.use(more);
            kept = Arrays.copyOf(kept, capacity);
        } else {
            share.use(more);
        }
        kept[size++] = row;
    }

    private void replaceLargest(KeyEncoder key, Row row, long rank) throws BudgetExceededException {
        if (!isHeap) {
            for (int i = size / 2 - 1; i >= 0; i--) {
                siftDown(i);
            }
            isHeap = true;
        }
        TopRow largest = at(0);
        int order = key.compareTo(largest.key());
        if (order < 0 || order == 0 && rank < largest.rank()) {
            TopRow smaller = new TopRow(key.toBytes(), rank, row.prefix(visibleColumns));
            share.use(smaller.heapBytes() - largest.heapBytes());
            kept[0] = smaller;
            siftDown(0);
        }
    }

    private void siftDown(int from) {
        TopRow moved = at(from);
        int hole = from;
        for (int child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
            if (child + 1 < size && at(child + 1).compareTo(at(child)) > 0) {
                child++;
            }
            if (moved.compareTo(at(child)) >= 0) {
                break;
            }
            kept[hole] = kept[child];
            hole = child;
        }
        kept[hole] = moved;
    }

    private TopRow at(int index) {
        TopRow row = kept[index];
        if (row == null) {
            throw new IndexOutOfBoundsException(index);
        }
        return row;
    }

    int size() {
        return size;
    }

    /** The rows kept, sorted; null behind the first {@link #size()}. Rows are not to be added any more. */
    @Nullable
    TopRow[] sorted() {
        Arrays.sort(kept, 0, size);
        return kept;
    }
}

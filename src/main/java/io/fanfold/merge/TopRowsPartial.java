package io.fanfold.merge;

import io.fanfold.plan.MergeNode;
import io.fanfold.plan.SortKey;
import io.fanfold.row.Row;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The smallest rows of several sorted runs, at most as many as the whole result can need. Until that many are there they
 * are kept as they come; from then on they are a heap with the largest at its root.
 */
final class TopRowsPartial extends RankedPartial {
    /**
     * Servers sort by the first max_sort_length bytes only, 1024 by default; longer keys may stand in any order behind
     * them.
     */
    private static final int SORTED_BYTES = 1000;

    private final long limit;
    private final int[] stringKeys;
    private final int visibleColumns;
    private KeyEncoder current;
    private KeyEncoder previous;
    private boolean firstOfRun = true;

    private @Nullable TopRow[] kept = new TopRow[16];
    private int size;
    private boolean isHeap;

    TopRowsPartial(Fold owner, MemoryBudget budget, MergeNode.TopRows node) {
        super(owner, budget, columnsNeeded(node));
        this.limit = node.offset() > Long.MAX_VALUE - node.count() ? Long.MAX_VALUE : node.offset() + node.count();
        this.visibleColumns = node.visibleColumns();
        this.stringKeys = node.keys().stream()
                .filter(key -> key.comparison() == SortKey.Comparison.BYTES
                        || key.comparison() == SortKey.Comparison.WEIGHT
                        || key.comparison() == SortKey.Comparison.WEIGHT_PAD)
                .mapToInt(SortKey::column)
                .toArray();
        this.current = KeyEncoder.forOrder(node.keys());
        this.previous = KeyEncoder.forOrder(node.keys());
    }

    private static int columnsNeeded(MergeNode.TopRows node) {
        int lastKey = node.keys().stream().mapToInt(SortKey::column).max().orElse(-1);
        return Math.max(lastKey + 1, node.visibleColumns());
    }

    @Override
    void runStarts() {
        firstOfRun = true;
    }

    @Override
    void add(Row row, long rank) throws FoldException, BudgetExceededException {
        for (int column : stringKeys) {
            if (row.length(column) > SORTED_BYTES) {
                throw new FoldException(
                        FoldException.Kind.NOT_SORTED,
                        "a sort key of " + row.length(column) + " bytes is longer than servers sort by");
            }
        }
        KeyEncoder swap = previous;
        previous = current;
        current = swap;
        current.encode(row);
        if (!firstOfRun && current.compareTo(previous) < 0) {
            throw new FoldException(
                    FoldException.Kind.NOT_SORTED, "a row of a partition is smaller than the row before it");
        }
        firstOfRun = false;
        if (size < limit) {
            append(new TopRow(current.toBytes(), rank, row.prefix(visibleColumns)));
        } else if (size > 0) {
            replaceLargest(row, rank);
        }
    }

    private void append(TopRow row) throws BudgetExceededException {
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

    private void replaceLargest(Row row, long rank) throws BudgetExceededException {
        if (!isHeap) {
            for (int i = size / 2 - 1; i >= 0; i--) {
                siftDown(i);
            }
            isHeap = true;
        }
        TopRow largest = at(0);
        int order = current.compareTo(largest.key());
        if (order < 0 || order == 0 && rank < largest.rank()) {
            TopRow smaller = new TopRow(current.toBytes(), rank, row.prefix(visibleColumns));
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

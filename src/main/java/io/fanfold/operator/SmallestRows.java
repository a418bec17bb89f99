package io.fanfold.operator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the smallest of many rows. Until the limit is reached they are in insertion order; after that they are a heap
 * with the largest at its root. For one thread.
 */
final class SmallestRows {
    private final long limit;
    private final BudgetShare share;

    private @Nullable TopRow[] kept = new TopRow[16];
    private int size;
    private boolean isHeap;

    /** @param limit the number of rows to keep */
    SmallestRows(long limit, BudgetShare share) {
        this.limit = limit;
        this.share = share;
    }

    /** Whether there are fewer rows than the limit. */
    boolean hasRoom() {
        return size < limit;
    }

    /** Whether a row is among the smallest of the rows so far and itself. */
    boolean takes(byte[] key, int keyLength, long rank) {
        if (size < limit) {
            return true;
        }
        if (size == 0) {
            return false;
        }
        if (!isHeap) {
            for (int i = size / 2 - 1; i >= 0; i--) {
                siftDown(i);
            }
            isHeap = true;
        }
        TopRow largest = at(0);
        int order = Arrays.compareUnsigned(key, 0, keyLength, largest.key(), 0, largest.key().length);
        return order < 0 || order == 0 && rank < largest.rank();
    }

    /** Adds a row for which {@link #takes} returned true. */
    void add(TopRow row) throws BudgetExceededException {
        if (size == limit) {
            share.use(row.heapBytes() - at(0).heapBytes());
            kept[0] = row;
            siftDown(0);
            return;
        }
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

    /** Returns the kept rows, sorted; null after the first {@link #size()}. No rows may be added after this. */
    @Nullable
    TopRow[] sorted() {
        Arrays.sort(kept, 0, size);
        return kept;
    }
}

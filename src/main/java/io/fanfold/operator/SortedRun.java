package io.fanfold.operator;

import io.fanfold.plan.SortKey;
import io.fanfold.row.Row;
import java.util.List;

/** Encodes the sort keys of sorted rows, and refuses rows out of order. For one thread. */
final class SortedRun {
    /**
     * Servers sort only by the first max_sort_length bytes, 1024 by default; longer keys may be in any order after
     * these.
     */
    private static final int SORTED_BYTES = 1000;

    private final int[] stringKeys;
    private KeyEncoder current;
    private KeyEncoder previous;
    private boolean first = true;

    SortedRun(List<SortKey> keys) {
        this.stringKeys = keys.stream()
                .filter(key -> key.comparison() == SortKey.KeyComparison.BYTES
                        || key.comparison() == SortKey.KeyComparison.WEIGHT
                        || key.comparison() == SortKey.KeyComparison.WEIGHT_PAD)
                .mapToInt(SortKey::column)
                .toArray();
        this.current = KeyEncoder.forOrder(keys);
        this.previous = KeyEncoder.forOrder(keys);
    }

    /** The minimum number of columns of a row that contains all keys. */
    static int columnsNeeded(List<SortKey> keys) {
        return keys.stream().mapToInt(SortKey::column).max().orElse(-1) + 1;
    }

    /** Starts a new run. */
    void starts() {
        first = true;
    }

    /**
     * Returns the key of the next row, valid until the row after it.
     *
     * @throws MergeException if the row is smaller than the previous one, or servers do not sort by its whole key
     */
    KeyEncoder next(Row row) throws MergeException {
        for (int column : stringKeys) {
            if (row.length(column) > SORTED_BYTES) {
                throw new MergeException(
                        MergeException.MergeFailure.NOT_SORTED,
                        "a sort key of " + row.length(column) + " bytes is longer than servers sort by");
            }
        }
        KeyEncoder swap = previous;
        previous = current;
        current = swap;
        current.encode(row);
        if (!first && current.compareTo(previous) < 0) {
            throw new MergeException(
                    MergeException.MergeFailure.NOT_SORTED, "a row of a partition is smaller than the row before it");
        }
        first = false;
        return current;
    }
}

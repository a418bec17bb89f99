package io.fanfold.merge;

import io.fanfold.plan.SortKey;
import io.fanfold.row.Row;
import java.util.List;

/** Encodes the sort keys of rows that come sorted, and refuses rows that do not. For one thread. */
final class SortedRun {
    /**
     * Servers sort by the first max_sort_length bytes only, 1024 by default; longer keys may stand in any order behind
     * them.
     */
    private static final int SORTED_BYTES = 1000;

    private final int[] stringKeys;
    private KeyEncoder current;
    private KeyEncoder previous;
    private boolean first = true;

    SortedRun(List<SortKey> keys) {
        this.stringKeys = keys.stream()
                .filter(key -> key.comparison() == SortKey.Comparison.BYTES
                        || key.comparison() == SortKey.Comparison.WEIGHT
                        || key.comparison() == SortKey.Comparison.WEIGHT_PAD)
                .mapToInt(SortKey::column)
                .toArray();
        this.current = KeyEncoder.forOrder(keys);
        this.previous = KeyEncoder.forOrder(keys);
    }

    /** How many columns rows need so that all keys are among them. */
    static int columnsNeeded(List<SortKey> keys) {
        return keys.stream().mapToInt(SortKey::column).max().orElse(-1) + 1;
    }

    /** The rows to come are sorted anew. */
    void starts() {
        first = true;
    }

    /**
     * The key of the next row, valid until the row after it.
     *
     * @throws FoldException when the row is smaller than the one before it, or servers do not sort by all of its key
     */
    KeyEncoder next(Row row) throws FoldException {
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
        if (!first && current.compareTo(previous) < 0) {
            throw new FoldException(
                    FoldException.Kind.NOT_SORTED, "a row of a partition is smaller than the row before it");
        }
        first = false;
        return current;
    }
}

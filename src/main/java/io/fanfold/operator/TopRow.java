package io.fanfold.operator;

import java.util.Arrays;

/**
 * A row that may belong to the result. Ordered by key, then by rank.
 *
 * @param key encoded by {@link KeyEncoder#forOrder}
 * @param rank unique among all rows
 * @param payload the payload of the visible columns
 */
record TopRow(byte[] key, long rank, byte[] payload) implements Comparable<TopRow> {
    private static final long SHELL_BYTES = 32;

    @Override
    public int compareTo(TopRow other) {
        int order = Arrays.compareUnsigned(key, other.key);
        return order != 0 ? order : Long.compare(rank, other.rank);
    }

    long heapBytes() {
        return SHELL_BYTES + HeapSize.of(key) + HeapSize.of(payload);
    }
}

package io.fanfold.operator;

import java.util.ArrayList;
import java.util.List;

/** Rows of one partition query, passed from the reading thread to the answering one. Used by one thread at a time. */
final class RowBatch {
    /**
     * The size at which a batch is passed on: large enough that passing costs little, small enough that little data
     * waits.
     */
    static final long FULL_BYTES = 32 * 1024;

    private final List<byte[]> payloads = new ArrayList<>();

    /** The sort keys, encoded by {@link KeyEncoder#forOrder}; empty if rows are not merged. */
    private final List<byte[]> keys = new ArrayList<>();

    private long bytes;
    private boolean last;
    private boolean counted;

    void add(byte[] payload) {
        payloads.add(payload);
        bytes += HeapSize.of(payload) + HeapSize.REFERENCE;
    }

    void add(byte[] payload, byte[] key) {
        add(payload);
        keys.add(key);
        bytes += HeapSize.of(key) + HeapSize.REFERENCE;
    }

    int size() {
        return payloads.size();
    }

    byte[] payload(int index) {
        return payloads.get(index);
    }

    byte[] key(int index) {
        return keys.get(index);
    }

    /** The approximate heap bytes of the rows. */
    long bytes() {
        return bytes;
    }

    /** Marks the last batch of the partition query. */
    void setLast() {
        last = true;
    }

    boolean last() {
        return last;
    }

    /** Sets whether the bytes are reserved in the budget. */
    void setCounted(boolean reserved) {
        counted = reserved;
    }

    boolean counted() {
        return counted;
    }
}

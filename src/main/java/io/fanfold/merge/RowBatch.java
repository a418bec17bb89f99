package io.fanfold.merge;

import java.util.ArrayList;
import java.util.List;

/** Some rows of one partition query, handed from the thread that reads them to the one that answers. For one at a time. */
final class RowBatch {
    /** A batch with this much is handed on: so few hand-overs cost little, and so little waits. */
    static final long FULL_BYTES = 32 * 1024;

    private final List<byte[]> payloads = new ArrayList<>();

    /** As {@link KeyEncoder#forOrder} encodes them; none where rows are not merged. */
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

    /** About how much heap the rows hold. */
    long bytes() {
        return bytes;
    }

    /** Marks that no further rows of the partition query follow. */
    void setLast() {
        last = true;
    }

    boolean last() {
        return last;
    }

    /** Remembers whether the bytes are reserved in the budget. */
    void setCounted(boolean reserved) {
        counted = reserved;
    }

    boolean counted() {
        return counted;
    }
}

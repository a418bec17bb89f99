package io.fanfold.operator;

import io.fanfold.wire.PacketCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of one partition query, passed from the reading thread to the answering one: packets in one array, or one large
 * row. Used by one thread at a time.
 */
final class RowBatch {
    /**
     * The size at which a batch is passed on: large enough that passing costs little, small enough that little data
     * waits.
     */
    static final int FULL_BYTES = 32 * 1024;

    /** A row of at least this size is not copied. It is the only one of its batch. */
    static final int LARGE_ROW = 16 * 1024;

    private static final int FIRST_BYTES = 512;
    private static final int MOST_BYTES = FULL_BYTES + LARGE_ROW;
    private static final byte[] NONE = {};

    private byte[] packets = NONE;
    private int length;
    private int rows;
    private byte @Nullable [] large;

    /** The sort keys, encoded by {@link KeyEncoder#forOrder}; empty if rows are not merged. */
    private final List<byte[]> keys = new ArrayList<>();

    private long keyBytes;
    private boolean last;
    private boolean counted;

    /**
     * Adds a row.
     *
     * @param payload at least {@code size} bytes
     * @param size the bytes of the visible columns, fewer than {@link #LARGE_ROW}
     */
    void add(byte[] payload, int size) {
        reserve(PacketCodec.HEADER + size);
        PacketCodec.putHeader(packets, length, size, 0);
        System.arraycopy(payload, 0, packets, length + PacketCodec.HEADER, size);
        length += PacketCodec.HEADER + size;
        rows++;
    }

    /** Adds a large row to an empty batch. The array is retained. */
    void addLarge(byte[] payload) {
        large = payload;
        rows = 1;
    }

    /** Adds packets, see {@link RowOutput#packets}. */
    void addPackets(byte[] bytes, int from, int to, int count) {
        reserve(to - from);
        System.arraycopy(bytes, from, packets, length, to - from);
        length += to - from;
        rows += count;
    }

    /** Adds the sort key of the row that was added last. */
    void addKey(byte[] key) {
        keys.add(key);
        keyBytes += HeapSize.of(key) + HeapSize.REFERENCE;
    }

    private void reserve(int more) {
        int needed = length + more;
        if (needed > packets.length) {
            int usual = Math.min(MOST_BYTES, Math.max(FIRST_BYTES, 2 * packets.length));
            packets = Arrays.copyOf(packets, Math.max(needed, usual));
        }
    }

    /** Whether it is to be passed on. */
    boolean full() {
        return large != null || length + keyBytes >= FULL_BYTES;
    }

    /** Whether packets of this size may be added without making the batch too large. */
    boolean hasRoom(int bytes) {
        return large == null && length + bytes <= MOST_BYTES;
    }

    int size() {
        return rows;
    }

    /**
     * Returns the index after some packets.
     *
     * @param from the index of the first one; 0 for a large row, whose end is 0
     * @param count the number of packets, all of this batch
     */
    int end(int from, int count) {
        int end = from;
        for (int i = 0; i < count && end < length; i++) {
            end = PacketCodec.end(packets, end);
        }
        return end;
    }

    /** Returns the index after the last packet; 0 for a large row. */
    int end() {
        return length;
    }

    /** Writes the large row, or the packets between two indices. */
    <E extends Exception> void writeTo(RowOutput<E> out, int from, int to, int count) throws E, InterruptedException {
        if (large == null) {
            out.packets(packets, from, to, count);
        } else {
            out.row(large);
        }
    }

    byte[] key(int index) {
        return keys.get(index);
    }

    /** The approximate heap bytes of the rows. */
    long bytes() {
        return (length == 0 ? 0 : HeapSize.of(packets)) + HeapSize.of(large) + keyBytes;
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

package io.fanfold.row;

import java.util.Arrays;

/** Builds the payload of a row value by value, in the order of the columns. For one thread; reusable. */
public final class RowBuilder {
    private byte[] bytes = new byte[64];
    private int length;
    private int columns;

    /** Forgets all values. */
    public RowBuilder clear() {
        length = 0;
        columns = 0;
        return this;
    }

    public RowBuilder addNull() {
        ensure(1);
        bytes[length++] = (byte) 0xfb;
        columns++;
        return this;
    }

    /** Adds a value that is not NULL; the bytes are copied. */
    public RowBuilder add(byte[] value) {
        return add(value, 0, value.length);
    }

    /** Adds a value that is not NULL from a part of an array; the bytes are copied. */
    public RowBuilder add(byte[] from, int start, int count) {
        ensure((long) Row.headLength(count) + count);
        length = Row.putHead(bytes, length, count);
        System.arraycopy(from, start, bytes, length, count);
        length += count;
        columns++;
        return this;
    }

    /** Adds a copy of one value of another row, NULL or not. */
    public RowBuilder add(Row row, int column) {
        return row.isNull(column) ? addNull() : add(row.payload(), row.start(column), row.length(column));
    }

    /**
     * Adds several values that were built before.
     *
     * @param payload what {@link #toPayload()} gave
     * @param count how many values it holds
     */
    public RowBuilder addAll(byte[] payload, int count) {
        ensure(payload.length);
        System.arraycopy(payload, 0, bytes, length, payload.length);
        length += payload.length;
        columns += count;
        return this;
    }

    /** How many bytes the values added so far take. */
    public int length() {
        return length;
    }

    /** The payload of a row with the values added so far. */
    public byte[] toPayload() {
        return Arrays.copyOf(bytes, length);
    }

    /** A row with the values added so far. */
    public Row toRow() {
        return Row.of(toPayload(), columns);
    }

    private void ensure(long more) {
        long needed = length + more;
        if (needed > bytes.length) {
            int capacity = (int) Math.min(Integer.MAX_VALUE - 8, Math.max(needed, 2L * bytes.length));
            if (needed > capacity) {
                throw new IllegalStateException("a row of " + needed + " bytes does not fit into an array");
            }
            bytes = Arrays.copyOf(bytes, capacity);
        }
    }
}

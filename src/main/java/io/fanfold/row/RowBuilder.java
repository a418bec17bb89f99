package io.fanfold.row;

import java.util.Arrays;

/** Builds the payload of a row value by value, in column order. For use by one thread; reusable. */
public final class RowBuilder {
    private byte[] bytes = new byte[64];
    private int length;
    private int columns;

    /** Removes all values. */
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

    /**
     * Adds an exact number as the server prints it.
     *
     * @param unscaled the unscaled number
     * @param scale the number of digits after the decimal point, 0 to {@link ExactDecimal#MAX_DIGITS}
     */
    public RowBuilder add(long unscaled, int scale) {
        int digits = 1;
        for (long rest = unscaled / 10; rest != 0; rest /= 10) {
            digits++;
        }
        int whole = Math.max(1, digits - scale);
        int count = (unscaled < 0 ? 1 : 0) + whole + (scale > 0 ? 1 + scale : 0);
        ensure(count + 1L);
        bytes[length] = (byte) count;
        int at = length + count;
        length = at + 1;
        long rest = unscaled;
        for (int i = 0; i < whole + scale; i++) {
            if (i == scale && scale > 0) {
                bytes[at--] = '.';
            }
            bytes[at--] = (byte) ('0' + Math.abs(rest % 10));
            rest /= 10;
        }
        if (unscaled < 0) {
            bytes[at] = '-';
        }
        columns++;
        return this;
    }

    /** Adds a copy of one value of another row, NULL or not. */
    public RowBuilder add(Row row, int column) {
        return row.isNull(column) ? addNull() : add(row.payload(), row.start(column), row.length(column));
    }

    /**
     * Adds several encoded values.
     *
     * @param from an array that contains them in the format of {@link #toPayload()}
     * @param start the index of their first byte
     * @param size the number of bytes
     * @param count the number of values
     */
    public RowBuilder addAll(byte[] from, int start, int size, int count) {
        ensure(size);
        System.arraycopy(from, start, bytes, length, size);
        length += size;
        columns += count;
        return this;
    }

    /** Returns the position after the encoded value that begins at {@code start}. */
    public static int end(byte[] from, int start) {
        return Row.valueEnd(from, start);
    }

    /**
     * Returns the array with the values added so far, up to {@link #length()}. Valid until the next change; callers
     * must not write to it.
     */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns the number of bytes of the values added so far. */
    public int length() {
        return length;
    }

    /** Returns the payload of a row with the values added so far. */
    public byte[] toPayload() {
        return Arrays.copyOf(bytes, length);
    }

    /** Returns a row with the values added so far. */
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

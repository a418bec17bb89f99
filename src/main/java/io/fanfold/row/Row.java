package io.fanfold.row;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of a text-protocol result set: the packet's payload as the server sent it, with the positions of its values.
 * Immutable if no caller writes to {@link #payload()}. Safe for use by multiple threads.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_row.html">text
 *     row</a>
 */
public final class Row {
    private final byte[] payload;

    /** For column i: start of its bytes at 2i, length at 2i+1; the length is -1 for NULL. */
    private final int[] bounds;

    private Row(byte[] payload, int[] bounds) {
        this.payload = payload;
        this.bounds = bounds;
    }

    /**
     * Finds the values of a row.
     *
     * @param payload the packet's payload without its header; not copied
     * @param columns the number of columns of the result set
     * @throws IllegalArgumentException if the payload does not contain exactly that many values
     */
    public static Row of(byte[] payload, int columns) {
        int[] bounds = new int[2 * columns];
        int at = 0;
        for (int i = 0; i < columns; i++) {
            if (at >= payload.length) {
                throw new IllegalArgumentException("row ends before column " + i + " of " + columns);
            }
            int first = payload[at] & 0xff;
            long length;
            int head;
            if (first < 0xfb) {
                length = first;
                head = 1;
            } else if (first == 0xfb) {
                length = -1;
                head = 1;
            } else {
                head = first == 0xfc ? 3 : first == 0xfd ? 4 : 9;
                length = littleEndian(payload, at + 1, head - 1);
            }
            at += head;
            if (length > payload.length - at) {
                throw new IllegalArgumentException(
                        "column " + i + " claims " + length + " bytes, the row has " + (payload.length - at) + " left");
            }
            bounds[2 * i] = at;
            bounds[2 * i + 1] = (int) length;
            at += (int) Math.max(length, 0);
        }
        if (at != payload.length) {
            throw new IllegalArgumentException(
                    "row has " + (payload.length - at) + " bytes after its " + columns + " columns");
        }
        return new Row(payload, bounds);
    }

    /**
     * Whether bytes are the payload of a row that {@link #of} accepts. False for a row with a value of 64 KiB or more.
     *
     * @param to the index after the last byte
     */
    public static boolean isSmallRow(byte[] bytes, int from, int to, int columns) {
        int at = from;
        for (int i = 0; i < columns; i++) {
            int left = to - at;
            int first = left > 0 ? bytes[at] & 0xff : 0xff;
            if (first < 0xfb) {
                at += 1 + first;
            } else if (first == 0xfb) {
                at++;
            } else if (first == 0xfc && left > 2) {
                at += 3 + (bytes[at + 1] & 0xff | (bytes[at + 2] & 0xff) << 8);
            } else {
                return false;
            }
        }
        return at == to;
    }

    /** Builds a row from values; a null element is NULL. The arrays are copied. */
    public static Row ofValues(List<byte[]> values) {
        int size = 0;
        for (byte @Nullable [] value : values) {
            size += value == null ? 1 : headLength(value.length) + value.length;
        }
        byte[] payload = new byte[size];
        int at = 0;
        for (byte @Nullable [] value : values) {
            if (value == null) {
                payload[at++] = (byte) 0xfb;
            } else {
                at = putHead(payload, at, value.length);
                System.arraycopy(value, 0, payload, at, value.length);
                at += value.length;
            }
        }
        return of(payload, values.size());
    }

    private static long littleEndian(byte[] bytes, int at, int count) {
        if (at + count > bytes.length) {
            throw new IllegalArgumentException("row ends inside a length");
        }
        long value = 0;
        for (int i = count - 1; i >= 0; i--) {
            value = value << 8 | bytes[at + i] & 0xff;
        }
        if (value < 0) {
            throw new IllegalArgumentException("a length of a value is over 2^63");
        }
        return value;
    }

    /** Returns the number of bytes of a value's length prefix. */
    static int headLength(int length) {
        return length < 0xfb ? 1 : length < 1 << 16 ? 3 : length < 1 << 24 ? 4 : 9;
    }

    /** Writes a value's length prefix and returns the position after it. */
    static int putHead(byte[] to, int at, int length) {
        int head = headLength(length);
        if (head == 1) {
            to[at] = (byte) length;
            return at + 1;
        }
        to[at] = (byte) (head == 3 ? 0xfc : head == 4 ? 0xfd : 0xfe);
        for (int i = 0; i < head - 1; i++) {
            to[at + 1 + i] = i < 4 ? (byte) (length >>> 8 * i) : 0;
        }
        return at + head;
    }

    /** Returns the position after a well-formed value that begins with its length prefix at {@code start}. */
    static int valueEnd(byte[] bytes, int start) {
        int first = bytes[start] & 0xff;
        if (first < 0xfb) {
            return start + 1 + first;
        }
        if (first == 0xfb) {
            return start + 1;
        }
        int head = first == 0xfc ? 3 : first == 0xfd ? 4 : 9;
        return start + head + (int) littleEndian(bytes, start + 1, head - 1);
    }

    public int columns() {
        return bounds.length / 2;
    }

    /** Returns the whole payload; callers must not write to it. */
    public byte[] payload() {
        return payload;
    }

    public boolean isNull(int column) {
        return bounds[2 * column + 1] < 0;
    }

    /** Returns the position of the value's first byte in {@link #payload()}. */
    public int start(int column) {
        return bounds[2 * column];
    }

    /** Returns the number of bytes of the value; -1 for NULL. */
    public int length(int column) {
        return bounds[2 * column + 1];
    }

    /** Returns a copy of the value's bytes; null for NULL. */
    public byte @Nullable [] bytes(int column) {
        int length = length(column);
        return length < 0 ? null : Arrays.copyOfRange(payload, start(column), start(column) + length);
    }

    /** Returns the value as text, one character a byte; null for NULL. For numbers, dates and names in ASCII. */
    public @Nullable String ascii(int column) {
        int length = length(column);
        return length < 0 ? null : new String(payload, start(column), length, StandardCharsets.ISO_8859_1);
    }

    /** Returns the value as UTF-8 text; null for NULL. */
    public @Nullable String utf8(int column) {
        int length = length(column);
        return length < 0 ? null : new String(payload, start(column), length, StandardCharsets.UTF_8);
    }

    /**
     * Returns the payload of a row with only the first columns of this one. Returns this payload itself for all
     * columns.
     */
    public byte[] prefix(int columns) {
        return columns == columns() ? payload : Arrays.copyOf(payload, prefixLength(columns));
    }

    /** Returns the number of bytes of {@link #prefix}. */
    public int prefixLength(int columns) {
        return columns == 0 ? 0 : start(columns - 1) + Math.max(length(columns - 1), 0);
    }

    /** Returns the estimated heap of this row in bytes, for memory budgets. */
    public long heapBytes() {
        return 24 + 16 + payload.length + 16 + 4L * bounds.length;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < columns(); i++) {
            text.append(i == 0 ? "" : "|").append(isNull(i) ? "NULL" : utf8(i));
        }
        return text.toString();
    }
}

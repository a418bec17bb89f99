package io.fanfold.reuse;

import io.fanfold.row.Row;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Rows of one result in a single array: the payload of each row, after its length in four bytes. A row takes less than
 * half of the heap of a {@link Row}. Immutable, safe for use by multiple threads.
 */
public final class PackedRows implements Iterable<Row> {
    private static final int HEAD = 4;

    /** An array's header, and this object. */
    private static final int OVERHEAD = 64;

    private final byte[] bytes;
    private final int columns;

    private PackedRows(byte[] bytes, int columns) {
        this.bytes = bytes;
        this.columns = columns;
    }

    /** The estimated heap of the rows, in bytes. */
    public long heapBytes() {
        return (long) OVERHEAD + bytes.length;
    }

    /** Returns the rows in the order in which they were added. Each has an array of its own. */
    @Override
    public Iterator<Row> iterator() {
        return new Iterator<>() {
            private int at;

            @Override
            public boolean hasNext() {
                return at < bytes.length;
            }

            @Override
            public Row next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("no further row");
                }
                int start = at + HEAD;
                at = start + length(at);
                return Row.of(Arrays.copyOfRange(bytes, start, at), columns);
            }
        };
    }

    private int length(int at) {
        return (bytes[at] & 0xff)
                | (bytes[at + 1] & 0xff) << 8
                | (bytes[at + 2] & 0xff) << 16
                | (bytes[at + 3] & 0xff) << 24;
    }

    /** Collects rows. For one thread. */
    static final class Builder {
        private static final int FIRST_BYTES = 256;

        private final int columns;
        private byte[] bytes = new byte[FIRST_BYTES];
        private int end;

        /** @param columns the number of columns of each row */
        Builder(int columns) {
            this.columns = columns;
        }

        /** How much heap the builder takes after a further row of this size. */
        long heapBytesWith(int payloadBytes) {
            return OVERHEAD + length(payloadBytes);
        }

        private long length(int payloadBytes) {
            long needed = (long) end + HEAD + payloadBytes;
            return needed <= bytes.length ? bytes.length : Math.max(needed, 2L * bytes.length);
        }

        /** @throws OutOfMemoryError if the rows take more than an array may have */
        void add(Row row) {
            byte[] payload = row.payload();
            long length = length(payload.length);
            if (length > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.toIntExact(length));
            }
            for (int i = 0; i < HEAD; i++) {
                bytes[end++] = (byte) (payload.length >>> 8 * i);
            }
            System.arraycopy(payload, 0, bytes, end, payload.length);
            end += payload.length;
        }

        PackedRows build() {
            return new PackedRows(Arrays.copyOf(bytes, end), columns);
        }
    }
}

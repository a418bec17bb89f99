package io.fanfold.operator;

import io.fanfold.plan.SortKey;
import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.row.CalendarDay;
import io.fanfold.row.MalformedValueException;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Encodes the keys of a row as one byte string. Two rows have equal keys if and only if their strings are the same.
 * With {@link #forOrder} the unsigned order of the strings is the order of the rows. So a value is parsed once, however
 * often it is compared. A value that does not match its {@link KeyComparison} is an error.
 *
 * <p>Holds the string of the last row encoded, for one thread.
 */
public final class KeyEncoder {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private static final int NULL = 0;
    private static final int NOT_NULL = 1;

    private final SortKey[] keys;
    private final boolean ordered;
    private final KeyBuffer buffer = new KeyBuffer();
    private boolean hasNull;
    private boolean refusesNegativeZero;

    private KeyEncoder(List<SortKey> keys, boolean ordered) {
        this.keys = keys.toArray(SortKey[]::new);
        this.ordered = ordered;
        for (SortKey key : keys) {
            if (key.comparison() == KeyComparison.WEIGHT_PAD && key.pad().length == 0) {
                throw new IllegalArgumentException("column " + key.column() + ": a padded weight needs a pad");
            }
        }
    }

    /** For sorting: the first key is the most significant, and NULL is first in ascending order. */
    public static KeyEncoder forOrder(List<SortKey> keys) {
        return new KeyEncoder(keys, true);
    }

    /** For grouping: NULL equals NULL, and the direction of the keys is ignored. */
    public static KeyEncoder forEquality(List<SortKey> keys) {
        return new KeyEncoder(keys, false);
    }

    /**
     * An encoder for keys that are counted or grouped. It refuses a DOUBLE of -0: some plans and versions of servers
     * treat it as different from 0, others as equal.
     */
    public static KeyEncoder forGroups(List<SortKey> keys) {
        KeyEncoder encoder = new KeyEncoder(keys, false);
        encoder.refusesNegativeZero = true;
        return encoder;
    }

    /**
     * Encodes a row, replacing the previous one.
     *
     * @throws MergeException if a value is malformed or a key too long; names the column
     */
    public void encode(Row row) throws MergeException {
        buffer.clear();
        hasNull = false;
        for (SortKey key : keys) {
            int start = buffer.length();
            if (row.isNull(key.column())) {
                hasNull = true;
                buffer.put(NULL);
            } else {
                buffer.put(NOT_NULL);
                encodeValue(key, row);
            }
            if (ordered && key.descending()) {
                buffer.invert(start);
            }
        }
    }

    private void encodeValue(SortKey key, Row row) throws MergeException {
        byte[] payload = row.payload();
        int start = row.start(key.column());
        int length = row.length(key.column());
        try {
            switch (key.comparison()) {
                case NUMBER -> NumberKey.write(payload, start, length, buffer);
                case DOUBLE -> {
                    double value = DoubleText.parse(payload, start, length);
                    if (refusesNegativeZero && value == 0 && payload[start] == '-') {
                        throw new MalformedValueException("a key other than -0", payload, start, length);
                    }
                    buffer.putLong(DoubleText.orderedBits(value));
                }
                case TIME -> buffer.putLong(TimeText.micros(payload, start, length) ^ Long.MIN_VALUE);
                case DATE -> {
                    if (!CalendarDay.startsWithOne(payload, start, length)) {
                        throw new MalformedValueException("a day of the calendar", payload, start, length);
                    }
                    BytesKey.write(payload, start, length, buffer);
                }
                case BYTES, WEIGHT -> BytesKey.write(payload, start, length, buffer);
                case WEIGHT_PAD -> BytesKey.writePadded(payload, start, length, key.pad(), buffer);
            }
        } catch (MalformedValueException e) {
            throw new MergeException(
                    MergeException.MergeFailure.MALFORMED_VALUE, "column " + key.column() + ": " + e.getMessage());
        }
    }

    /** Writes the encoding of NULL. */
    static void writeNull(KeyBuffer to) throws MergeException {
        to.put(NULL);
    }

    /** Writes the encoding of the only value of a row, an exact number or NULL. */
    static void writeNumber(RowBuilder row, KeyBuffer to) throws MergeException {
        Row number = row.toRow();
        if (number.isNull(0)) {
            to.put(NULL);
            return;
        }
        to.put(NOT_NULL);
        try {
            NumberKey.write(number.payload(), number.start(0), number.length(0), to);
        } catch (MalformedValueException e) {
            throw new MergeException(MergeException.MergeFailure.MALFORMED_VALUE, "a result: " + e.getMessage());
        }
    }

    /** The end of an ascending key that begins at {@code start}. */
    static int end(SortKey key, byte[] bytes, int start) {
        if (bytes[start] == NULL) {
            return start + 1;
        }
        int at = start + 1;
        return switch (key.comparison()) {
            case NUMBER -> NumberKey.end(bytes, at);
            case DOUBLE, TIME -> at + Long.BYTES;
            case DATE, BYTES, WEIGHT -> BytesKey.end(bytes, at);
            case WEIGHT_PAD -> BytesKey.paddedEnd(bytes, at, key.pad());
        };
    }

    /** Whether one of the keys of the last row is NULL. */
    public boolean hasNull() {
        return hasNull;
    }

    /** Returns a copy of the last row's string. */
    public byte[] toBytes() {
        return buffer.toBytes();
    }

    /** Compares the last row's string with another: negative, 0, or positive. */
    public int compareTo(byte[] other) {
        return Arrays.compareUnsigned(buffer.bytes(), 0, buffer.length(), other, 0, other.length);
    }

    /** Compares the strings of the last rows of two encoders. */
    int compareTo(KeyEncoder other) {
        return Arrays.compareUnsigned(
                buffer.bytes(), 0, buffer.length(), other.buffer.bytes(), 0, other.buffer.length());
    }

    int length() {
        return buffer.length();
    }

    /** The array that begins with the last row's string; valid until the next row is encoded. */
    byte[] bytes() {
        return buffer.bytes();
    }

    /** A hash of the last row's string, the same as {@link #hash(byte[], int, int, long)} of its copy. */
    int hash(long seed) {
        return hash(buffer.bytes(), 0, buffer.length(), seed);
    }

    /** A hash of {@code length} bytes. The seed prevents stored data from being chosen to collide. */
    static int hash(byte[] bytes, int from, int length, long seed) {
        long hash = seed ^ length * MULTIPLIER;
        int at = from;
        int end = from + length;
        for (; at + 8 <= end; at += 8) {
            hash = mix(hash ^ (long) LONGS.get(bytes, at));
        }
        long tail = 0;
        for (; at < end; at++) {
            tail = tail << 8 | bytes[at] & 0xff;
        }
        hash = mix(hash ^ tail);
        return (int) (hash ^ hash >>> 32);
    }

    private static long mix(long value) {
        long product = value * MULTIPLIER;
        return (product ^ Math.multiplyHigh(value, MULTIPLIER)) * MULTIPLIER ^ product >>> 29;
    }
}

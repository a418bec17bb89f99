package io.fanfold.verify;

import io.fanfold.row.Row;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The hash of some columns of a row, in 128 bits: two MurmurHash2 of 64 bits with different seeds. It finds mistakes, not
 * forgeries.
 */
record RowHash(long high, long low) {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGH_FACTOR = 0xc6a4a7935bd1e995L;
    private static final long LOW_FACTOR = 0x9e3779b97f4a7c15L;
    private static final int SHIFT = 47;
    private static final byte[] ZERO = {'0'};

    /** The hash of no column. */
    private static final RowHash NOTHING = new RowHash(0x243f6a8885a308d3L, 0x13198a2e03707344L);

    /** Returns the hash of all columns that are compared. */
    static RowHash of(Row row, List<ColumnRule> rules) {
        return of(row, rules, true);
    }

    /** Returns the hash of the columns in which SQL leaves no choice. */
    static RowHash ofCertain(Row row, List<ColumnRule> rules) {
        return of(row, rules, false);
    }

    private static RowHash of(Row row, List<ColumnRule> rules, boolean chosen) {
        long high = NOTHING.high;
        long low = NOTHING.low;
        for (int i = 0; i < rules.size(); i++) {
            ColumnRule rule = rules.get(i);
            if (rule == ColumnRule.LEFT_OUT || rule == ColumnRule.CHOSEN && !chosen) {
                continue;
            }
            byte[] bytes = row.payload();
            int start = row.start(i);
            int length = row.length(i);
            if (rule == ColumnRule.ZERO && isOtherZero(bytes, start, length)) {
                bytes = ZERO;
                start = 0;
                length = 1;
            }
            high = hash(bytes, start, length, high, HIGH_FACTOR);
            low = hash(bytes, start, length, low, LOW_FACTOR);
        }
        return new RowHash(high, low);
    }

    private static boolean isOtherZero(byte[] bytes, int start, int length) {
        boolean signed = length == 2 && bytes[start] == '-' && bytes[start + 1] == '0';
        boolean year = length == 4
                && bytes[start] == '0'
                && bytes[start + 1] == '0'
                && bytes[start + 2] == '0'
                && bytes[start + 3] == '0';
        return signed || year;
    }

    /** @param length -1 for NULL, which so differs from an empty string */
    private static long hash(byte[] bytes, int start, int length, long seed, long factor) {
        long hash = seed ^ (length + 1L) * factor;
        int at = start;
        int end = start + Math.max(0, length);
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            hash = mixed(hash, (long) LONGS.get(bytes, at), factor);
        }
        long rest = 0;
        for (int shift = 0; at < end; at++, shift += Byte.SIZE) {
            rest |= (bytes[at] & 0xffL) << shift;
        }
        hash = mixed(hash, rest, factor);
        hash ^= hash >>> SHIFT;
        hash *= factor;
        return hash ^ hash >>> SHIFT;
    }

    private static long mixed(long hash, long value, long factor) {
        long key = value * factor;
        key ^= key >>> SHIFT;
        return (hash ^ key * factor) * factor;
    }
}

package io.fanfold.verify;

import java.util.Locale;

/**
 * A digest of rows: their number, the sum of their hashes, which does not depend on their order, and a chain of them,
 * which does. Not thread-safe.
 */
final class RowsDigest {
    private static final long FACTOR = 0x9e3779b97f4a7c15L;

    private long rows;
    private long sumHigh;
    private long sumLow;
    private long chainHigh;
    private long chainLow;

    void add(RowHash row) {
        rows++;
        long low = sumLow + row.low();
        sumHigh += row.high() + (Long.compareUnsigned(low, sumLow) < 0 ? 1 : 0);
        sumLow = low;
        chainHigh = (Long.rotateLeft(chainHigh, 31) ^ row.high()) * FACTOR;
        chainLow = (Long.rotateLeft(chainLow, 29) ^ row.low()) * FACTOR;
    }

    long rows() {
        return rows;
    }

    /** Whether the other rows are the same, each as often. */
    boolean sameRows(RowsDigest other) {
        return rows == other.rows && sumHigh == other.sumHigh && sumLow == other.sumLow;
    }

    /** Whether the other rows are the same, in the same order. */
    boolean sameOrder(RowsDigest other) {
        return sameRows(other) && chainHigh == other.chainHigh && chainLow == other.chainLow;
    }

    /** Returns the digest for people: in any order, and in this order. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "%d rows, %016x%016x, in order %016x%016x", rows, sumHigh, sumLow, chainHigh, chainLow);
    }
}

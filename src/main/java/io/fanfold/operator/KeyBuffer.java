package io.fanfold.operator;

import java.util.Arrays;

/** A growing byte array into which keys are written. Reused for each row; for one thread. */
final class KeyBuffer {
    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    private byte[] bytes = new byte[64];
    private int length;

    void clear() {
        length = 0;
    }

    /** The array, valid up to {@link #length()} and until the next write. */
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    void put(int value) throws MergeException {
        ensure(1);
        bytes[length++] = (byte) value;
    }

    /** Writes eight bytes, the most significant first. */
    void putLong(long value) throws MergeException {
        ensure(8);
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (value >>> shift);
        }
    }

    void put(byte[] from, int start, int count) throws MergeException {
        ensure(count);
        System.arraycopy(from, start, bytes, length, count);
        length += count;
    }

    void putZeros(int count) throws MergeException {
        ensure(count);
        Arrays.fill(bytes, length, length + count, (byte) 0);
        length += count;
    }

    /** Reverses the order of everything written from {@code start} on. */
    void invert(int start) {
        for (int i = start; i < length; i++) {
            bytes[i] = (byte) ~bytes[i];
        }
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    private void ensure(int more) throws MergeException {
        long needed = (long) length + more;
        if (needed > bytes.length) {
            if (needed > MAX_BYTES) {
                throw new MergeException(
                        MergeException.MergeFailure.TOO_LARGE, "a key needs more than " + MAX_BYTES + " bytes");
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(MAX_BYTES, Math.max(needed, 2L * bytes.length)));
        }
    }
}

package io.fanfold.operator;

import org.jspecify.annotations.Nullable;

/** Estimates heap sizes, for 64-bit virtual machines with compressed references. */
final class HeapSize {
    /** The size of one object reference. */
    static final long REFERENCE = 4;

    private static final long ARRAY_HEADER = 16;

    private HeapSize() {}

    /** The size of an array with {@code bytes} bytes of elements. */
    static long array(long bytes) {
        return ARRAY_HEADER + (bytes + 7) / 8 * 8;
    }

    /** The size of a byte array; 0 for null. */
    static long of(byte @Nullable [] bytes) {
        return bytes == null ? 0 : array(bytes.length);
    }
}

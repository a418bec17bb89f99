package io.fanfold.merge;

import org.jspecify.annotations.Nullable;

/** Estimates of heap, for 64-bit virtual machines with compressed references. */
final class HeapSize {
    /** One reference to an object. */
    static final long REFERENCE = 4;

    private static final long ARRAY_HEADER = 16;

    private HeapSize() {}

    /** An array with {@code bytes} bytes of elements. */
    static long array(long bytes) {
        return ARRAY_HEADER + (bytes + 7) / 8 * 8;
    }

    /** An array of bytes, 0 when there is none. */
    static long of(byte @Nullable [] bytes) {
        return bytes == null ? 0 : array(bytes.length);
    }
}

package io.fanfold.wire;

import java.io.IOException;

/** Compresses and decompresses independent blocks. For use by one thread; closed by its creator. */
public interface Codec extends AutoCloseable {
    /**
     * Compresses.
     *
     * @return a new array; not shorter than {@code length} if compression does not help
     */
    byte[] compress(byte[] bytes, int offset, int length);

    /**
     * Decompresses.
     *
     * @param size the expected number of bytes
     * @throws IOException if the result has another size or the data is corrupt
     */
    byte[] decompress(byte[] bytes, int offset, int length, int size) throws IOException;

    /**
     * Decompresses in pieces; the codec must not decompress other data meanwhile.
     *
     * @param bytes kept; callers must not change it
     * @param size the expected number of bytes, more than 0
     */
    Pieces pieces(byte[] bytes, int size);

    /** A block that is decompressed in pieces. */
    interface Pieces {
        /**
         * Returns the next bytes.
         *
         * @param most at least 1
         * @return a new array
         * @throws IOException if the data is corrupt or has another size than expected
         */
        byte[] next(int most) throws IOException;

        /** Returns the number of bytes left; after the last byte, {@link #next} must not be called. */
        int left();
    }

    @Override
    void close();
}

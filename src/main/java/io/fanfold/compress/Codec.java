package io.fanfold.compress;

import java.io.IOException;

/** Compresses and decompresses pieces that know nothing of each other. For one thread; closed by whoever made it. */
public interface Codec extends AutoCloseable {
    /**
     * Compresses.
     *
     * @return a fresh array; as long as {@code length} or longer where nothing is gained
     */
    byte[] compress(byte[] bytes, int offset, int length);

    /**
     * Decompresses.
     *
     * @param size how many bytes have to come out
     * @throws IOException when other than these come out
     */
    byte[] decompress(byte[] bytes, int offset, int length, int size) throws IOException;

    /**
     * Decompresses a little at a time; nothing else may be decompressed meanwhile.
     *
     * @param bytes kept, not to be changed
     * @param size how many bytes have to come out, more than 0
     */
    Pieces pieces(byte[] bytes, int size);

    /** What is decompressed a little at a time. */
    interface Pieces {
        /**
         * The next bytes.
         *
         * @param most at least 1
         * @return a fresh array
         * @throws IOException when other than the promised bytes come out
         */
        byte[] next(int most) throws IOException;

        /** How many bytes are still to come; after the last none may be asked for. */
        int left();
    }

    @Override
    void close();
}

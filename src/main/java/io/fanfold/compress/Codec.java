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

    @Override
    void close();
}

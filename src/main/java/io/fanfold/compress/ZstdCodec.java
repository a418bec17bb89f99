package io.fanfold.compress;

import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdCompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.IOException;
import java.util.Arrays;

/** Zstandard, in Java; its level is always the usual one. */
final class ZstdCodec implements Codec {
    private final ZstdCompressor compressor = new ZstdCompressor();
    private final ZstdDecompressor decompressor = new ZstdDecompressor();

    @Override
    public byte[] compress(byte[] bytes, int offset, int length) {
        byte[] out = new byte[compressor.maxCompressedLength(length)];
        int written = compressor.compress(bytes, offset, length, out, 0, out.length);
        return Arrays.copyOf(out, written);
    }

    @Override
    public byte[] decompress(byte[] bytes, int offset, int length, int size) throws IOException {
        byte[] out = new byte[size];
        try {
            int written = decompressor.decompress(bytes, offset, length, out, 0, size);
            if (written != size) {
                throw new IOException("zstd: " + written + " bytes come out (expected: " + size + ")");
            }
            return out;
        } catch (MalformedInputException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IOException("zstd: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        // nothing outside the heap
    }
}

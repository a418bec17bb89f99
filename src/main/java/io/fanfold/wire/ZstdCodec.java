package io.fanfold.wire;

import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdCompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.Arrays;

/** Zstandard, implemented in Java; always with the default level. */
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
    public Pieces pieces(byte[] bytes, int size) {
        return new Decompressed(bytes, size);
    }

    /**
     * Decompresses the whole block at once and holds it by a soft reference. If the garbage collector drops the result,
     * it is decompressed again. So a client that reads no results uses only the heap of its compressed data.
     */
    private final class Decompressed implements Pieces {
        private final byte[] compressed;
        private final int size;
        private SoftReference<byte[]> whole = new SoftReference<>(new byte[0]);
        private int at;

        Decompressed(byte[] compressed, int size) {
            this.compressed = compressed;
            this.size = size;
        }

        @Override
        public byte[] next(int most) throws IOException {
            byte[] content = whole.get();
            if (content == null || content.length < size) {
                content = decompress(compressed, 0, compressed.length, size);
                whole = new SoftReference<>(content);
            }
            int from = at;
            at = Math.min(size, from + Math.min(most, size));
            return Arrays.copyOfRange(content, from, at);
        }

        @Override
        public int left() {
            return size - at;
        }
    }

    @Override
    public void close() {
        // uses no memory outside the heap
    }
}

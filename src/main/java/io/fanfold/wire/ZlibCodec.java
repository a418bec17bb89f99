package io.fanfold.wire;

import java.io.IOException;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** Zlib of the Java runtime. */
final class ZlibCodec implements Codec {
    /** Created on demand, because each uses memory outside the heap. */
    private @Nullable Deflater deflater;

    private @Nullable Inflater inflater;

    @Override
    public byte[] compress(byte[] bytes, int offset, int length) {
        Deflater used = deflater;
        if (used == null) {
            used = new Deflater();
            deflater = used;
        }
        used.reset();
        used.setInput(bytes, offset, length);
        used.finish();
        byte[] out = new byte[length];
        int written = 0;
        // a longer result would not be used
        while (!used.finished() && written < length) {
            written += used.deflate(out, written, length - written);
        }
        return used.finished() ? Arrays.copyOf(out, written) : out;
    }

    @Override
    public byte[] decompress(byte[] bytes, int offset, int length, int size) throws IOException {
        return new Inflated(begun(bytes, offset, length), size).next(size);
    }

    @Override
    public Pieces pieces(byte[] bytes, int size) {
        return new Inflated(begun(bytes, 0, bytes.length), size);
    }

    private Inflater begun(byte[] bytes, int offset, int length) {
        Inflater used = inflater;
        if (used == null) {
            used = new Inflater();
            inflater = used;
        }
        used.reset();
        used.setInput(bytes, offset, length);
        return used;
    }

    /** The output of an inflater that has its input. */
    private static final class Inflated implements Pieces {
        private final Inflater inflater;
        private final int size;
        private int left;

        Inflated(Inflater inflater, int size) {
            this.inflater = inflater;
            this.size = size;
            this.left = size;
        }

        @Override
        public byte[] next(int most) throws IOException {
            byte[] out = new byte[Math.min(most, left)];
            int written = 0;
            try {
                while (written < out.length) {
                    int more = inflater.inflate(out, written, out.length - written);
                    if (more == 0) {
                        throw wrong(size);
                    }
                    written += more;
                }
                left -= written;
                if (left == 0) {
                    requireEnd();
                }
            } catch (DataFormatException e) {
                throw new IOException("zlib: " + e.getMessage(), e);
            }
            return out;
        }

        /** Checks that the stream has ended, which an inflater detects only when asked for another byte. */
        private void requireEnd() throws IOException, DataFormatException {
            boolean more = !inflater.finished() && inflater.inflate(new byte[1]) != 0;
            if (more || !inflater.finished() || inflater.getRemaining() > 0) {
                throw wrong(size);
            }
        }

        @Override
        public int left() {
            return left;
        }
    }

    private static IOException wrong(int size) {
        return new IOException("zlib: other than the " + size + " bytes come out that were promised");
    }

    @Override
    public void close() {
        if (deflater != null) {
            deflater.end();
            deflater = null;
        }
        if (inflater != null) {
            inflater.end();
            inflater = null;
        }
    }
}

package io.fanfold.compress;

import java.io.IOException;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** Zlib, as the Java runtime has it. */
final class ZlibCodec implements Codec {
    /** Made when they are needed: each holds memory outside the heap. */
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
        // what does not fit is not worth it
        while (!used.finished() && written < length) {
            written += used.deflate(out, written, length - written);
        }
        return used.finished() ? Arrays.copyOf(out, written) : out;
    }

    @Override
    public byte[] decompress(byte[] bytes, int offset, int length, int size) throws IOException {
        Inflater used = inflater;
        if (used == null) {
            used = new Inflater();
            inflater = used;
        }
        used.reset();
        used.setInput(bytes, offset, length);
        byte[] out = new byte[size];
        int written = 0;
        try {
            while (written < size) {
                int more = used.inflate(out, written, size - written);
                if (more == 0) {
                    throw wrong(size);
                }
                written += more;
            }
            // the end of the stream is seen only when more is asked for than there is
            if (!used.finished() && used.inflate(new byte[1]) != 0 || !used.finished() || used.getRemaining() > 0) {
                throw wrong(size);
            }
        } catch (DataFormatException e) {
            throw new IOException("zlib: " + e.getMessage(), e);
        }
        return out;
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

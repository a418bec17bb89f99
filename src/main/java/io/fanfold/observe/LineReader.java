package io.fanfold.observe;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads lines of bytes, and keeps only the beginning of a long line. For one thread. */
final class LineReader {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final InputStream in;
    private final int longest;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int at;
    private int end;

    /**
     * A line.
     *
     * @param bytes its beginning, without the line feed
     * @param cut whether it was longer
     * @param last its last byte that is no blank, 0 if there is none
     */
    record Line(byte[] bytes, boolean cut, byte last) {}

    /** @param longest how many bytes of a line are kept */
    LineReader(InputStream in, int longest) {
        this.in = in;
        this.longest = longest;
    }

    /** Returns the next line; null at the end. */
    @Nullable
    Line next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        boolean any = false;
        boolean cut = false;
        byte last = 0;
        while (at < end || fill()) {
            any = true;
            int stop = at;
            while (stop < end && buffer[stop] != '\n') {
                stop++;
            }
            int kept = Math.min(stop - at, longest - line.size());
            line.write(buffer, at, kept);
            cut |= kept < stop - at;
            last = last(at, stop, last);
            boolean ended = stop < end;
            at = ended ? stop + 1 : stop;
            if (ended) {
                break;
            }
        }
        return any ? new Line(line.toByteArray(), cut, last) : null;
    }

    private byte last(int from, int to, byte before) {
        for (int i = to - 1; i >= from; i--) {
            if (buffer[i] < 0 || buffer[i] > ' ') {
                return buffer[i];
            }
        }
        return before;
    }

    private boolean fill() throws IOException {
        at = 0;
        end = Math.max(0, in.read(buffer));
        return end > 0;
    }
}

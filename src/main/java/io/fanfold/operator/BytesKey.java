package io.fanfold.operator;

import io.fanfold.row.MalformedValueException;

/**
 * Encodes byte strings so that several of them can be concatenated and still compare as one string of unsigned bytes.
 * They are cut into chunks; one byte after each chunk says how the string continues.
 */
final class BytesKey {
    private static final int CHUNK = 8;
    private static final int GOES_ON = CHUNK + 1;

    private static final int SMALLER_THAN_BLANKS = 1;
    private static final int ONLY_BLANKS = 2;
    private static final int LARGER_THAN_BLANKS = 3;

    private BytesKey() {}

    /**
     * Writes bytes that compare as they are, the shorter first: chunks padded with zeros, then the number of bytes used
     * of the last one.
     */
    static void write(byte[] bytes, int start, int length, KeyBuffer to) throws MergeException {
        int at = start;
        int left = length;
        while (left > CHUNK) {
            to.put(bytes, at, CHUNK);
            to.put(GOES_ON);
            at += CHUNK;
            left -= CHUNK;
        }
        to.put(bytes, at, left);
        to.putZeros(CHUNK - left);
        to.put(left);
    }

    /**
     * Writes a weight under a PAD SPACE collation, which compares as if followed by infinitely many blanks. Chunks are
     * padded with blanks. The byte after a chunk says how the rest compares with blanks only. So the last chunk of a
     * string does not depend on the length of the other string.
     *
     * @param pad the weight of one blank, at least 1 byte
     * @throws MalformedValueException if the weight is not a multiple of the pad's length: the order of such weights is
     *     unknown
     */
    static void writePadded(byte[] weight, int start, int length, byte[] pad, KeyBuffer to)
            throws MalformedValueException, MergeException {
        if (length % pad.length != 0) {
            throw new MalformedValueException("a weight in units of " + pad.length + " bytes", weight, start, length);
        }
        int end = start + length;
        while (end > start && compareUnit(weight, end - pad.length, pad) == 0) {
            end -= pad.length;
        }
        int chunk = Math.max(CHUNK / pad.length, 1) * pad.length;
        int at = start;
        int other = start;
        int marker;
        do {
            int count = Math.min(chunk, end - at);
            to.put(weight, at, count);
            for (int filled = count; filled < chunk; filled += pad.length) {
                to.put(pad, 0, pad.length);
            }
            at += count;
            // The next unit other than a blank decides; it is found once, not again for each chunk.
            other = Math.max(other, at);
            while (other < end && compareUnit(weight, other, pad) == 0) {
                other += pad.length;
            }
            marker = other == end
                    ? ONLY_BLANKS
                    : compareUnit(weight, other, pad) < 0 ? SMALLER_THAN_BLANKS : LARGER_THAN_BLANKS;
            to.put(marker);
        } while (marker != ONLY_BLANKS);
    }

    /** The end of a string that {@link #write} wrote. */
    static int end(byte[] bytes, int start) {
        int at = start + CHUNK;
        while (bytes[at] == GOES_ON) {
            at += CHUNK + 1;
        }
        return at + 1;
    }

    /** The end of a string that {@link #writePadded} wrote. */
    static int paddedEnd(byte[] bytes, int start, byte[] pad) {
        int chunk = Math.max(CHUNK / pad.length, 1) * pad.length;
        int at = start + chunk;
        while (bytes[at] != ONLY_BLANKS) {
            at += chunk + 1;
        }
        return at + 1;
    }

    private static int compareUnit(byte[] weight, int at, byte[] pad) {
        for (int i = 0; i < pad.length; i++) {
            int difference = (weight[at + i] & 0xff) - (pad[i] & 0xff);
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }
}

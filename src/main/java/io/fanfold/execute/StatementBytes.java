package io.fanfold.execute;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.HeapRoom;
import java.nio.charset.Charset;
import java.util.Arrays;

/** A long statement while it is written. Reserves its heap until it is sent. For one thread. */
final class StatementBytes {
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final int FIRST_BYTES = 4 * 1024;

    /** The buffer, the statement taken from it, and its packet. */
    private static final int COPIES = 3;

    /** No server accepts a longer statement. */
    private static final int MOST_BYTES = 1 << 30;

    private final Charset charset;
    private final HeapRoom room;
    private byte[] buffer = new byte[FIRST_BYTES];
    private int length;

    /**
     * An empty statement.
     *
     * @param charset the character set of its texts, an extension of ASCII
     * @param room reserves heap until its owner closes it
     */
    StatementBytes(Charset charset, HeapRoom room) {
        this.charset = charset;
        this.room = room;
    }

    /** @throws RefusedException if there is no heap for it */
    void text(String text) throws RefusedException {
        byte[] bytes = text.getBytes(charset);
        reserve(bytes.length);
        System.arraycopy(bytes, 0, buffer, length, bytes.length);
        length += bytes.length;
    }

    /**
     * Adds bytes as hexadecimal digits.
     *
     * @throws RefusedException if there is no heap for them
     */
    void hex(byte[] bytes, int from, int to) throws RefusedException {
        reserve(2L * (to - from));
        for (int i = from; i < to; i++) {
            put(bytes[i]);
        }
    }

    /** Adds one byte as hexadecimal digits. */
    void hex(int one) throws RefusedException {
        reserve(2);
        put(one);
    }

    private void put(int one) {
        buffer[length++] = DIGITS[one >> 4 & 0xf];
        buffer[length++] = DIGITS[one & 0xf];
    }

    private void reserve(long more) throws RefusedException {
        long needed = length + more;
        if (needed <= buffer.length) {
            return;
        }
        if (needed > MOST_BYTES) {
            throw new RefusedException(
                    Reason.FINAL_QUERY_FAILED, "a final query of more than " + MOST_BYTES + " bytes");
        }
        int larger = (int) Math.min(MOST_BYTES, Math.max(needed, 2L * buffer.length));
        long copies = (long) COPIES * (larger - buffer.length);
        if (!room.take(copies)) {
            throw new RefusedException(
                    Reason.MEMORY,
                    "a final query of more than " + length + " bytes takes " + copies + " bytes more, "
                            + room.leftBytes() + " bytes left");
        }
        buffer = Arrays.copyOf(buffer, larger);
    }

    /** The number of bytes added. */
    int length() {
        return length;
    }

    /** Returns the statement. Nothing can be added after this. */
    byte[] take() {
        byte[] statement = Arrays.copyOf(buffer, length);
        buffer = new byte[0];
        length = 0;
        return statement;
    }
}

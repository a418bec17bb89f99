package io.fanfold.session;

import io.fanfold.protocol.PacketScanner;
import io.netty.buffer.ByteBuf;

/**
 * The sequence ids of the server's packets on their way to the client. They stay as they are, with two exceptions. The client may
 * have been told of progress before its statement was passed through after all: the server, which knows nothing of that, begins
 * with 1, and the client awaits the id behind the last one it was sent. And where only the server's connection is compressed, its
 * ids are not what the client counts. Event loop only.
 *
 * @see SessionFraming#recounts
 */
final class RelayedSequence {
    private final boolean recounts;
    private int next;

    /** What is added to the ids of one answer; 0 for none. */
    private int shift;

    /** The number of that answer's response; -1 before the first. */
    private long response = -1;

    /** The id that it begins with. */
    private int first;

    private int headerLength;
    private int header;
    private int left;

    /** @param recounts whether the server's ids are not used */
    RelayedSequence(boolean recounts) {
        this.recounts = recounts;
    }

    /**
     * What the server sends next answers a command of one packet.
     *
     * @param answer the number of its response
     */
    void command(long answer) {
        next = answer == response ? first : 1;
    }

    /** The client sent a packet that is no command, or the end of a longer command, with that id. */
    void data(int sequence) {
        next = sequence + 1;
    }

    /**
     * The answer to the last command follows packets that the client was sent meanwhile. Replies to the proxy itself may come
     * first.
     *
     * @param answer the number of its response
     * @param packets how many they were, 0 or more
     */
    void shift(long answer, int packets) {
        next += packets;
        first = next;
        response = answer;
        if (!recounts) {
            shift = packets;
            headerLength = 0;
            header = 0;
        }
    }

    /**
     * What may be changed in the place of bytes of the server.
     *
     * @param bytes transferred
     * @return to be released
     */
    ByteBuf changeable(ByteBuf bytes) {
        if (shift == 0) {
            return bytes;
        }
        try {
            // a copy: the frame in which they may have come compressed would go on to the client as it is
            return bytes.copy();
        } finally {
            bytes.release();
        }
    }

    /**
     * Changes bytes of the answer.
     *
     * @param bytes borrowed
     * @param from behind the last ones
     * @param to the end of a packet at most
     */
    void change(ByteBuf bytes, int from, int to) {
        int at = from;
        while ((recounts || shift != 0) && at < to) {
            if (left > 0) {
                int count = Math.min(left, to - at);
                at += count;
                left -= count;
                continue;
            }
            int value = bytes.getUnsignedByte(at);
            if (headerLength == PacketScanner.HEADER - 1) {
                bytes.setByte(at, recounts ? next++ : value + shift);
                left = header;
                headerLength = 0;
                header = 0;
            } else {
                header |= value << 8 * headerLength++;
            }
            at++;
        }
    }

    /**
     * A packet of the server has come.
     *
     * @param sequence its id as the server counts
     * @param ended the number of the response that ended with it; -1 where none did
     */
    void packet(int sequence, long ended) {
        if (!recounts) {
            next = sequence + 1 + shift;
        }
        if (ended == response) {
            shift = 0;
        }
    }

    /** The id of a packet that would follow now. */
    int next() {
        return next;
    }
}

package io.fanfold.session.command;

import io.fanfold.session.channel.SessionFraming;
import io.netty.buffer.ByteBuf;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites the sequence ids of the server's packets on their way to the client. They stay unchanged, with two
 * exceptions. First, the client may have received progress reports before its statement was passed through. The server
 * does not know this and begins with 1, but the client expects the id after the last report. Second, if only the
 * server's connection is compressed, its ids are not those that the client counts. Event loop only.
 *
 * @see SessionFraming#recounts
 */
final class SequenceIdRewriter {
    private final boolean recounts;
    private int next;

    /** The value added to the ids of one answer; 0 for none. */
    private int shift;

    /** The number of that answer's response; -1 before the first. */
    private long response = -1;

    /** The first id of that answer. */
    private int first;

    /** @param recounts whether the server's ids are replaced by a count */
    SequenceIdRewriter(boolean recounts) {
        this.recounts = recounts;
    }

    /**
     * The server's next packet answers a command of one packet.
     *
     * @param answer the number of its response
     */
    void command(long answer) {
        next = answer == response ? first : 1;
    }

    /** The client sent a packet with this id that is no command, or the last packet of a longer command. */
    void data(int sequence) {
        next = sequence + 1;
    }

    /**
     * The answer to the last command follows packets that the proxy sent to the client. Replies to proxy commands may
     * arrive before it.
     *
     * @param answer the number of its response
     * @param packets the number of these packets, 0 or more
     */
    void shift(long answer, int packets) {
        next += packets;
        first = next;
        response = answer;
        if (!recounts) {
            shift = packets;
        }
    }

    /**
     * Returns bytes of the server in a form that may be changed in place.
     *
     * @param bytes transferred
     * @return must be released
     */
    ByteBuf changeable(ByteBuf bytes) {
        if (shift == 0) {
            return bytes;
        }
        try {
            // a copy: otherwise the compressed frame of these bytes would be sent to the client unchanged
            return bytes.copy();
        } finally {
            bytes.release();
        }
    }

    /** Returns the id to be written in place of each one that is read next; null to change none. */
    @Nullable
    IntUnaryOperator ids() {
        return recounts || shift != 0 ? this::changed : null;
    }

    private int changed(int id) {
        return recounts ? next++ : id + shift;
    }

    /**
     * A packet of the server is complete.
     *
     * @param sequence its id as the server counts
     * @param ended the number of the response that it ended; -1 for none
     */
    void packet(int sequence, long ended) {
        if (!recounts) {
            next = sequence + 1 + shift;
        }
        if (ended == response) {
            shift = 0;
        }
    }

    /** The id of the next packet. */
    int next() {
        return next;
    }
}

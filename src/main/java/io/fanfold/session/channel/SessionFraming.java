package io.fanfold.session.channel;

import io.fanfold.wire.SequenceRule;

/**
 * Which connections of a session are compressed.
 *
 * @param client whether the connection to the client is
 * @param server whether the connection to the server is
 */
public record SessionFraming(boolean client, boolean server) {
    /** Returns what becomes of the sequence ids of the server's packets. */
    public SequenceRule sequences() {
        if (!server) {
            return SequenceRule.COUNTED;
        }
        return client ? SequenceRule.UNCHECKED : SequenceRule.RECOUNTED;
    }
}

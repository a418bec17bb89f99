package io.fanfold.session.channel;

/**
 * Which connections of a session are compressed.
 *
 * @param client whether the connection to the client is
 * @param server whether the connection to the server is
 */
public record SessionFraming(boolean client, boolean server) {
    /**
     * Whether the client needs other sequence ids than the server's. On a compressed connection servers continue the
     * ids of the frames, and clients do not check them there. Without compression a client checks them.
     */
    public boolean recounts() {
        return server && !client;
    }
}

package io.fanfold.session;

/**
 * Which connections of a session are compressed.
 *
 * @param client towards the client
 * @param server towards the server
 */
record SessionFraming(boolean client, boolean server) {
    /**
     * Whether the client is sent other sequence ids than the server's. On a compressed connection servers let them follow those of
     * the frames, so that clients do not look at them there; without compression a client looks.
     */
    boolean recounts() {
        return server && !client;
    }
}

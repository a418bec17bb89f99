package io.fanfold.session;

/**
 * Whether a password may be sent in clear on each connection of a session.
 *
 * @param client whether it is encrypted or a Unix domain socket
 * @param server whether it is encrypted
 */
record SessionSecurity(boolean client, boolean server) {
    /** Whether both are equal: then every authentication can be relayed unchanged. */
    boolean alike() {
        return client == server;
    }
}

package io.fanfold.session;

/**
 * Whether a password may be sent in clear on the two connections of a session.
 *
 * @param client it is encrypted, or a Unix domain socket
 * @param server it is encrypted
 */
record SessionSecurity(boolean client, boolean server) {
    /** Whether both are alike: then every authentication can be relayed as it is. */
    boolean alike() {
        return client == server;
    }
}

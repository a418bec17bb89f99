package io.fanfold.session.channel;

/**
 * Whether a password may be sent in clear on each connection of a session.
 *
 * @param client whether it is encrypted or a Unix domain socket
 * @param server whether it is encrypted
 */
public record SessionSecurity(boolean client, boolean server) {
    /** Whether both are equal: then every authentication can be relayed unchanged. */
    public boolean alike() {
        return client == server;
    }
}

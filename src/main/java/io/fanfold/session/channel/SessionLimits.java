package io.fanfold.session.channel;

import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.Network;
import java.time.Duration;
import java.util.List;

/**
 * The limits and options of one session.
 *
 * @param statementBytes the longest statement that is looked at, in bytes
 * @param replyBytes the most bytes kept of the replies to one {@link io.fanfold.execute.ClientConnection#ask}
 * @param pendingBytes the number of bytes after a pending statement at which reading from the client stops
 * @param slowClient how long a client may leave its socket full while a merged answer waits
 * @param handshakeTimeout the longest time until a client is authenticated
 * @param proxyNetworks the networks from which PROXY protocol headers are accepted
 * @param proxyProtocol the header with which the server's connection begins
 */
public record SessionLimits(
        int statementBytes,
        int replyBytes,
        int pendingBytes,
        Duration slowClient,
        Duration handshakeTimeout,
        List<Network> proxyNetworks,
        ProxyProtocol proxyProtocol) {

    private static final int PENDING_BYTES = 256 * 1024;

    /** Several times the definitions of a table with 4096 columns. */
    private static final long MOST_REPLY_BYTES = 8L << 20;

    public SessionLimits {
        proxyNetworks = List.copyOf(proxyNetworks);
    }

    public static SessionLimits of(FanfoldConfig config) {
        return new SessionLimits(
                config.limits().statementBytes(),
                (int) Math.min(config.limits().queryMemoryBytes(), MOST_REPLY_BYTES),
                PENDING_BYTES,
                config.limits().slowClient(),
                config.limits().handshakeTimeout(),
                config.listener().proxyNetworks(),
                config.backend().proxyProtocol());
    }
}

package io.fanfold.session;

import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.Network;
import java.time.Duration;
import java.util.List;

/**
 * The bounds of one session.
 *
 * @param statementBytes the longest statement looked at, in bytes
 * @param replyBytes how much of the replies to one {@link io.fanfold.execute.ClientPort#ask} is kept, in bytes
 * @param pendingBytes how much a client may send behind a statement that is being split before it is not read any more
 * @param slowClient how long a client may leave its socket full while a folded answer waits
 * @param handshakeTimeout how long it may take until a client is authenticated
 * @param proxyNetworks from where PROXY protocol headers are taken
 * @param proxyProtocol with which header the server's connection begins
 */
public record SessionSettings(
        int statementBytes,
        int replyBytes,
        int pendingBytes,
        Duration slowClient,
        Duration handshakeTimeout,
        List<Network> proxyNetworks,
        ProxyProtocol proxyProtocol) {

    private static final int PENDING_BYTES = 256 * 1024;

    /** The definitions of a table's 4096 columns, several times. */
    private static final long MOST_REPLY_BYTES = 8L << 20;

    public SessionSettings {
        proxyNetworks = List.copyOf(proxyNetworks);
    }

    public static SessionSettings of(FanfoldConfig config) {
        return new SessionSettings(
                config.limits().statementBytes(),
                (int) Math.min(config.limits().queryMemoryBytes(), MOST_REPLY_BYTES),
                PENDING_BYTES,
                config.limits().slowClient(),
                config.limits().handshakeTimeout(),
                config.listener().proxyNetworks(),
                config.backend().proxyProtocol());
    }
}

package io.fanfold.session;

import io.fanfold.config.Network;
import io.fanfold.protocol.ProxyHeader;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a client comes from. Its text names it in the log.
 *
 * @param peer the other end of its connection, or the Unix domain socket at which it connected, since the other end of that has no
 *     address; null when the connection has ended
 * @param local where it ends; null when the connection has ended
 * @param header what the peer says of its client; null when it says nothing
 */
record ClientOrigin(@Nullable SocketAddress peer, @Nullable SocketAddress local, ProxyHeader.@Nullable Client header) {
    static ClientOrigin of(Channel client) {
        SocketAddress local = client.localAddress();
        return new ClientOrigin(local instanceof UnixDomainSocketAddress ? local : client.remoteAddress(), local, null);
    }

    ClientOrigin proxied(ProxyHeader.Client by) {
        return new ClientOrigin(peer, local, by);
    }

    /** What the server is told of the client. */
    ProxyHeader told() {
        if (header != null) {
            return header;
        }
        return peer instanceof InetSocketAddress from && local instanceof InetSocketAddress to
                ? new ProxyHeader.Client(from, to)
                : new ProxyHeader.Unknown();
    }

    /** Whether the other end of the connection is in one of the networks. */
    boolean isIn(List<Network> networks) {
        return peer instanceof InetSocketAddress address
                && networks.stream().anyMatch(network -> network.contains(address.getAddress()));
    }

    @Override
    public String toString() {
        return header == null ? String.valueOf(peer) : header.source() + " by " + peer;
    }
}

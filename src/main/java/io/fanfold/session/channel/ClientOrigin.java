package io.fanfold.session.channel;

import io.fanfold.config.Network;
import io.fanfold.wire.ProxyHeader;
import io.netty.channel.Channel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of a client. Its text names the client in the log.
 *
 * @param peer the other end of its connection; for a Unix domain socket the socket's own path, since the other end has
 *     no address; null if the connection has ended
 * @param local this end; null if the connection has ended
 * @param header the client as named by the peer's PROXY header; null for none
 */
public record ClientOrigin(
        @Nullable SocketAddress peer, @Nullable SocketAddress local, ProxyHeader.@Nullable Client header) {
    public static ClientOrigin of(Channel client) {
        SocketAddress local = client.localAddress();
        boolean file = local instanceof DomainSocketAddress || local instanceof UnixDomainSocketAddress;
        return new ClientOrigin(file ? local : client.remoteAddress(), local, null);
    }

    public ClientOrigin proxied(ProxyHeader.Client by) {
        return new ClientOrigin(peer, local, by);
    }

    /** The header that describes the client to the server. */
    public ProxyHeader forServer() {
        if (header != null) {
            return header;
        }
        return peer instanceof InetSocketAddress from && local instanceof InetSocketAddress to
                ? new ProxyHeader.Client(from, to)
                : new ProxyHeader.Unknown();
    }

    /** Whether the other end of the connection is in one of the networks. */
    public boolean isIn(List<Network> networks) {
        return peer instanceof InetSocketAddress address
                && networks.stream().anyMatch(network -> network.contains(address.getAddress()));
    }

    @Override
    public String toString() {
        return header == null ? String.valueOf(peer) : header.source() + " by " + peer;
    }
}

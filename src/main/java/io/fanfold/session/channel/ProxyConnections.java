package io.fanfold.session.channel;

import io.netty.channel.Channel;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Finds connections that lead from the proxy back to itself, each of which would open another one. Such a connection
 * has the same two addresses at the side that opened it and at the side that accepted it. Only connections whose server
 * has not greeted yet are compared. This finds every loop, since the proxy greets a client only after its server has
 * greeted. Thread-safe.
 *
 * <p>A loop through another proxy or through address translation is not found, since its connections have other
 * addresses at each end.
 */
public final class ProxyConnections {
    /** The two ends of a connection, as seen by the side that opened it. */
    private record Ends(SocketAddress from, SocketAddress to) {}

    private final RateLimitedWarning warning = new RateLimitedWarning(LoggerFactory.getLogger(ProxyConnections.class));
    private final Set<Ends> opened = ConcurrentHashMap.newKeySet();
    private final Set<Ends> accepted = ConcurrentHashMap.newKeySet();

    /** Registers a connection to the server, until {@link #forget}. Returns whether the proxy has accepted it itself. */
    public boolean opened(Channel server) {
        return meets(opened, server.localAddress(), server.remoteAddress(), accepted);
    }

    /** Registers a client's connection, until {@link #forget}. Returns whether the proxy has opened it itself. */
    public boolean accepted(Channel client) {
        return meets(accepted, client.remoteAddress(), client.localAddress(), opened);
    }

    /**
     * Registers a connection, then searches the other set. With this order one of the two sides always finds the other.
     */
    private static boolean meets(
            Set<Ends> own, @Nullable SocketAddress from, @Nullable SocketAddress to, Set<Ends> others) {
        if (from == null || to == null) {
            // the connection has already ended
            return false;
        }
        Ends ends = new Ends(from, to);
        own.add(ends);
        return others.contains(ends);
    }

    /** Logs that a loop was found. */
    public void warn(String message) {
        warning.warn("a client is refused: " + message);
    }

    /**
     * Forgets the connections of a session. The server has greeted, so they are in no loop, or the session has ended.
     *
     * @param server null if none was opened
     */
    public void forget(Channel client, @Nullable Channel server) {
        remove(accepted, client.remoteAddress(), client.localAddress());
        if (server != null) {
            remove(opened, server.localAddress(), server.remoteAddress());
        }
    }

    private static void remove(Set<Ends> own, @Nullable SocketAddress from, @Nullable SocketAddress to) {
        if (from != null && to != null) {
            own.remove(new Ends(from, to));
        }
    }
}

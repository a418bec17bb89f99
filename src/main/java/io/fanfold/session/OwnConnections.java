package io.fanfold.session;

import io.netty.channel.Channel;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Finds connections that lead from the proxy to itself: one that it has opened to the server has the same two addresses as one that it
 * has accepted. Each of them would open a further one. Only connections count whose server has not greeted yet; the proxy greets
 * nobody before its server does, so a loop is always among them. Safe for all threads.
 *
 * <p>A loop over another proxy or over translated addresses is not found: its connections have other addresses at each end.
 */
public final class OwnConnections {
    /** The two ends of a connection, as the one sees them that has opened it. */
    private record Ends(SocketAddress from, SocketAddress to) {}

    private final SeldomWarning warning = new SeldomWarning(LoggerFactory.getLogger(OwnConnections.class));
    private final Set<Ends> opened = ConcurrentHashMap.newKeySet();
    private final Set<Ends> accepted = ConcurrentHashMap.newKeySet();

    /** Registers a connection to the server. Returns whether the proxy has accepted it itself. */
    boolean opened(Channel server) {
        return meets(opened, server, server.localAddress(), server.remoteAddress(), accepted);
    }

    /** Registers a client's connection. Returns whether the proxy has opened it itself. */
    boolean accepted(Channel client) {
        return meets(accepted, client, client.remoteAddress(), client.localAddress(), opened);
    }

    /** Both sides register before they look, so one of them finds the other, in whatever order they come. */
    private static boolean meets(
            Set<Ends> own,
            Channel channel,
            @Nullable SocketAddress from,
            @Nullable SocketAddress to,
            Set<Ends> others) {
        if (from == null || to == null) {
            // it has ended by now
            return false;
        }
        Ends ends = new Ends(from, to);
        own.add(ends);
        Fire.then(channel.closeFuture(), closed -> own.remove(ends));
        return others.contains(ends);
    }

    /** Logs that a loop was found. */
    void warn(String message) {
        warning.warn("a client is refused: " + message);
    }

    /** The server has greeted: these connections are in no loop. */
    void greeted(Channel client, Channel server) {
        remove(accepted, client.remoteAddress(), client.localAddress());
        remove(opened, server.localAddress(), server.remoteAddress());
    }

    private static void remove(Set<Ends> own, @Nullable SocketAddress from, @Nullable SocketAddress to) {
        if (from != null && to != null) {
            own.remove(new Ends(from, to));
        }
    }
}

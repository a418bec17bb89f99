package io.fanfold.http;

import io.fanfold.session.channel.ChannelWrites;
import io.netty.channel.Channel;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The connections of the HTTP port, up to a limit. When it is reached, the connection that has been without a complete
 * request for the longest time makes room: so silent connections do not keep a health check out. Event loop only.
 */
final class OpenConnections {
    private final int most;
    private final Set<Channel> all = new HashSet<>();

    /** Those that wait for a request, the longest wait first. */
    private final Set<Channel> waiting = new LinkedHashSet<>();

    /** @param most 1 or more */
    OpenConnections(int most) {
        this.most = most;
    }

    /** Adds a connection. Closes another one, or this one if all others have a request. */
    void add(Channel connection) {
        all.add(connection);
        if (all.size() > most) {
            Iterator<Channel> longest = waiting.iterator();
            Channel leaving = longest.hasNext() ? longest.next() : connection;
            remove(leaving);
            ChannelWrites.close(leaving);
        }
    }

    void waits(Channel connection) {
        if (all.contains(connection)) {
            waiting.add(connection);
        }
    }

    void hasRequest(Channel connection) {
        waiting.remove(connection);
    }

    void remove(Channel connection) {
        all.remove(connection);
        waiting.remove(connection);
    }

    /** Closes all connections. */
    void closeAll() {
        List.copyOf(all).forEach(ChannelWrites::close);
    }

    int size() {
        return all.size();
    }
}

package io.fanfold.client;

import io.fanfold.config.HostPort;
import io.fanfold.config.Secret;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs short, repeatable statements of the worker account over a connection outside the pool. One connection is kept
 * open between them; threads that find it in use open their own. The server may be silent for at most a second, both
 * while connecting and later. Safe for use by multiple threads; it waits for the server.
 */
public final class SideConnection implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private volatile WireSettings settings;
    private final AtomicReference<@Nullable Kept> kept = new AtomicReference<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Identifies a server. Another server may use the same thread ids, or may take over the host name.
     *
     * @param serverKey its {@link ServerFacts#serverKey}
     */
    public record ServerPlace(String serverKey, InetSocketAddress address) {}

    private record Kept(WireConnection connection, String serverKey) {}

    public SideConnection(WireSettings settings) {
        this.settings = hurried(settings);
    }

    /** Logs in with another password from now on. */
    public void password(Secret password) {
        settings = settings.withPassword(password);
    }

    /** Connects to another server from now on, see {@link #run}. */
    public void moveTo(HostPort server) {
        settings = settings.to(server);
    }

    /** Returns settings with which the server may be silent for at most a second. */
    public static WireSettings hurried(WireSettings settings) {
        Duration connect = settings.connectTimeout();
        return settings.withTimeouts(connect.compareTo(PATIENCE) < 0 ? connect : PATIENCE, PATIENCE);
    }

    /** Opens the connection that is kept. */
    public void warmUp() throws IOException, ServerException {
        keep(open(settings));
    }

    private static Kept open(WireSettings settings) throws IOException, ServerException {
        WireConnection connection = WireConnection.open(settings);
        boolean known = false;
        try {
            Kept opened = new Kept(connection, ServerFacts.discover(connection).serverKey());
            known = true;
            return opened;
        } finally {
            if (!known) {
                connection.abort();
            }
        }
    }

    /**
     * Runs statements on that server; see {@link WireConnection#pipeline}.
     *
     * @throws IOException if the server cannot be reached, does not answer in time, or was replaced by another
     */
    public List<Reply> run(ServerPlace place, List<String> statements) throws IOException, ServerException {
        Kept used = kept.getAndSet(null);
        if (used != null && used.serverKey().equals(place.serverKey())) {
            try {
                List<Reply> replies = used.connection().pipeline(statements);
                keep(used);
                return replies;
            } catch (IOException e) {
                // it may have failed while it was idle
                used.connection().abort();
            }
        } else if (used != null) {
            used.connection().close();
        }
        Kept fresh = open(settings.at(place.address()));
        try {
            if (!fresh.serverKey().equals(place.serverKey())) {
                throw new IOException("another server has taken the place of the workers' server");
            }
            return fresh.connection().pipeline(statements);
        } finally {
            keep(fresh);
        }
    }

    private void keep(Kept opened) {
        if (opened.connection().broken() || closed.get() || !kept.compareAndSet(null, opened)) {
            opened.connection().close();
        } else if (closed.get()) {
            close();
        }
    }

    @Override
    public void close() {
        closed.set(true);
        Kept last = kept.getAndSet(null);
        if (last != null) {
            last.connection().close();
        }
    }
}

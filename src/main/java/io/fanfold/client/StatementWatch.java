package io.fanfold.client;

import io.fanfold.config.HostPort;
import io.fanfold.config.Secret;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a server over another connection whether a statement still runs, to detect a reply that will never arrive. An
 * account sees its own connections without any privilege. Safe for use by multiple threads; it waits for the server.
 */
public final class StatementWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatementWatch.class);

    private static final int ID = 0;
    private static final int COMMAND = 4;

    private final SideConnection connection;
    private final Duration silence;

    /** @param silence the time without a byte after which a server is asked; positive */
    public StatementWatch(WireSettings settings, Duration silence) {
        this.connection = new SideConnection(settings);
        this.silence = silence;
    }

    /** Logs in with another password from now on. */
    public void password(Secret password) {
        connection.password(password);
    }

    /** The server that is asked is another one from now on; those of watched connections stay known. */
    public void moveTo(HostPort server) {
        connection.moveTo(server);
    }

    /**
     * Checks a connection's server from now on while the connection has no read timeout. A connection whose statement
     * has ended without a complete reply is broken.
     *
     * @param serverKey the {@link ServerFacts#serverKey} of its server
     */
    public void over(WireConnection watched, String serverKey) throws IOException {
        SideConnection.ServerPlace place = new SideConnection.ServerPlace(serverKey, watched.address());
        long threadId = watched.threadId();
        watched.watch(silence, () -> runs(place, threadId));
    }

    /** Whether the server runs a statement of that connection; also true if the server cannot be asked. */
    private boolean runs(SideConnection.ServerPlace place, long threadId) {
        try {
            if (connection.run(place, List.of("SHOW PROCESSLIST")).get(0) instanceof Reply.Result list) {
                return list.rows().stream()
                        .anyMatch(row -> String.valueOf(threadId).equals(row.ascii(ID)) && busy(row));
            }
        } catch (IOException | ServerException e) {
            LOG.debug("whether the statement of connection {} runs is not known: {}", threadId, e.toString());
        }
        return true;
    }

    private static boolean busy(Row row) {
        return !"Sleep".equals(row.ascii(COMMAND));
    }

    @Override
    public void close() {
        connection.close();
    }
}

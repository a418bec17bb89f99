package io.fanfold.backend;

import io.fanfold.row.Row;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a server that works on a statement from an answer that will never come: whether a statement still runs, asked over
 * another connection. An account sees its own connections without any right. Safe for all threads; it waits for the server.
 */
final class StatementWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatementWatch.class);

    private static final int ID = 0;
    private static final int COMMAND = 4;

    private final SideConnection connection;
    private final Duration silence;

    /** @param silence after how long without a byte a server is asked; positive */
    StatementWatch(WireSettings settings, Duration silence) {
        this.connection = new SideConnection(settings);
        this.silence = silence;
    }

    /** After how long without a byte a server is asked. */
    Duration silence() {
        return silence;
    }

    /** Whether the server works for that connection; true as well where it cannot be asked. */
    boolean runs(SideConnection.Place place, long threadId) {
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

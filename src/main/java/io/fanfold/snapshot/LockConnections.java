package io.fanfold.snapshot;

import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import java.io.IOException;
import java.util.Optional;

/**
 * Supplies connections of the worker account that block changes of tables while workers open their snapshots. They use
 * {@code LOCK TABLES}, or metadata locks alone. Safe for use by multiple threads.
 */
public interface LockConnections {
    /** One such connection, for use by one thread at a time. {@link #close} releases its locks. */
    interface Holder extends AutoCloseable {
        WireConnection connection();

        /** Ends the statement that runs on the connection, if any. */
        void killQuery() throws IOException, ServerException;

        @Override
        void close();
    }

    /**
     * Returns an unused connection to that server.
     *
     * @return empty if the account's connections now reach another server
     */
    Optional<Holder> connect(ServerFacts server) throws IOException, ServerException, InterruptedException;

    /** A round of a proof while a connection blocks changes of the tables. */
    interface Round {
        SnapshotRound run(Holder holder) throws IOException, ServerException, InterruptedException;
    }

    /** Runs a round with a connection to that server, and closes the connection. */
    default SnapshotRound with(ServerFacts server, Round round)
            throws IOException, ServerException, InterruptedException {
        Optional<Holder> connected = connect(server);
        if (connected.isEmpty()) {
            return SnapshotRound.OTHER_SERVER;
        }
        try (Holder holder = connected.get()) {
            return round.run(holder);
        }
    }
}

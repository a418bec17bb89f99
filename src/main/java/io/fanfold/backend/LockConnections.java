package io.fanfold.backend;

import java.io.IOException;
import java.util.Optional;

/**
 * Connections of the worker account that keep tables as they are while workers open their snapshots: by {@code LOCK TABLES}, or by
 * metadata locks alone. Safe for all threads.
 */
interface LockConnections {
    /** One such connection. For one thread at a time; what it locked is free after {@link #close}. */
    interface Holder extends AutoCloseable {
        WireConnection connection();

        /** Ends the statement that runs on the connection, if one does. */
        void killQuery() throws IOException, ServerException;

        @Override
        void close();
    }

    /**
     * A connection to that server that nobody uses.
     *
     * @return empty when the account's connections lead to another server by now
     */
    Optional<Holder> connect(ServerFacts server) throws IOException, ServerException, InterruptedException;

    /** A round of a proof while a connection keeps the tables as they are. */
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

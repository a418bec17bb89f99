package io.fanfold.cli.demo;

import java.io.IOException;
import java.time.Duration;

/**
 * One client connection of the demo or the benchmark. Blocks; for use by one thread at a time. A refusal of the server is
 * a {@link SqlFailure}, after which the connection lives on; any other {@link IOException} means that it is lost.
 */
public interface SqlClient extends AutoCloseable {
    /** Runs a statement that returns no rows. */
    void execute(String sql) throws IOException;

    /** Runs a statement that returns rows, and reads them all. */
    SqlAnswer query(String sql) throws IOException;

    /** One round trip that is no statement. */
    void ping() throws IOException;

    /** How long an answer may take from now on, zero for ever; after that the connection is lost. */
    void patience(Duration longest) throws IOException;

    /** The server's version as its greeting gave it, without the prefix that MariaDB adds. */
    String serverVersion();

    @Override
    void close();

    /** Opens clients. Safe for use by several threads. */
    @FunctionalInterface
    interface Factory {
        /** @throws IOException when the server cannot be reached or refuses the account; the message says which */
        SqlClient open(Endpoint endpoint) throws IOException;
    }
}

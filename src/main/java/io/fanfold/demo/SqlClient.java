package io.fanfold.demo;

import java.io.IOException;
import java.time.Duration;

/**
 * One client connection of the demo or the benchmark. Methods block; one thread at a time. If the server refuses a
 * statement, it throws a {@link SqlFailure}, and the connection stays usable. After any other {@link IOException} the
 * connection is lost.
 */
public interface SqlClient extends AutoCloseable {
    /** Runs a statement that returns no rows. */
    void execute(String sql) throws IOException;

    /** Runs a statement that returns rows, and reads them all. */
    SqlAnswer query(String sql) throws IOException;

    /** Runs a statement that returns rows, reads them all and keeps none. Returns their number. */
    default long drain(String sql) throws IOException {
        return query(sql).rows().size();
    }

    /** A round trip without a statement. */
    void ping() throws IOException;

    /** Sets the time limit for answers, zero for none; after it the connection is lost. */
    void patience(Duration longest) throws IOException;

    /** The server's version from its greeting, without the prefix that MariaDB adds. */
    String serverVersion();

    @Override
    void close();

    /** Opens clients. Thread-safe. */
    @FunctionalInterface
    interface Factory {
        /** @throws IOException if the server cannot be reached or refuses the account; the message says which */
        SqlClient open(Endpoint endpoint) throws IOException;
    }
}

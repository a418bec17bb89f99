package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.execute.QueryExecution.Cancel;
import io.fanfold.wire.ServerFlavor;
import org.jspecify.annotations.Nullable;

/**
 * The error that a server sends when it ends a statement before its answer is complete.
 *
 * @param errno its number
 * @param sqlState five characters
 * @param message as worded by MySQL 9.7 and MariaDB 10.11
 */
record Interruption(int errno, String sqlState, String message) {
    private static final Interruption KILLED = new Interruption(1317, "70100", "Query execution was interrupted");
    private static final Interruption STOPPING = new Interruption(1053, "08S01", "Server shutdown in progress");
    private static final Interruption LATE_ON_MYSQL = new Interruption(
            3024, "HY000", "Query execution was interrupted, maximum statement execution time exceeded");
    private static final Interruption LATE_ON_MARIADB =
            new Interruption(1969, "70100", "Query execution was interrupted (max_statement_time exceeded)");

    /** Returns the error for the client of a cancelled query; null means that it was killed. */
    static Interruption of(@Nullable Cancel cancel, ServerFlavor flavor) {
        if (cancel == Cancel.STOPPING) {
            return STOPPING;
        }
        if (cancel != Cancel.LATE) {
            return KILLED;
        }
        return flavor.isMariaDb() ? LATE_ON_MARIADB : LATE_ON_MYSQL;
    }

    /** Ends an answer with this error. */
    void end(ClientConnection.Answer answer) {
        answer.fail(errno, sqlState, message);
    }

    /** Whether the error says that the statement was killed. */
    static boolean isKill(int errno) {
        return errno == KILLED.errno();
    }

    /** Whether a server ended a worker's statement because it took too long: its clock may be ahead of the proxy's. */
    static boolean late(@Nullable Throwable cause) {
        return cause instanceof ServerException error
                && (error.errno() == LATE_ON_MYSQL.errno() || error.errno() == LATE_ON_MARIADB.errno());
    }
}

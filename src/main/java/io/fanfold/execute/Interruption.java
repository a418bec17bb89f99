package io.fanfold.execute;

import io.fanfold.backend.ServerException;
import io.fanfold.execute.LiveQuery.Cancel;
import org.jspecify.annotations.Nullable;

/**
 * The error that a server gives where it ends a statement before its answer is complete.
 *
 * @param errno its number
 * @param sqlState five characters
 * @param message as MySQL 9.7 and MariaDB 10.11 word it
 */
record Interruption(int errno, String sqlState, String message) {
    private static final Interruption KILLED = new Interruption(1317, "70100", "Query execution was interrupted");
    private static final Interruption LATE_ON_MYSQL = new Interruption(
            3024, "HY000", "Query execution was interrupted, maximum statement execution time exceeded");
    private static final Interruption LATE_ON_MARIADB =
            new Interruption(1969, "70100", "Query execution was interrupted (max_statement_time exceeded)");

    /** What the client of a cancelled query is told; null for the end of a proxy too. */
    static Interruption of(@Nullable Cancel cancel, boolean mariaDb) {
        if (cancel != Cancel.LATE) {
            return KILLED;
        }
        return mariaDb ? LATE_ON_MARIADB : LATE_ON_MYSQL;
    }

    /** Whether a server ended a statement since it was killed. */
    static boolean isKill(int errno) {
        return errno == KILLED.errno();
    }

    /** Whether a server ended a worker's statement since it took too long: its own clock may be ahead of the proxy's. */
    static boolean late(@Nullable Throwable cause) {
        return cause instanceof ServerException error
                && (error.errno() == LATE_ON_MYSQL.errno() || error.errno() == LATE_ON_MARIADB.errno());
    }
}

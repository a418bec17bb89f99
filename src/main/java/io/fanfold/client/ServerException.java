package io.fanfold.client;

import io.fanfold.wire.Reply;
import java.util.Set;

/**
 * The server answered a statement or a login with an error packet. After a statement's error the connection is still
 * usable.
 */
public final class ServerException extends Exception {
    private static final long serialVersionUID = 1;

    /** ER_QUERY_INTERRUPTED, ER_QUERY_TIMEOUT of MySQL, ER_STATEMENT_TIMEOUT of MariaDB. */
    private static final Set<Integer> INTERRUPTED = Set.of(1317, 3024, 1969);

    private final int errno;
    private final String sqlState;

    /**
     * Creates an exception for an error of the server.
     *
     * @param errno the server's error number, 0..65535
     * @param sqlState five characters
     * @param message the server's text, without number and state
     */
    public ServerException(int errno, String sqlState, String message) {
        super(message);
        this.errno = errno;
        this.sqlState = sqlState;
    }

    /** Creates an exception for the reply to a statement. */
    public ServerException(Reply.Failed failed) {
        this(failed.errno(), failed.sqlState(), failed.message());
    }

    public int errno() {
        return errno;
    }

    /** Whether KILL QUERY or a time limit ended the statement. */
    public boolean interrupted() {
        return INTERRUPTED.contains(errno);
    }

    public String sqlState() {
        return sqlState;
    }
}

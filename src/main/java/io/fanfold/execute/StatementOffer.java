package io.fanfold.execute;

import io.fanfold.protocol.ExecuteCommand;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A COM_QUERY whose text may be worth splitting, or a COM_STMT_EXECUTE of such a text, offered by a session that is idle
 * otherwise. The session has seen from the server's status flags that autocommit is on and no transaction is open, or knows
 * the transaction.
 *
 * @param sql the statement's bytes as the client sent them, perhaps with parameters
 * @param schema that of the session as far as is known, see {@link StatementSplitter#filter}
 * @param port what may be done with the session
 * @param arrivalNanos {@link System#nanoTime} when the command was complete
 * @param execution the execution, where the text was prepared before
 * @param transaction where it stands in a transaction; empty outside of transactions
 */
public record StatementOffer(
        byte[] sql,
        @Nullable String schema,
        ClientPort port,
        long arrivalNanos,
        Optional<Execution> execution,
        Optional<TransactionPlace> transaction) {
    /** Offers a text. */
    public StatementOffer(byte[] sql, ClientPort port, long arrivalNanos) {
        this(sql, null, port, arrivalNanos, Optional.empty(), Optional.empty());
    }

    /**
     * An execution of a prepared statement. Its answer has binary rows: the port makes them of text rows.
     *
     * @param statement what is executed
     * @param command with the values of the parameters
     * @param unchanged whether nothing that might change the session's settings was sent since it was prepared, but for
     *     executions of itself
     */
    public record Execution(PreparedText statement, ExecuteCommand command, boolean unchanged) {}
}

package io.fanfold.execute;

import io.fanfold.sql.ProxyStatement;
import io.fanfold.wire.ExecuteCommand;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A COM_QUERY whose text may be worth splitting, or a COM_STMT_EXECUTE of such a text, offered by an otherwise idle
 * session. The session has seen from the server's status flags that autocommit is on and no transaction is open, or it
 * knows the transaction.
 *
 * @param sql the statement's bytes as the client sent them; may contain parameters
 * @param schema the session's schema as far as known, see {@link FanOutDispatcher#filter}
 * @param client the client, on its session
 * @param arrivalNanos {@link System#nanoTime} when the command was complete
 * @param execution the execution, if the text was prepared before
 * @param transaction the statement's place in a transaction; empty outside transactions
 */
public record FanOutRequest(
        byte[] sql,
        @Nullable String schema,
        ClientConnection client,
        long arrivalNanos,
        Optional<Execution> execution,
        Optional<TransactionPlace> transaction) {
    /** Offers a text. */
    public FanOutRequest(byte[] sql, ClientConnection client, long arrivalNanos) {
        this(sql, null, client, arrivalNanos, Optional.empty(), Optional.empty());
    }

    /** Returns a request for the statement that another statement explains. */
    FanOutRequest explained(ProxyStatement.Explain explain) {
        return new FanOutRequest(
                Arrays.copyOfRange(sql, explain.explained(), sql.length),
                schema,
                client,
                arrivalNanos,
                execution,
                transaction);
    }

    /** Returns the same request of another client. */
    FanOutRequest from(ClientConnection other) {
        return new FanOutRequest(sql, schema, other, arrivalNanos, execution, transaction);
    }

    /**
     * An execution of a prepared statement. Its answer has binary rows, which the session makes from text rows.
     *
     * @param statement the prepared statement
     * @param command contains the values of the parameters
     * @param unchanged whether only its own executions, and nothing else that might change settings, were sent since it
     *     was prepared
     */
    public record Execution(PreparedText statement, ExecuteCommand command, boolean unchanged) {}
}

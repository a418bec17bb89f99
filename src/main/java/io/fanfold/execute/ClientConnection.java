package io.fanfold.execute;

import io.fanfold.operator.RowOutput;
import io.fanfold.row.ColumnType;
import io.fanfold.row.HeapRoom;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A fan-out's access to the session that requested it: asks the server on the client's own backend connection while the
 * client waits, and answers the client. The session implements it; any thread may call any method. From the request of a
 * statement to its end ({@link #passThrough}, {@link #fail} or the end of the {@link Answer}) nothing else uses the
 * backend connection.
 */
public interface ClientConnection {

    /** The thread id of the client's backend connection, from the server's greeting. */
    long backendThreadId();

    /** The user name that the session has logged in with; "" if it is not known. */
    default String user() {
        return "";
    }

    /**
     * Returns the payload of the definition of a column that Fanfold makes itself, in the form that this session negotiated.
     *
     * @param type VAR_STRING, LONGLONG or DOUBLE
     */
    byte[] column(String name, ColumnType type);

    /** Reports the session's schema as the server has just named it; empty if there is none. */
    void schema(String name);

    /**
     * Sends commands without waiting in between, and collects their replies in order.
     *
     * @return completes with one reply for each command; exceptionally with an {@link java.io.IOException} if a
     *     connection ended
     */
    CompletableFuture<List<Reply>> ask(List<Command> commands);

    /** Whether a transaction is open, according to the last reply to {@link #ask}. */
    default boolean inTransaction() {
        return false;
    }

    /** Completes when the client has disconnected or asked to be disconnected; never completes exceptionally. */
    CompletableFuture<Void> clientGone();

    /** Sends the original statement to the server and relays its answer. Ends the port's use. */
    void passThrough();

    /** How a statement that was passed through has ended. */
    enum RelayEnd {
        /** The server has executed it. */
        ANSWERED,
        /** The server has answered with an error. */
        FAILED,
        /** The session has ended before. */
        LOST
    }

    /** Completes on an event loop when a statement that was passed through has ended. */
    default CompletableFuture<RelayEnd> relayed() {
        return CompletableFuture.completedFuture(RelayEnd.LOST);
    }

    /**
     * Sends the client progress reports, if it has asked for them, until an answer begins or the port's use ends.
     * Called once at most.
     *
     * @param every the interval, at least one millisecond; the first report is sent after it
     * @param progress called on an event loop: must be safe for all threads and return at once
     */
    default void reportProgress(Duration every, Supplier<ServerPacket.Progress> progress) {}

    /**
     * Starts the answer and writes the column definitions at once. After this the statement cannot be passed through.
     *
     * @param head the part of the answer before the rows
     */
    Answer answer(ResultSetHeader head);

    /** Answers with an OK packet without rows and ends the port's use. Only before {@link #answer}. */
    void succeed();

    /**
     * Answers with an error packet and ends the port's use. Only before {@link #answer}.
     *
     * @param ran whether the server would have started the statement by now
     */
    void fail(int errno, String sqlState, String message, boolean ran);

    /** A command for the client's backend connection. Texts are in the session's character set. */
    sealed interface Command {
        /** The text of the command, or the whole command. */
        byte[] bytes();

        /**
         * COM_STMT_PREPARE; the statement is closed again at once.
         *
         * @param bytes the text
         */
        record Prepare(byte[] bytes) implements Command {}

        /**
         * COM_QUERY with at most one result set.
         *
         * @param bytes the text
         * @param room reserves the heap of the rows until its owner closes it; null if a small result is expected
         */
        record ClientQuery(byte[] bytes, @Nullable HeapRoom room) implements Command {
            /** A query with a small result. */
            public ClientQuery(byte[] bytes) {
                this(bytes, null);
            }
        }

        /**
         * COM_QUERY that begins or ends a transaction, without a result set. A session change reported in its OK packet
         * is the proxy's, not the client's.
         *
         * @param bytes the text
         */
        record Transaction(byte[] bytes) implements Command {}

        /**
         * COM_STMT_EXECUTE of one of the client's statements. Its rows are dropped.
         *
         * @param bytes the whole command, with the types of its parameters
         */
        record Execute(byte[] bytes) implements Command {}
    }

    /**
     * The part of an answer before its rows.
     *
     * @param definitions the payloads of the column definition packets, as the server would send them
     * @param indexStatus SERVER_QUERY_NO_INDEX_USED, SERVER_QUERY_NO_GOOD_INDEX_USED or 0, see
     *     {@link io.fanfold.wire.ServerStatus}
     * @param prepared the prepared statement, if the answer is in binary form
     */
    record ResultSetHeader(List<byte[]> definitions, int indexStatus, Optional<PreparedText> prepared) {
        public ResultSetHeader {
            definitions = List.copyOf(definitions);
        }

        public int columns() {
            return definitions.size();
        }
    }

    /**
     * The rows of an answer. Used by one thread at a time. A method that takes rows blocks while the client's socket is
     * full. It throws {@link ClientGoneException} when the client has disconnected or took too long; the session and the
     * port's use have then ended. It throws {@link InterruptedException} when the thread was interrupted while it waited,
     * or {@link #stopWaiting} was called.
     */
    interface Answer extends RowOutput<ClientGoneException> {
        /** Makes {@link #row} fail from now on instead of waiting for the client. For any thread; returns at once. */
        void stopWaiting();

        /** Ends the result set and the port's use. Status flags are those of an idle session plus those of the head. */
        void end();

        /** Ends the answer with an error packet instead of further rows, and ends the port's use. */
        void fail(int errno, String sqlState, String message);
    }

    /** The client has disconnected, or did not take rows for longer than allowed. */
    final class ClientGoneException extends Exception {
        private static final long serialVersionUID = 1;

        public ClientGoneException(String message) {
            super(message);
        }
    }
}

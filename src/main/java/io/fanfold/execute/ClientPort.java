package io.fanfold.execute;

import io.fanfold.protocol.ServerPacket;
import io.fanfold.row.Column;
import io.fanfold.row.HeapRoom;
import io.fanfold.row.Row;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a fan-out may do with the session that asked for it: talk to the server on the client's own backend connection
 * while the client waits, and answer the client. Implemented by the session; every method may be called from any
 * thread. Between the offer of a statement and its end ({@link #passThrough} or {@link Answer#end}) nobody else uses
 * the backend connection.
 */
public interface ClientPort {

    /** The thread id of the client's backend connection, as the server's greeting gave it. */
    long backendThreadId();

    /** The user name that the session has logged in with; "" if it is not known. */
    default String user() {
        return "";
    }

    /** Tells of the session's schema, as the server has just named it; empty for none. */
    void schema(String name);

    /**
     * Sends commands one behind the other without waiting and collects their replies, in order.
     *
     * @return completes with one reply for each command; exceptionally with an {@link java.io.IOException} when a
     *     connection ended
     */
    CompletableFuture<List<Reply>> ask(List<Command> commands);

    /** Whether a transaction is open, as the server has told with the last reply to {@link #ask}. */
    default boolean inTransaction() {
        return false;
    }

    /** Completes when the client is gone or asked to be disconnected; never completes exceptionally. */
    CompletableFuture<Void> clientGone();

    /** Sends the original statement to the server after all; its answer is relayed. Ends the port's use. */
    void passThrough();

    /**
     * Completes when a statement that was passed through has been answered by the server; never completes when the
     * session ends before. Completes on an event loop.
     */
    default CompletableFuture<Void> relayed() {
        return new CompletableFuture<>();
    }

    /**
     * From now on, until an answer begins or the port's use ends, the client is told every so often how far its statement is, if it
     * has asked for such reports. Only once.
     *
     * @param every one millisecond or longer; the first report comes after this
     * @param progress asked on an event loop: safe for all threads, and returns at once
     */
    default void reportProgress(Duration every, Supplier<ServerPacket.Progress> progress) {}

    /**
     * Starts the answer: column definitions are written at once. From here on the statement cannot be passed through.
     *
     * @param head what stands before the rows
     */
    Answer answer(ResultSetHeader head);

    /**
     * Answers with an error packet and ends the port's use; only before {@link #answer}.
     *
     * @param ran whether the server would have begun to run the statement by now
     */
    void fail(int errno, String sqlState, String message, boolean ran);

    /** A command for the client's backend connection. Texts are bytes in the session's character set. */
    sealed interface Command {
        /** What it sends: a text, or a whole command. */
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
         * @param room gives the heap that its rows take, which nobody gives back but who closes it; null where a small result is
         *     expected
         */
        record Query(byte[] bytes, @Nullable HeapRoom room) implements Command {
            /** One with a small result. */
            public Query(byte[] bytes) {
                this(bytes, null);
            }
        }

        /**
         * COM_QUERY that begins a transaction or ends one, without a result set. If its OK packet reports a change of the session, the
         * proxy has made this change, not the client.
         *
         * @param bytes the text
         */
        record Transaction(byte[] bytes) implements Command {}

        /**
         * COM_STMT_EXECUTE of a statement of the client's; its rows are dropped.
         *
         * @param bytes the whole command, with the types of its parameters
         */
        record Execute(byte[] bytes) implements Command {}
    }

    /** The server's reply to a command. */
    sealed interface Reply {
        /**
         * A statement was prepared.
         *
         * @param parameters how many parameter markers it has
         * @param columnDefinitions the payloads of its column definitions in the form this session negotiated
         * @param columns the same, decoded
         * @param warnings how many warnings preparing raised
         */
        record Prepared(int parameters, List<byte[]> columnDefinitions, List<Column> columns, int warnings)
                implements Reply {}

        /**
         * A result set.
         *
         * @param columns its columns, in order
         * @param rows its rows as text
         * @param warnings how many warnings it raised
         */
        record Rows(List<Column> columns, List<Row> rows, int warnings) implements Reply {}

        /**
         * The command succeeded without a result set.
         *
         * @param warnings how many warnings it raised
         */
        record Ok(int warnings) implements Reply {}

        /** The server refused; the connection lives on. */
        record Failed(int errno, String sqlState, String message) implements Reply {}

        /** The reply was larger than allowed; it was read to its end and dropped. */
        record TooLarge(long bytes) implements Reply {}
    }

    /**
     * What stands before the rows of an answer.
     *
     * @param definitions the payloads of the column definition packets, as the server would send them
     * @param indexStatus SERVER_QUERY_NO_INDEX_USED, SERVER_QUERY_NO_GOOD_INDEX_USED or 0, see {@link io.fanfold.protocol.ServerStatus}
     * @param prepared the statement whose execution is answered, in binary form
     */
    record ResultSetHeader(List<byte[]> definitions, int indexStatus, Optional<PreparedText> prepared) {
        public ResultSetHeader {
            definitions = List.copyOf(definitions);
        }

        public int columns() {
            return definitions.size();
        }
    }

    /** The rows of an answer. One thread at a time. */
    interface Answer {
        /**
         * Writes a row; blocks while the client's socket is full.
         *
         * @param payload the text row's payload; kept, not to be changed afterwards
         * @throws ClientGoneException when the client is gone or took too long; the session and the port's use have
         *     ended then
         * @throws InterruptedException when the thread was interrupted while it waited, or {@link #stopWaiting} was called
         */
        void row(byte[] payload) throws ClientGoneException, InterruptedException;

        /** From now on {@link #row} fails where it would wait for the client. For any thread; returns at once. */
        void stopWaiting();

        /** Ends the result set and the port's use. The status flags are those of an idle session, and those of the head. */
        void end();

        /** Ends the answer with an error packet in place of further rows, and the port's use. */
        void fail(int errno, String sqlState, String message);
    }

    /** The client is gone, or did not take rows for longer than allowed. */
    final class ClientGoneException extends Exception {
        private static final long serialVersionUID = 1;

        public ClientGoneException(String message) {
            super(message);
        }
    }
}

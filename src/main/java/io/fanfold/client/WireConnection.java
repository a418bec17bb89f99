package io.fanfold.client;

import io.fanfold.row.Column;
import io.fanfold.row.HeapRoom;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client of the MySQL protocol over a blocking socket. Each command is one statement with text results;
 * multi-statements and LOCAL INFILE are off. Statements given as String are sent as UTF-8, those given as bytes are
 * sent unchanged. The session starts with utf8mb4. For use by one thread at a time, except {@link #abort},
 * {@link #broken} and {@link #threadId}.
 *
 * <p>After an {@link IOException} from any method the connection is broken and closed. After a {@link ServerException}
 * it is still usable.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html">command phase</a>
 */
public final class WireConnection implements SnapshotConnection, AutoCloseable {
    /**
     * Limit of commands sent before their replies are read. It fits into the socket buffers, so neither side blocks the
     * other.
     */
    public static final int AHEAD_BYTES = 16 * 1024;

    private static final int AHEAD_COMMANDS = 64;

    private final WireSocket socket;
    private final ReplyQueue replies;
    private final ServerIdentity identity;
    private final long threadId;

    private WireConnection(WireSocket socket, Login.Session session) {
        this.socket = socket;
        this.replies = new ReplyQueue(socket, session);
        this.identity = ServerIdentity.of(session.greeting());
        this.threadId = session.greeting().threadId();
    }

    /**
     * Connects and logs in.
     *
     * @throws ServerException if the server refuses the connection or the account
     * @throws IOException if the server is unreachable, breaks the protocol, or asks for an unsupported authentication
     *     plugin; the message names the plugin
     */
    public static WireConnection open(WireSettings settings) throws IOException, ServerException {
        WireSocket socket = WireSocket.connect(settings);
        boolean opened = false;
        try {
            WireConnection connection = new WireConnection(socket, socket.login(settings));
            connection.readTimeout(settings.readTimeout());
            opened = true;
            return connection;
        } finally {
            if (!opened) {
                socket.abort();
            }
        }
    }

    /** Returns the connection id on the server, for KILL. */
    public long threadId() {
        return threadId;
    }

    /** Returns the server's address. */
    public InetSocketAddress address() {
        return socket.address();
    }

    public ServerIdentity identity() {
        return identity;
    }

    /** Whether the connection failed, was aborted or was closed; once true, always true. */
    public boolean broken() {
        return socket.broken();
    }

    /** Whether every reply has been read to its end, so that the next statement may be sent. */
    public boolean idle() {
        return replies.idle();
    }

    /** Whether a transaction is open, according to the server's last status flags. */
    @Override
    public boolean inTransaction() {
        return (replies.status() & ServerStatus.IN_TRANSACTION) != 0;
    }

    /**
     * Sets how long the server may be silent while a reply is awaited. Zero means no limit, but see
     * {@link StatementWatch}.
     */
    public void readTimeout(Duration timeout) throws IOException {
        socket.readTimeout(timeout);
    }

    public Duration readTimeout() {
        return socket.readTimeout();
    }

    /**
     * Checks a silent server from now on, if there is no read timeout. If the server no longer runs the statement and
     * its reply does not arrive, the connection is broken.
     *
     * @param every how long the server may be silent before each check; positive
     * @param runs whether the server still runs the statement whose reply is read; called by the connection's thread
     */
    void watch(Duration every, BooleanSupplier runs) throws IOException {
        socket.watch(every, runs);
    }

    /**
     * Runs a statement and drops its rows, if any.
     *
     * @return the number of warnings
     */
    public int execute(String sql) throws IOException, ServerException {
        try (RowStream stream = stream(bytes(sql))) {
            stream.skipRest();
            return stream.warnings();
        }
    }

    /**
     * Runs a statement with a small result. A result over 64 MiB breaks the connection.
     *
     * @return the result; without columns and rows if the statement returns none
     */
    public Reply.Result query(String sql) throws IOException, ServerException {
        Reply reply = pipeline(List.of(sql)).get(0);
        if (reply instanceof Reply.Failed failed) {
            throw new ServerException(failed);
        }
        return reply instanceof Reply.Result result ? result : empty((Reply.Completed) reply);
    }

    private static Reply.Result empty(Reply.Completed reply) {
        return new Reply.Result(List.of(), List.of(), reply.warnings(), reply.status());
    }

    /**
     * Sends statements without waiting for each reply, then reads the replies. An error of one statement does not stop
     * the others.
     *
     * @return one reply for each statement, in order; a result over 64 MiB breaks the connection
     */
    public List<Reply> pipeline(List<String> sqls) throws IOException {
        List<Reply> results = new ArrayList<>(sqls.size());
        int from = 0;
        while (from < sqls.size()) {
            List<byte[]> ahead = new ArrayList<>();
            int size = 0;
            while (from < sqls.size() && ahead.size() < AHEAD_COMMANDS) {
                byte[] next = bytes(sqls.get(from));
                if (!ahead.isEmpty() && size + next.length > AHEAD_BYTES) {
                    break;
                }
                ahead.add(next);
                size += next.length;
                from++;
            }
            send(ahead);
            results.addAll(receive(ahead.size()));
        }
        return results;
    }

    /**
     * Sends statements without waiting. Each needs one {@link #receive}. Their total length must be small: if the
     * server cannot read all of it while it sends replies, both sides block.
     */
    void send(List<byte[]> sqls) throws IOException {
        replies.requireNoRows();
        write(sqls);
    }

    private void write(List<byte[]> sqls) throws IOException {
        replies.send(sqls.stream().map(sql -> command(CommandCode.QUERY, sql)).toList());
    }

    /** Sends statements given as text, see {@link #send}. */
    @Override
    public void sendTexts(List<String> sqls) throws IOException {
        send(sqls.stream().map(WireConnection::bytes).toList());
    }

    /**
     * Sends settings without waiting. Their replies are read before the reply to the next statement, or by
     * {@link #settled}. They must arrive within two seconds. All other replies must have been read.
     */
    public void sendSettings(List<String> sqls) throws IOException {
        replies.requireIdle();
        sendTexts(sqls);
        replies.areSettings(sqls.size());
    }

    /**
     * Reads the replies to {@link #sendSettings} if they have not been read.
     *
     * @return the first error among them; null if there was none
     */
    public Reply.@Nullable Failed settled() throws IOException {
        return replies.settled();
    }

    /** Reads the replies to the {@code count} oldest unanswered statements. */
    @Override
    public List<Reply> receive(int count) throws IOException {
        List<Reply> results = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            results.add(receive());
        }
        return results;
    }

    /** Reads the reply to the oldest unanswered statement. */
    @Override
    public Reply receive() throws IOException {
        return replies.receive();
    }

    @Override
    public boolean answers(Duration patience) throws IOException {
        return replies.answers(patience);
    }

    /** Prepares a statement and closes it at once, to get its result columns without running it. */
    public Reply.Prepared prepare(String sql) throws IOException, ServerException {
        replies.requireIdle();
        sendPrepare(sql);
        return receivePrepared();
    }

    /** Sends COM_STMT_PREPARE without waiting. It needs one {@link #receivePrepared}; see {@link #send}. */
    public void sendPrepare(String sql) throws IOException {
        replies.send(List.of(command(CommandCode.STMT_PREPARE, bytes(sql))));
    }

    /** Reads the reply to {@link #sendPrepare} and closes the prepared statement. */
    public Reply.Prepared receivePrepared() throws IOException, ServerException {
        ReplyReader.PreparedReply prepared = replies.prepared();
        replies.tell(new PayloadWriter()
                .int1(CommandCode.STMT_CLOSE)
                .int4(prepared.statementId())
                .toBytes());
        return prepared.reply();
    }

    /**
     * Runs a statement and streams its rows, without counting their heap.
     *
     * @return the stream, with its columns read; the caller reads it to its end or closes it
     * @throws ServerException if the server refuses the statement
     */
    public RowStream stream(byte[] sql) throws IOException, ServerException {
        return begin(sql, null);
    }

    /**
     * Runs a statement and streams its rows.
     *
     * @param room counts the heap of a large row from when it is read until the next row is read
     * @return the stream, with its columns read; the caller reads it to its end or closes it
     * @throws ServerException if the server refuses the statement
     * @throws NoRoomException if there is no room for a row, now or while rows are read
     */
    public RowStream stream(byte[] sql, HeapRoom room) throws IOException, ServerException {
        return begin(sql, room);
    }

    /**
     * Sends a statement without waiting, also while the rows of another are read. {@link #streamNext} reads its rows.
     *
     * @param sql together with all other unanswered statements at most {@link #AHEAD_BYTES} long
     */
    public void sendAhead(byte[] sql) throws IOException {
        write(List.of(sql));
    }

    /** Reads and drops the answers to all statements sent, for example after these were killed. */
    public void skipAnswers() throws IOException {
        while (replies.owed() && !broken()) {
            skipAnswer();
        }
    }

    private void skipAnswer() throws IOException {
        try (RowStream answer = begin(null)) {
            answer.skipRest();
        } catch (ServerException e) {
            // the statement has ended
            return;
        }
    }

    /** Streams the rows of the oldest unanswered statement, see {@link #stream(byte[], HeapRoom)}. */
    public RowStream streamNext(HeapRoom room) throws IOException, ServerException {
        replies.requireNoRows();
        return begin(room);
    }

    private RowStream begin(byte[] sql, @Nullable HeapRoom room) throws IOException, ServerException {
        replies.requireIdle();
        send(List.of(sql));
        return begin(room);
    }

    private RowStream begin(@Nullable HeapRoom room) throws IOException, ServerException {
        List<Column> columns = replies.head(room);
        boolean rows = !columns.isEmpty();
        return new RowStream(replies, columns, rows, rows ? 0 : replies.warnings());
    }

    /** Sends a command, with its code, that the server answers without an end. Then the connection can only be closed. */
    public PacketStream packets(byte[] command) throws IOException {
        return replies.packets(command);
    }

    /**
     * Breaks the connection because a reply was not what its statement asked for.
     *
     * @return the exception, for the caller to throw
     */
    public IOException unexpected(String what) {
        return socket.broke(new ProtocolException(what));
    }

    /** Returns the warnings of the last OK or EOF. */
    int lastWarnings() {
        return replies.warnings();
    }

    /** Sends COM_PING and waits up to the read timeout. Returns false if it fails or the connection is not idle. */
    public boolean ping() {
        if (!idle()) {
            return false;
        }
        try {
            replies.send(List.of(new byte[] {CommandCode.PING}));
            return replies.head(null).isEmpty();
        } catch (IOException | ServerException e) {
            abort();
            return false;
        }
    }

    /** Sends COM_QUIT if the connection is idle, and closes it; never fails. */
    @Override
    public void close() {
        if (idle()) {
            try {
                replies.tell(new byte[] {CommandCode.QUIT});
            } catch (IOException e) {
                // The server sees the end of the stream anyway.
                abort();
            }
        }
        abort();
    }

    /**
     * Closes the socket at once, from any thread; a thread that waits for it gets an IOException. The server keeps
     * running the current statement, so kill it first.
     */
    public void abort() {
        socket.abort();
    }

    private static byte[] bytes(String sql) {
        return sql.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] command(int code, byte[] text) {
        byte[] command = new byte[text.length + 1];
        command[0] = (byte) code;
        System.arraycopy(text, 0, command, 1, text.length);
        return command;
    }

    @Override
    public String toString() {
        return "connection " + threadId + (broken() ? " (broken)" : "");
    }
}

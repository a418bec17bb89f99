package io.fanfold.backend;

import io.fanfold.protocol.CommandCode;
import io.fanfold.protocol.PayloadWriter;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.protocol.ProxyHeader;
import io.fanfold.protocol.ProxyHeaderWriter;
import io.fanfold.protocol.ServerStatus;
import io.fanfold.row.Column;
import io.fanfold.row.HeapRoom;
import io.fanfold.row.Row;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client of the MySQL protocol over a blocking socket: one statement a command, text results, no multi-statements, no
 * local files. Statement texts given as String are sent as UTF-8, those given as bytes unchanged; the session starts
 * with utf8mb4. For one thread at a time, except {@link #abort}, {@link #broken} and {@link #threadId}.
 *
 * <p>An {@link IOException} from any method means that the connection is broken and closed; a {@link ServerException}
 * means that it lives on.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html">command phase</a>
 */
public final class WireConnection implements SnapshotConnection, AutoCloseable {
    /** Commands sent ahead of their replies: fits into the socket buffers, so that neither side waits for the other. */
    static final int AHEAD_BYTES = 16 * 1024;

    private static final int AHEAD_COMMANDS = 64;
    private static final long MAX_RESULT_BYTES = 64L << 20;

    private final Socket socket;
    private final InputStream input;
    private final PacketChannel channel;
    private final ReplyReader replies;
    private final ServerIdentity identity;
    private final long threadId;

    /** For each command without its reply: the sequence id its reply starts with. */
    private final Deque<Integer> awaited = new ArrayDeque<>();

    private @Nullable BooleanSupplier runs;
    private Duration silence = Duration.ZERO;

    /** Zero is for ever, or for as long as the watch says. */
    private Duration readTimeout = Duration.ZERO;

    private boolean streaming;
    private volatile boolean broken;

    private WireConnection(Socket socket, InputStream input, PacketChannel channel, Login.Session session) {
        this.socket = socket;
        this.input = input;
        this.channel = channel;
        this.replies = new ReplyReader(channel, session.capabilities(), session.status());
        this.identity = ServerIdentity.of(session.greeting());
        this.threadId = session.greeting().threadId();
    }

    /**
     * Connects and logs in.
     *
     * @throws ServerException when the server refuses the connection or the account
     * @throws IOException when it cannot be reached, is not understood, or asks for an authentication plugin that is not
     *     supported; the message names the plugin
     */
    public static WireConnection open(WireSettings settings) throws IOException, ServerException {
        Socket socket = new Socket();
        boolean opened = false;
        try {
            int millis = millis(settings.connectTimeout());
            socket.setTcpNoDelay(true);
            KeepAlive.set(socket, settings.keepAlive());
            socket.connect(new InetSocketAddress(settings.host(), settings.port()), millis);
            socket.setSoTimeout(millis);
            socket.getOutputStream()
                    .write(ProxyHeaderWriter.bytes(settings.proxyProtocol(), new ProxyHeader.Unknown()));
            PacketChannel channel =
                    new PacketChannel(socket.getInputStream(), socket.getOutputStream(), settings.maxPayloadBytes());
            Login.Session session = Login.in(channel, settings, socket);
            InputStream input = session.encrypted() == null
                    ? socket.getInputStream()
                    : session.encrypted().getInputStream();
            WireConnection connection = new WireConnection(socket, input, channel, session);
            connection.readTimeout(settings.readTimeout());
            opened = true;
            return connection;
        } finally {
            if (!opened) {
                socket.close();
            }
        }
    }

    private static int millis(Duration duration) {
        long millis = Math.min(duration.toMillis(), Integer.MAX_VALUE);
        return duration.isZero() ? 0 : (int) Math.max(1, millis);
    }

    /** The connection's id on the server, for KILL. */
    public long threadId() {
        return threadId;
    }

    /** Where it leads. */
    InetAddress address() {
        return socket.getInetAddress();
    }

    public ServerIdentity identity() {
        return identity;
    }

    /** Whether the connection failed, or was aborted or closed; it stays so. */
    public boolean broken() {
        return broken;
    }

    /** Whether every reply was read to its end: the next statement may be sent. */
    public boolean idle() {
        return !broken && !streaming && awaited.isEmpty() && !channel.hasUnread();
    }

    /** Whether a transaction is open, as the server last said. */
    @Override
    public boolean inTransaction() {
        return (replies.status() & ServerStatus.IN_TRANSACTION) != 0;
    }

    /** How long the server may be silent while a reply is awaited; zero is for ever, see {@link #watch}. */
    public void readTimeout(Duration timeout) throws IOException {
        BooleanSupplier asking = timeout.isZero() ? runs : null;
        try {
            socket.setSoTimeout(millis(asking == null ? timeout : silence));
        } catch (SocketException e) {
            throw broke(e);
        }
        channel.readFrom(asking == null ? input : new WatchedInput(input, asking));
        readTimeout = timeout;
    }

    Duration readTimeout() {
        return readTimeout;
    }

    /**
     * From now on a server that is silent although it may be for ever is asked whether it still works on the statement: where it
     * does not, and its answer does not come, the connection is broken.
     *
     * @param serverKey the {@link ServerFacts#serverKey} of the server
     */
    void watch(StatementWatch by, String serverKey) throws IOException {
        SideConnection.Place place = new SideConnection.Place(serverKey, address());
        runs = () -> by.runs(place, threadId);
        silence = by.silence();
        readTimeout(readTimeout);
    }

    /**
     * Runs a statement and drops its rows, if any.
     *
     * @return how many warnings it raised
     */
    public int execute(String sql) throws IOException, ServerException {
        try (RowStream stream = stream(bytes(sql))) {
            stream.skipRest();
            return stream.warnings();
        }
    }

    /**
     * Runs a statement with a small result: over 64 MiB the connection is broken.
     *
     * @return the result; without columns and rows when the statement returns none
     */
    public Reply.Result query(String sql) throws IOException, ServerException {
        Reply reply = pipeline(List.of(sql)).get(0);
        if (reply instanceof Reply.Failed failed) {
            throw failed.exception();
        }
        return reply instanceof Reply.Result result ? result : empty((Reply.Ok) reply);
    }

    private static Reply.Result empty(Reply.Ok reply) {
        return new Reply.Result(List.of(), List.of(), reply.warnings(), reply.status());
    }

    /**
     * Sends all statements one behind the other, then reads all replies. It goes on after a statement that failed.
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
     * Sends statements without waiting. Each needs one {@link #receive}. Together they have to be short: what the server
     * cannot take in while it answers would block both sides.
     */
    void send(List<byte[]> sqls) throws IOException {
        if (streaming) {
            throw new IllegalStateException("the rows of the last statement have not been read to their end");
        }
        requireNothingUnread();
        int size = 0;
        for (byte[] sql : sqls) {
            size = Math.addExact(size, PacketChannel.framedLength(sql.length + 1));
        }
        byte[] framed = new byte[size];
        int at = 0;
        for (byte[] sql : sqls) {
            byte[] command = command(CommandCode.QUERY, sql);
            awaited.add(PacketChannel.frame(command, framed, at, 0));
            at += PacketChannel.framedLength(command.length);
        }
        try {
            channel.writeFramed(framed);
        } catch (IOException e) {
            throw broke(e);
        }
    }

    /** A server sends nothing unasked but its farewell: with anything else, answers would be taken for those of others. */
    private void requireNothingUnread() throws IOException {
        if (awaited.isEmpty() && channel.hasUnread()) {
            throw broke(new ProtocolException("the server sent more than it was asked for"));
        }
    }

    /** Sends statements given as text, see {@link #send}. */
    @Override
    public void sendTexts(List<String> sqls) throws IOException {
        send(sqls.stream().map(WireConnection::bytes).toList());
    }

    /** Reads the replies to the {@code count} oldest statements sent that have none. */
    @Override
    public List<Reply> receive(int count) throws IOException {
        List<Reply> results = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            results.add(receive());
        }
        return results;
    }

    /** Reads the reply to the oldest statement sent that has none. */
    @Override
    public Reply receive() throws IOException {
        try {
            channel.sequence(awaited.remove());
            List<Column> columns = replies.head();
            if (columns.isEmpty()) {
                return new Reply.Ok(replies.status(), replies.warnings());
            }
            List<Row> rows = new ArrayList<>();
            long bytes = 0;
            Row row = replies.row(columns.size());
            while (row != null) {
                rows.add(row);
                bytes += row.heapBytes();
                if (bytes > MAX_RESULT_BYTES) {
                    throw new IOException("a result that should be small is over " + MAX_RESULT_BYTES + " bytes");
                }
                row = replies.row(columns.size());
            }
            return new Reply.Result(columns, rows, replies.warnings(), replies.status());
        } catch (ServerException e) {
            return new Reply.Failed(e.errno(), e.sqlState(), String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw broke(e);
        }
    }

    @Override
    public boolean answers(Duration patience) throws IOException {
        Duration before = readTimeout();
        try {
            readTimeout(patience);
            return channel.await();
        } catch (IOException e) {
            throw broke(e);
        } finally {
            if (!broken) {
                readTimeout(before);
            }
        }
    }

    /** Prepares a statement and closes it again at once: what the server would answer, without running it. */
    public PreparedColumns prepare(String sql) throws IOException, ServerException {
        requireIdle();
        sendPrepare(sql);
        return receivePrepared();
    }

    /** Sends a statement to be prepared, without waiting. It needs one {@link #receivePrepared}; see {@link #send}. */
    void sendPrepare(String sql) throws IOException {
        try {
            channel.sequence(0);
            byte[] command = command(CommandCode.STMT_PREPARE, bytes(sql));
            channel.write(command);
            awaited.add(PacketChannel.sequenceAfter(command.length));
        } catch (IOException e) {
            throw broke(e);
        }
    }

    /** Reads the reply to a statement sent to be prepared, and closes the statement. */
    PreparedColumns receivePrepared() throws IOException, ServerException {
        try {
            channel.sequence(awaited.remove());
            ReplyReader.Prepared prepared = replies.prepared();
            channel.sequence(0);
            channel.write(new PayloadWriter()
                    .int1(CommandCode.STMT_CLOSE)
                    .int4(prepared.statementId())
                    .toBytes());
            return prepared.columns();
        } catch (IOException e) {
            throw broke(e);
        }
    }

    /**
     * Runs a statement and hands out its rows as they come, whose heap nobody counts.
     *
     * @return the stream, whose columns have been read; to be read to its end or closed
     * @throws ServerException when the server refuses the statement
     */
    public RowStream stream(byte[] sql) throws IOException, ServerException {
        return begin(sql, null);
    }

    /**
     * Runs a statement and hands out its rows as they come.
     *
     * @param room where the heap of a large row is counted, from the moment it is read until the next one is
     * @return the stream, whose columns have been read; to be read to its end or closed
     * @throws ServerException when the server refuses the statement
     * @throws NoRoomException when there is no room for a row, now or as rows are read
     */
    public RowStream stream(byte[] sql, HeapRoom room) throws IOException, ServerException {
        return begin(sql, room);
    }

    private RowStream begin(byte[] sql, @Nullable HeapRoom room) throws IOException, ServerException {
        requireIdle();
        send(List.of(sql));
        try {
            channel.within(room);
            channel.sequence(awaited.remove());
            List<Column> columns = replies.head();
            streaming = !columns.isEmpty();
            return new RowStream(this, columns, streaming, streaming ? 0 : replies.warnings());
        } catch (IOException e) {
            throw broke(e);
        } finally {
            if (!streaming) {
                channel.within(null);
            }
        }
    }

    @Nullable
    Row readRow(int columns) throws IOException, ServerException {
        boolean more = false;
        try {
            Row row = replies.row(columns);
            more = row != null;
            return row;
        } catch (IOException e) {
            throw broke(e);
        } finally {
            streaming = more;
            if (!more) {
                channel.within(null);
            }
        }
    }

    /**
     * Gives the connection up since what was read cannot be what was asked for.
     *
     * @return to be thrown
     */
    public IOException unexpected(String what) {
        return broke(new ProtocolException(what));
    }

    int lastWarnings() {
        return replies.warnings();
    }

    /** Asks the server whether it is there, within the read timeout; false also when the connection is not idle. */
    public boolean ping() {
        if (!idle()) {
            return false;
        }
        try {
            channel.sequence(0);
            channel.write(new byte[] {CommandCode.PING});
            return replies.head().isEmpty();
        } catch (IOException | ServerException e) {
            abort();
            return false;
        }
    }

    /** Says goodbye and closes; never fails. */
    @Override
    public void close() {
        if (idle()) {
            try {
                channel.sequence(0);
                channel.write(new byte[] {CommandCode.QUIT});
            } catch (IOException e) {
                // The server sees the socket's end anyway.
                broken = true;
            }
        }
        abort();
    }

    /**
     * Closes the socket at once, from any thread; whoever waits for it gets an IOException. A statement that is running
     * runs on in the server: kill it first.
     */
    public void abort() {
        broken = true;
        try {
            socket.close();
        } catch (IOException e) {
            // A socket that cannot be closed is of no further use either.
            return;
        }
    }

    private void requireIdle() {
        if (streaming || !awaited.isEmpty()) {
            throw new IllegalStateException("the reply to the last statement has not been read to its end");
        }
    }

    private IOException broke(IOException cause) {
        abort();
        return cause;
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
        return "connection " + threadId + (broken ? " (broken)" : "");
    }
}

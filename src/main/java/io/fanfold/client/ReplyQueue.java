package io.fanfold.client;

import io.fanfold.row.Column;
import io.fanfold.row.HeapRoom;
import io.fanfold.row.Row;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The replies that the server owes to a {@link WireConnection}, oldest first. An {@link IOException} from
 * any method breaks the connection; after a {@link ServerException} it is still usable. For use by one thread.
 */
final class ReplyQueue {
    private static final Duration SETTINGS_TIMEOUT = Duration.ofSeconds(2);

    private final WireSocket socket;
    private final PacketChannel channel;
    private final ReplyReader replies;

    /** The sequence id of the reply to each command not yet answered, oldest first. */
    private final Deque<Integer> awaited = new ArrayDeque<>();

    /** How many of the oldest commands not yet answered are settings. */
    private int settings;

    private Reply.@Nullable Failed refusedSetting;
    private boolean streaming;

    ReplyQueue(WireSocket socket, Login.Session session) {
        this.socket = socket;
        this.channel = socket.channel();
        this.replies = new ReplyReader(channel, session.capabilities(), session.status());
    }

    /** Whether every reply has been read to its end. */
    boolean idle() {
        return !socket.broken() && !streaming && awaited.isEmpty() && !channel.hasUnread();
    }

    /** Whether the reply to a command has not been begun. */
    boolean owed() {
        return !awaited.isEmpty();
    }

    void requireIdle() {
        if (streaming || awaited.size() > settings) {
            throw new IllegalStateException("the reply to the last statement has not been read to its end");
        }
    }

    void requireNoRows() {
        if (streaming) {
            throw new IllegalStateException("the rows of the last statement have not been read to their end");
        }
    }

    /** Returns the status flags of the last OK or EOF. */
    int status() {
        return replies.status();
    }

    /** Returns the warnings of the last OK or EOF. */
    int warnings() {
        return replies.warnings();
    }

    /**
     * Sends commands in one write, also while the rows of an earlier one are read. Fails if bytes are unread and no
     * reply is awaited: a server sends nothing unasked except a final error, and any other bytes would be taken for the
     * next reply.
     */
    void send(List<byte[]> commands) throws IOException {
        if (!streaming && awaited.isEmpty() && channel.hasUnread()) {
            throw socket.broke(new ProtocolException("the server sent more than it was asked for"));
        }
        int size = 0;
        for (byte[] command : commands) {
            size = Math.addExact(size, PacketCodec.framedLength(command.length));
        }
        byte[] framed = new byte[size];
        int at = 0;
        for (byte[] command : commands) {
            awaited.add(PacketCodec.frame(command, framed, at, 0));
            at += PacketCodec.framedLength(command.length);
        }
        try {
            channel.writeFramed(framed);
        } catch (IOException e) {
            throw socket.broke(e);
        }
    }

    /** Sends a command that has no reply. */
    void tell(byte[] command) throws IOException {
        try {
            channel.sequence(0);
            channel.write(command);
        } catch (IOException e) {
            throw socket.broke(e);
        }
    }

    /** The commands sent last are settings: their replies are read before the next one, or by {@link #settled}. */
    void areSettings(int count) {
        settings += count;
    }

    /** Reads the replies to settings; returns the first error among them, null if there was none. */
    Reply.@Nullable Failed settled() throws IOException {
        readSettings();
        Reply.Failed refused = refusedSetting;
        refusedSetting = null;
        return refused;
    }

    /** A setting takes no time on a server, so a connection without these replies is dead. */
    private void readSettings() throws IOException {
        if (settings == 0) {
            return;
        }
        Duration before = socket.readTimeout();
        socket.readTimeout(SETTINGS_TIMEOUT);
        while (settings > 0) {
            readSetting();
        }
        socket.readTimeout(before);
    }

    private void readSetting() throws IOException {
        settings--;
        if (read() instanceof Reply.Failed failed && refusedSetting == null) {
            refusedSetting = failed;
        }
    }

    /** Reads the reply to the oldest unanswered statement. */
    Reply receive() throws IOException {
        readSettings();
        return read();
    }

    private Reply read() throws IOException {
        try {
            channel.sequence(awaited.remove());
            return replies.reply();
        } catch (IOException e) {
            throw socket.broke(e);
        }
    }

    /** See {@link SnapshotConnection#answers}. */
    boolean answers(Duration patience) throws IOException {
        Duration before = socket.readTimeout();
        try {
            socket.readTimeout(patience);
            while (settings > 0 && channel.await()) {
                readSetting();
            }
            return settings == 0 && channel.await();
        } catch (IOException e) {
            throw socket.broke(e);
        } finally {
            if (!socket.broken()) {
                socket.readTimeout(before);
            }
        }
    }

    /** Breaks the connection instead of reading the remaining replies. */
    void abort() {
        socket.abort();
    }

    /** Reads the reply to COM_STMT_PREPARE. */
    ReplyReader.PreparedReply prepared() throws IOException, ServerException {
        readSettings();
        try {
            channel.sequence(awaited.remove());
            return replies.prepared();
        } catch (IOException e) {
            throw socket.broke(e);
        }
    }

    /** Sends a command that the server answers with packets without a known number. No other reply may be read after it. */
    PacketStream packets(byte[] command) throws IOException {
        requireIdle();
        send(List.of(command));
        channel.sequence(awaited.remove());
        streaming = true;
        return new PacketStream(socket);
    }

    /**
     * Reads the reply to the oldest unanswered command up to its first row.
     *
     * @param room counts the heap of a large row from when it is read until the next row is read; null to count none
     * @return the columns, whose rows are then read by {@link #row}; empty if the reply has no rows
     */
    List<Column> head(@Nullable HeapRoom room) throws IOException, ServerException {
        readSettings();
        try {
            channel.within(room);
            channel.sequence(awaited.remove());
            List<Column> columns = replies.head();
            streaming = !columns.isEmpty();
            return columns;
        } catch (IOException e) {
            throw socket.broke(e);
        } finally {
            if (!streaming) {
                channel.within(null);
            }
        }
    }

    /** Passes rows on that are in the buffer already, see {@link RowStream#forward}. */
    <E extends Exception> int forward(int columns, int most, PacketOutput<E> out) throws E {
        return replies.forward(columns, most, out);
    }

    /** Returns the next row; null at the end. */
    @Nullable
    Row row(int columns) throws IOException, ServerException {
        boolean more = false;
        try {
            Row row = replies.row(columns);
            more = row != null;
            return row;
        } catch (IOException e) {
            throw socket.broke(e);
        } finally {
            streaming = more;
            if (!more) {
                channel.within(null);
            }
        }
    }
}

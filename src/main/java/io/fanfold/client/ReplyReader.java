package io.fanfold.client;

import io.fanfold.row.Column;
import io.fanfold.row.Row;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the replies of the command phase: OK, error, or a text result set. Keeps the session's last status flags. For
 * use by one thread.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response.html">COM_QUERY
 *     response</a>
 */
final class ReplyReader {
    /** Length of an error's header, number and SQL state, which every server sends after the login. */
    private static final int ERROR_HEAD = 9;

    private static final long MAX_RESULT_BYTES = 64L << 20;

    private final PacketChannel channel;
    private final long capabilities;
    private int status;
    private int warnings;

    ReplyReader(PacketChannel channel, long capabilities, int status) {
        this.channel = channel;
        this.capabilities = capabilities;
        this.status = status;
    }

    /** Returns the status flags of the last OK or EOF. */
    int status() {
        return status;
    }

    /** Returns the warnings of the last OK or EOF. */
    int warnings() {
        return warnings;
    }

    /** Reads a whole reply, whose result should be small. */
    Reply reply() throws IOException {
        try {
            List<Column> columns = head();
            if (columns.isEmpty()) {
                return new Reply.Completed(status, warnings);
            }
            List<Row> rows = new ArrayList<>();
            long bytes = 0;
            Row row = row(columns.size());
            while (row != null) {
                rows.add(row);
                bytes += row.heapBytes();
                if (bytes > MAX_RESULT_BYTES) {
                    throw new IOException("a result that should be small is over " + MAX_RESULT_BYTES + " bytes");
                }
                row = row(columns.size());
            }
            return new Reply.Result(columns, rows, warnings, status);
        } catch (ServerException e) {
            return new Reply.Failed(e.errno(), e.sqlState(), String.valueOf(e.getMessage()));
        }
    }

    /**
     * Reads up to the first row.
     *
     * @return the columns of a result set whose rows follow; empty if the reply was an OK and is complete
     * @throws ServerException if the reply was an error and is complete
     */
    List<Column> head() throws IOException, ServerException {
        byte[] packet = nonEmpty();
        int first = packet[0] & 0xff;
        if (first == ServerPacket.OK) {
            over(ServerPacket.Ok.decode(packet));
            return List.of();
        }
        if (first == ServerPacket.ERROR) {
            throw error(packet);
        }
        if (first == ServerPacket.LOCAL_INFILE) {
            throw new ProtocolException("the server asked for a local file, which was never offered");
        }
        PayloadReader in = new PayloadReader(packet);
        long count = in.lenencInt();
        if (count < 1 || count > 0xffff || in.remaining() != 0) {
            throw new ProtocolException("a result set's head claims " + Long.toUnsignedString(count)
                    + " columns and has " + in.remaining() + " more bytes");
        }
        return columns(definitions((int) count));
    }

    /** Reads column definitions and the EOF after them, if the connection uses it. */
    private List<byte[]> definitions(int count) throws IOException {
        List<byte[]> definitions = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            definitions.add(nonEmpty());
        }
        if (count > 0 && !deprecatesEof()) {
            ServerPacket.Eof.decode(nonEmpty());
        }
        return definitions;
    }

    private List<Column> columns(List<byte[]> definitions) throws ProtocolException {
        List<Column> columns = new ArrayList<>(definitions.size());
        for (byte[] definition : definitions) {
            columns.add(ServerPacket.column(definition, capabilities));
        }
        return List.copyOf(columns);
    }

    /**
     * Reads a row.
     *
     * @return null at the end of the result set, which is consumed
     * @throws ServerException if the server reported an error instead; the reply is complete
     */
    @Nullable
    Row row(int columns) throws IOException, ServerException {
        byte[] packet = nonEmpty();
        int first = packet[0] & 0xff;
        if (!ServerPacket.endsRows(first, packet.length)) {
            return ServerPacket.row(packet, columns);
        }
        if (first == ServerPacket.ERROR) {
            throw error(packet);
        }
        ServerPacket.Ok end = deprecatesEof()
                ? ServerPacket.Ok.decode(packet)
                : ServerPacket.Eof.decode(packet).asOk();
        // a corrupt row may look like the end of the result set, but would hardly have these fields zero or empty
        if (end.affectedRows() != 0 || end.lastInsertId() != 0 || end.info().length != 0) {
            throw new ProtocolException("the end of a result set holds more than flags and warnings");
        }
        over(end);
        return null;
    }

    /** Passes rows on that are in the buffer already, see {@link RowStream#forward}. */
    <E extends Exception> int forward(int columns, int most, PacketOutput<E> out) throws E {
        return channel.forward(
                most,
                (bytes, from, to) -> to > from
                        && !ServerPacket.endsRows(bytes[from] & 0xff, to - from)
                        && Row.isSmallRow(bytes, from, to, columns),
                out);
    }

    /** Reads the reply to COM_STMT_PREPARE. */
    PreparedReply prepared() throws IOException, ServerException {
        byte[] packet = nonEmpty();
        if ((packet[0] & 0xff) == ServerPacket.ERROR) {
            throw error(packet);
        }
        ServerPacket.PrepareOk head = ServerPacket.PrepareOk.decode(packet);
        definitions(head.parameters());
        List<byte[]> definitions = definitions(head.columns());
        return new PreparedReply(
                head.statementId(),
                new Reply.Prepared(head.parameters(), definitions, columns(definitions), head.warnings()));
    }

    /** A prepared statement with its id on the server. */
    record PreparedReply(long statementId, Reply.Prepared reply) {}

    private boolean deprecatesEof() {
        return Capability.has(capabilities, Capability.DEPRECATE_EOF);
    }

    private void over(ServerPacket.Ok ok) throws ProtocolException {
        if ((ok.status() & ServerStatus.MORE_RESULTS) != 0) {
            throw new ProtocolException("the server announced a further result, which was never allowed");
        }
        status = ok.status();
        warnings = ok.warnings();
    }

    private static ServerException error(byte[] packet) throws ProtocolException {
        Reply.Failed error = Reply.Failed.decode(packet);
        if (error.errno() == ServerPacket.PROGRESS_CODE) {
            throw new ProtocolException("the server reported progress, which was never asked for");
        }
        if (packet.length < ERROR_HEAD || packet[3] != '#') {
            throw new ProtocolException("an error packet has no SQL state");
        }
        return new ServerException(error);
    }

    private byte[] nonEmpty() throws IOException {
        byte[] packet = channel.read();
        if (packet.length == 0) {
            throw new ProtocolException("empty packet in a reply");
        }
        return packet;
    }
}

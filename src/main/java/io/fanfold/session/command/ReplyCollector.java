package io.fanfold.session.command;

import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.row.Column;
import io.fanfold.row.HeapRoom;
import io.fanfold.row.Row;
import io.fanfold.wire.PacketPrefix;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Collects the replies to proxy commands, packet by packet. All replies together are limited to a number of bytes; a
 * query with a {@link HeapRoom} of its own is limited by that instead. A reply over the limit is read and dropped.
 * Event loop only.
 */
final class ReplyCollector {
    private final long capabilities;
    private final List<Command> commands;
    private final long limit;
    private final CompletableFuture<List<Reply>> result;
    private final List<Reply> replies = new ArrayList<>();

    private final List<byte[]> definitions = new ArrayList<>();
    private final List<Column> columns = new ArrayList<>();

    /** The number of columns of a result; {@link #columns} is empty if the session's results omit definitions. */
    private int width;

    private final List<Row> rows = new ArrayList<>();
    private ServerPacket.@Nullable PrepareOk prepared;
    private Reply outcome = new Reply.Completed(0, 0);
    private boolean tooLarge;
    private long bytes;
    private long heldBytes;
    private long replyBytes;

    /**
     * @param commands the commands sent, 1 or more
     * @param limit the most bytes to keep
     * @param result completed when the last reply has ended
     */
    ReplyCollector(List<Command> commands, long capabilities, long limit, CompletableFuture<List<Reply>> result) {
        this.commands = commands;
        this.capabilities = capabilities;
        this.limit = limit;
        this.result = result;
    }

    /** The command of the current reply. */
    Command command() {
        return commands.get(replies.size());
    }

    /** The room that the rows of the current reply take; null if {@link #limit} applies. */
    private @Nullable HeapRoom room() {
        return command() instanceof Command.ClientQuery query ? query.room() : null;
    }

    /** The number of bytes to keep of the next packet. */
    int wanted() {
        HeapRoom room = room();
        long left = room == null ? limit - heldBytes : room.leftBytes() / 2;
        return tooLarge ? 0 : (int) Math.max(0, Math.min(left, Integer.MAX_VALUE - 16));
    }

    /**
     * Adds a packet of the current reply.
     *
     * @param packet just completed; borrowed
     * @throws ProtocolException if its content does not match its role
     */
    void packet(PacketRole role, PacketPrefix packet) throws ProtocolException {
        bytes += packet.length();
        if (!packet.whole()) {
            drop();
        }
        switch (role) {
            case ERROR -> {
                outcome = Reply.Failed.decode(packet.copy());
                tooLarge = false;
            }
            case PREPARE_OK -> prepared = ServerPacket.PrepareOk.decode(packet.copy());
            case COLUMN -> column(packet);
            case ROW -> row(packet);
            case ROWS_END -> {
                ServerPacket.Ok end = ServerPacket.end(packet.copy());
                outcome = new Reply.Result(columns, rows, end.warnings(), end.status());
            }
            case COLUMN_COUNT -> width = tooLarge ? 0 : (int) new PayloadReader(packet.copy()).lenencInt();
            case OK -> {
                ServerPacket.Ok ok = ServerPacket.end(packet.copy());
                outcome = new Reply.Completed(ok.status(), ok.warnings());
            }
            case PARAMETER, DEFINITIONS_END, PROGRESS -> {}
            case LOCAL_INFILE, AUTHENTICATION, TEXT, UNSOLICITED, OPAQUE ->
                throw new ProtocolException("the reply to a command of the proxy contains a packet of kind " + role);
        }
    }

    private void column(PacketPrefix packet) throws ProtocolException {
        if (!tooLarge) {
            byte[] definition = packet.copy();
            definitions.add(definition);
            columns.add(ServerPacket.column(definition, capabilities));
            hold(2L * definition.length);
        }
    }

    private void row(PacketPrefix packet) throws ProtocolException {
        boolean text = !(command() instanceof Command.Execute);
        if (!tooLarge && text) {
            HeapRoom room = room();
            Row row = ServerPacket.row(packet.copy(), width);
            if (room != null && !room.take(row.heapBytes())) {
                drop();
                return;
            }
            rows.add(row);
            hold(room == null ? row.heapBytes() : 0);
        }
    }

    private void hold(long count) {
        heldBytes += count;
        replyBytes += count;
        if (heldBytes > limit) {
            drop();
        }
    }

    private void drop() {
        tooLarge = true;
        heldBytes -= replyBytes;
        replyBytes = 0;
        definitions.clear();
        columns.clear();
        rows.clear();
    }

    /**
     * Ends the current reply.
     *
     * @return the statement that it prepared, which must be closed
     */
    OptionalLong endReply() {
        OptionalLong statement = OptionalLong.empty();
        ServerPacket.PrepareOk head = prepared;
        if (head != null) {
            statement = OptionalLong.of(head.statementId());
            outcome = new Reply.Prepared(head.parameters(), definitions, columns, head.warnings());
        }
        replies.add(tooLarge ? new Reply.TooLarge(bytes) : outcome);
        definitions.clear();
        columns.clear();
        rows.clear();
        prepared = null;
        outcome = new Reply.Completed(0, 0);
        tooLarge = false;
        bytes = 0;
        replyBytes = 0;
        return statement;
    }

    /** Whether every command has its reply. */
    boolean complete() {
        return replies.size() == commands.size();
    }

    void deliver() {
        result.complete(List.copyOf(replies));
    }

    void fail(IOException cause) {
        result.completeExceptionally(cause);
    }
}

package io.fanfold.session.command;

import io.fanfold.execute.ClientConnection;
import io.fanfold.execute.ClientConnection.ClientGoneException;
import io.fanfold.row.Column;
import io.fanfold.row.Row;
import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.ProxyError;
import io.fanfold.wire.BinaryRow;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a merged answer as the server would send it. Packets are collected into larger writes; the column definitions
 * are part of the first one. Used by one thread at a time; it keeps no buffer that must be released.
 */
final class AnswerWriter implements ClientConnection.Answer {
    private static final int CHUNK = 64 * 1024;
    private static final int FIRST_CHUNK = 4 * 1024;

    private static final int KEPT_STATUS = ServerStatus.AUTOCOMMIT
            | ServerStatus.IN_TRANSACTION
            | ServerStatus.IN_READ_ONLY_TRANSACTION
            | ServerStatus.NO_BACKSLASH_ESCAPES
            | ServerStatus.ANSI_QUOTES;

    /** Called by the thread that writes. */
    interface AnswerEnding {
        /** The last packet of the answer was written. */
        void answered(long rows);

        /** The last packet of the answer was written, and it is an error. */
        void failed(ServerPacket.Err error);

        /** The client did not read its answer in time. */
        void clientTooSlow();
    }

    private final AnswerEnding ending;
    private final Channel client;
    private final WriteBackpressure gate;
    private final boolean deprecateEof;
    private final int status;
    private final int columns;

    /** Null if rows are sent as text. */
    private final @Nullable BinaryRow binary;

    private byte[] chunk = new byte[FIRST_CHUNK];
    private int chunkLength;
    private int sequence;
    private long rows;
    private boolean ended;

    /** @param sequence the sequence id of the first packet */
    AnswerWriter(
            AnswerEnding ending,
            Channel client,
            WriteBackpressure gate,
            long capabilities,
            int status,
            int sequence,
            ClientConnection.ResultSetHeader head) {
        List<byte[]> definitions = head.definitions();
        this.ending = ending;
        this.client = client;
        this.gate = gate;
        this.deprecateEof = Capability.has(capabilities, Capability.DEPRECATE_EOF);
        this.status = status & KEPT_STATUS | head.indexStatus();
        this.sequence = sequence;
        this.columns = definitions.size();
        this.binary = head.prepared().isPresent() ? new BinaryRow(columns(definitions, capabilities)) : null;
        PayloadWriter count = new PayloadWriter().lenencInt(definitions.size());
        boolean leftOut =
                head.prepared().map(prepared -> prepared.announce(definitions)).orElse(false);
        if (Capability.has(capabilities, Capability.OPTIONAL_RESULTSET_METADATA | Capability.MARIADB_CACHE_METADATA)) {
            count.int1(leftOut ? 0 : 1);
        }
        packet(count.toBytes());
        if (!leftOut) {
            definitions.forEach(this::packet);
        }
        if (!deprecateEof) {
            packet(ServerPacket.Eof.encode(0, this.status));
        }
    }

    private static List<Column> columns(List<byte[]> definitions, long capabilities) {
        List<Column> columns = new ArrayList<>();
        try {
            for (byte[] definition : definitions) {
                columns.add(ServerPacket.column(definition, capabilities));
            }
        } catch (ProtocolException e) {
            throw new IllegalArgumentException("a column definition that cannot be read", e);
        }
        return columns;
    }

    @Override
    public void row(byte[] text) throws ClientGoneException, InterruptedException {
        requireOpen();
        byte[] payload = binary == null ? text : binary.encode(Row.of(text, columns));
        awaitRoom(PacketCodec.framedLength(payload.length));
        packet(payload);
        rows++;
    }

    @Override
    public void packets(byte[] bytes, int from, int to, int count) throws ClientGoneException, InterruptedException {
        if (binary != null) {
            ClientConnection.Answer.super.packets(bytes, from, to, count);
            return;
        }
        requireOpen();
        int size = to - from;
        awaitRoom(size);
        reserve(chunkLength + size);
        System.arraycopy(bytes, from, chunk, chunkLength, size);
        sequence = PacketCodec.renumber(chunk, chunkLength, chunkLength + size, sequence);
        chunkLength += size;
        rows += count;
    }

    /** Writes the chunk if it has no room, and waits until the client takes more. */
    private void awaitRoom(int size) throws ClientGoneException, InterruptedException {
        if (chunkLength + size > CHUNK) {
            ship();
            if (!gate.await()) {
                ended = true;
                ending.clientTooSlow();
                throw new ClientGoneException("the client did not take its answer in time");
            }
        }
    }

    @Override
    public void stopWaiting() {
        gate.stopWaiting();
    }

    private void requireOpen() {
        if (ended) {
            throw new IllegalStateException("the answer has ended");
        }
    }

    /** Adds a packet to the chunk; a larger one is written directly. */
    private void packet(byte[] payload) {
        int size = PacketCodec.framedLength(payload.length);
        if (size > CHUNK) {
            ship();
            sequence = PacketCodec.frame(payload, sequence, bytes -> ChannelWrites.write(client, bytes));
            client.flush();
            return;
        }
        if (chunkLength + size > CHUNK) {
            ship();
        }
        reserve(chunkLength + size);
        sequence = PacketCodec.frame(payload, chunk, chunkLength, sequence);
        chunkLength += size;
    }

    private void reserve(int length) {
        if (length > chunk.length) {
            chunk = Arrays.copyOf(chunk, Math.max(length, Math.min(CHUNK, 4 * chunk.length)));
        }
    }

    private void ship() {
        if (chunkLength > 0) {
            ChannelWrites.writeAndFlush(
                    client, client.alloc().directBuffer(chunkLength).writeBytes(chunk, 0, chunkLength));
            chunkLength = 0;
        }
    }

    @Override
    public void end() {
        finish(deprecateEof ? ServerPacket.Ok.encode(ServerPacket.EOF, status, 0) : ServerPacket.Eof.encode(0, status));
        ending.answered(rows);
    }

    @Override
    public void fail(int errno, String sqlState, String message) {
        ServerPacket.Err error = new ServerPacket.Err(errno, sqlState, message);
        finish(ProxyError.payload(error));
        ending.failed(error);
    }

    private void finish(byte[] last) {
        requireOpen();
        ended = true;
        packet(last);
        ship();
    }
}

package io.fanfold.session;

import io.fanfold.execute.ClientPort;
import io.fanfold.execute.ClientPort.ClientGoneException;
import io.fanfold.protocol.Capability;
import io.fanfold.protocol.PacketScanner;
import io.fanfold.protocol.PayloadWriter;
import io.fanfold.protocol.ServerPacket;
import io.fanfold.protocol.ServerStatus;
import io.netty.channel.Channel;
import java.util.Arrays;
import java.util.List;

/**
 * Writes a folded answer as the server would have. Packets are gathered to larger writes; the column definitions leave
 * with the first of them. For one thread at a time; it holds no buffer that would have to be released.
 */
final class AnswerWriter implements ClientPort.Answer {
    private static final int CHUNK = 64 * 1024;
    private static final int FIRST_CHUNK = 4 * 1024;

    private static final int KEPT_STATUS =
            ServerStatus.AUTOCOMMIT | ServerStatus.NO_BACKSLASH_ESCAPES | ServerStatus.ANSI_QUOTES;

    private final HeldStatement statement;
    private final Channel client;
    private final ClientGate gate;
    private final boolean deprecateEof;
    private final int status;
    private byte[] chunk = new byte[FIRST_CHUNK];
    private int chunkLength;
    private int sequence = 1;
    private long rows;
    private boolean ended;

    AnswerWriter(
            HeldStatement statement,
            Channel client,
            ClientGate gate,
            long capabilities,
            int status,
            List<byte[]> definitions) {
        this.statement = statement;
        this.client = client;
        this.gate = gate;
        this.deprecateEof = Capability.has(capabilities, Capability.DEPRECATE_EOF);
        this.status = status & KEPT_STATUS;
        PayloadWriter count = new PayloadWriter().lenencInt(definitions.size());
        if (Capability.has(capabilities, Capability.OPTIONAL_RESULTSET_METADATA | Capability.MARIADB_CACHE_METADATA)) {
            count.int1(1);
        }
        packet(count.toBytes());
        definitions.forEach(this::packet);
        if (!deprecateEof) {
            packet(ServerPacket.Eof.encode(0, this.status));
        }
    }

    @Override
    public void row(byte[] payload) throws ClientGoneException, InterruptedException {
        requireOpen();
        if (chunkLength + PacketScanner.HEADER + payload.length > CHUNK) {
            ship();
            if (!gate.await()) {
                ended = true;
                statement.clientTooSlow();
                throw new ClientGoneException("the client did not take its answer in time");
            }
        }
        packet(payload);
        rows++;
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

    /** Gathers a packet; a large one is written past the chunk. */
    private void packet(byte[] payload) {
        int size = PacketScanner.HEADER + payload.length;
        if (size > CHUNK) {
            ship();
            sequence = LongPackets.write(payload, sequence, bytes -> Fire.write(client, bytes));
            client.flush();
            return;
        }
        if (chunkLength + size > CHUNK) {
            ship();
        }
        reserve(chunkLength + size);
        chunk[chunkLength++] = (byte) payload.length;
        chunk[chunkLength++] = (byte) (payload.length >>> 8);
        chunk[chunkLength++] = (byte) (payload.length >>> 16);
        chunk[chunkLength++] = (byte) sequence++;
        System.arraycopy(payload, 0, chunk, chunkLength, payload.length);
        chunkLength += payload.length;
    }

    private void reserve(int length) {
        if (length > chunk.length) {
            chunk = Arrays.copyOf(chunk, Math.min(CHUNK, Math.max(length, 4 * chunk.length)));
        }
    }

    private void ship() {
        if (chunkLength > 0) {
            Fire.writeAndFlush(client, client.alloc().directBuffer(chunkLength).writeBytes(chunk, 0, chunkLength));
            chunkLength = 0;
        }
    }

    @Override
    public void end() {
        finish(deprecateEof ? ServerPacket.Ok.encode(ServerPacket.EOF, status, 0) : ServerPacket.Eof.encode(0, status));
        statement.answered(rows);
    }

    @Override
    public void fail(int errno, String sqlState, String message) {
        ServerPacket.Err error = new ServerPacket.Err(errno, sqlState, message);
        finish(error.encode());
        statement.failed(error);
    }

    private void finish(byte[] last) {
        requireOpen();
        ended = true;
        packet(last);
        ship();
    }
}

package io.fanfold.session;

import io.fanfold.protocol.PacketScanner;
import io.fanfold.protocol.PayloadWriter;
import io.fanfold.protocol.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Packets the proxy writes itself. The buffers are the caller's. */
final class Packets {
    static final int HANDSHAKE_ERROR = 1043;
    static final int READ_TIMEOUT = 1159;
    static final int TOO_MANY_CONNECTIONS = 1040;
    static final int CANNOT_CONNECT = 2003;
    static final int SERVER_LOST = 2013;

    private Packets() {}

    /**
     * One packet with its header.
     *
     * @param sequence its sequence id; only the low 8 bits count
     * @param payload shorter than {@link PacketScanner#MAX_PAYLOAD}
     */
    static ByteBuf frame(int sequence, byte[] payload) {
        ByteBuf packet = Unpooled.buffer(PacketScanner.HEADER + payload.length);
        return packet.writeMediumLE(payload.length).writeByte(sequence).writeBytes(payload);
    }

    static ByteBuf error(int sequence, int code, String sqlState, String message) {
        return frame(sequence, new ServerPacket.Err(code, sqlState, message).encode());
    }

    /**
     * An error in place of the greeting. It has no SQLSTATE, as the client has not told its capabilities yet: this is
     * the form servers use for "Too many connections".
     */
    static ByteBuf errorBeforeGreeting(int code, String message) {
        byte[] payload = new PayloadWriter()
                .int1(ServerPacket.ERROR)
                .int2(code)
                .bytes(message.getBytes(StandardCharsets.UTF_8))
                .toBytes();
        return frame(0, payload);
    }

    static ByteBuf serverLost(int sequence) {
        return error(sequence, SERVER_LOST, "HY000", "Lost connection to server during query");
    }
}

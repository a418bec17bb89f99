package io.fanfold.session.channel;

import io.fanfold.wire.PacketScanner;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Creates packets that the proxy writes itself. The caller owns the buffers. */
public final class Packets {
    private Packets() {}

    /**
     * Returns one packet with its header.
     *
     * @param sequence its sequence id; only the low 8 bits count
     * @param payload shorter than {@link PacketScanner#MAX_PAYLOAD}
     */
    public static ByteBuf frame(int sequence, byte[] payload) {
        ByteBuf packet = Unpooled.buffer(PacketScanner.HEADER + payload.length);
        return packet.writeMediumLE(payload.length).writeByte(sequence).writeBytes(payload);
    }
}

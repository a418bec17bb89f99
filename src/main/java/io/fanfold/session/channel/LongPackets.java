package io.fanfold.session.channel;

import io.fanfold.wire.PacketScanner;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;

/** Splits payloads of any length into packets. */
public final class LongPackets {
    private LongPackets() {}

    /**
     * Writes a payload as packets of 16 MiB-1 bytes and a shorter last one, which may be empty.
     *
     * @param payload shared with the buffers written, so not to be changed
     * @param sequence the first packet's sequence id
     * @param out receives the buffers, transferred
     * @return the sequence id of the next packet
     */
    public static int write(byte[] payload, int sequence, Consumer<ByteBuf> out) {
        int next = sequence;
        int at = 0;
        int length;
        do {
            length = Math.min(payload.length - at, PacketScanner.MAX_PAYLOAD);
            ByteBuf header =
                    Unpooled.buffer(PacketScanner.HEADER).writeMediumLE(length).writeByte(next++);
            out.accept(Unpooled.wrappedBuffer(header, Unpooled.wrappedBuffer(payload, at, length)));
            at += length;
        } while (length == PacketScanner.MAX_PAYLOAD);
        return next;
    }
}

package io.fanfold.client;

import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.util.Arrays;

/**
 * The packets of an answer without a known end, see {@link WireConnection#packets}. Each starts with an OK byte. For use
 * by one thread.
 */
public final class PacketStream {
    /** A longer packet that starts like an end is none. */
    private static final int END_LENGTH = 9;

    private final WireSocket socket;

    PacketStream(WireSocket socket) {
        this.socket = socket;
    }

    /**
     * Waits up to the read timeout for the next packet, and reads it. Its bytes after the first ones are dropped.
     *
     * @param head receives the packet's first bytes, with the OK byte; at least 1 KiB
     * @return the packet's length, 1 or more; -1 if the server ended the answer
     * @throws ServerException if the server ended the answer with an error
     * @throws IOException if the connection is lost, or the server is silent for too long; it is closed then
     */
    public long next(byte[] head) throws IOException, ServerException {
        try {
            long length = socket.channel().read(head);
            int first = length == 0 ? ServerPacket.OK : head[0] & 0xff;
            if (first == ServerPacket.ERROR) {
                throw new ServerException(
                        Reply.Failed.decode(Arrays.copyOf(head, (int) Math.min(length, head.length))));
            }
            if (length < END_LENGTH && first == ServerPacket.EOF) {
                return -1;
            }
            if (length == 0 || first != ServerPacket.OK) {
                throw new ProtocolException("a packet starts with 0x" + Integer.toHexString(first));
            }
            return length;
        } catch (IOException e) {
            throw socket.broke(e);
        }
    }
}

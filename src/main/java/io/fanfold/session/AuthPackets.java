package io.fanfold.session;

import io.fanfold.protocol.PacketScanner;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.protocol.ProxyHeaderReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.ByteToMessageDecoder;
import org.jspecify.annotations.Nullable;

/**
 * The packets of one side while it is authenticated: whole ones come in, and both ways share one row of sequence ids, which is
 * each side's own. Event loop only.
 */
final class AuthPackets {
    /** More than any plugin says; what it would take to hold a connection's attributes beside it. */
    static final int LONGEST = 1 << 20;

    private final PacketScanner scanner = new PacketScanner(LONGEST);
    private @Nullable ByteBuf pending;
    private int sequence;
    private boolean disordered;

    /** @param sequence the id of the last packet, of either way */
    AuthPackets(int sequence) {
        this.sequence = sequence;
    }

    /** @param bytes transferred */
    void add(ByteBufAllocator allocator, ByteBuf bytes) {
        pending = pending == null ? bytes : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(allocator, pending, bytes);
    }

    /** How many bytes wait. */
    int waiting() {
        return pending == null ? 0 : pending.readableBytes();
    }

    /** Whether the bytes read so far end with a packet's end. */
    boolean betweenPackets() {
        return scanner.complete() && waiting() == 0;
    }

    /** The id that the other side's next packet has to have, and ours would have, 0..255. */
    int nextSequence() {
        return sequence + 1 & 0xff;
    }

    /**
     * The payload of the next packet; null when it has not come as a whole.
     *
     * @throws ProtocolException when it is too long or has another sequence id; {@link #nextSequence} is the one after its
     */
    byte @Nullable [] next() throws ProtocolException {
        ByteBuf bytes = pending;
        if (bytes == null || !bytes.isReadable()) {
            return null;
        }
        int from = bytes.readerIndex();
        int to = scanner.scan(bytes, from, bytes.writerIndex());
        if (ProxyHeaderReader.isPacketHeader(scanner.payloadLength(), scanner.sequence())) {
            sequence = nextSequence();
            throw new ProtocolException(
                    "misplaced PROXY protocol header (expected: at most one, at the start of the connection)");
        }
        if (scanner.payloadLength() > LONGEST) {
            sequence = nextSequence();
            throw new ProtocolException(
                    "a packet claims " + scanner.payloadLength() + " bytes (expected: at most " + LONGEST + ")");
        }
        bytes.readerIndex(to);
        if (!bytes.isReadable()) {
            release();
        }
        if (!scanner.complete()) {
            return null;
        }
        int expected = nextSequence();
        sequence = scanner.sequence();
        if (sequence != expected) {
            disordered = true;
            throw new ProtocolException("packet has sequence id " + sequence + " (expected: " + expected + ")");
        }
        return scanner.copyOfKept();
    }

    /** Whether a packet had another sequence id than the one that was due. */
    boolean disordered() {
        return disordered;
    }

    /** A packet of ours, which takes the next sequence id. */
    ByteBuf frame(byte[] payload) {
        sequence = nextSequence();
        return Packets.frame(sequence, payload);
    }

    /** The bytes that have not been read, transferred; null when there are none. */
    @Nullable
    ByteBuf rest() {
        ByteBuf bytes = pending;
        pending = null;
        return bytes;
    }

    void release() {
        ByteBuf bytes = rest();
        if (bytes != null) {
            bytes.release();
        }
    }
}

package io.fanfold.session.handshake;

import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ProxyHeaderReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.ByteToMessageDecoder;
import org.jspecify.annotations.Nullable;

/**
 * The packets of one side during authentication. It assembles the packets read and frames the packets written, which
 * share one sequence of ids. Each side has its own sequence. Event loop only.
 */
public final class AuthPackets {
    /** The longest packet, longer than any plugin's; it leaves room for connection attributes. */
    static final int LONGEST = 1 << 20;

    private final PacketCodec.Reader scanner = new PacketCodec.Reader(LONGEST);
    private @Nullable ByteBuf pending;
    private int sequence;
    private boolean disordered;

    /** @param sequence the id of the last packet in either direction */
    public AuthPackets(int sequence) {
        this.sequence = sequence;
    }

    /** @param bytes transferred */
    public void add(ByteBufAllocator allocator, ByteBuf bytes) {
        pending = pending == null ? bytes : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(allocator, pending, bytes);
    }

    /** The number of bytes that wait. */
    int waiting() {
        return pending == null ? 0 : pending.readableBytes();
    }

    /** Whether the bytes read so far end with a whole packet. */
    boolean betweenPackets() {
        return scanner.complete() && waiting() == 0;
    }

    /** The id of the next packet in either direction, 0 to 255. */
    public int nextSequence() {
        return sequence + 1 & 0xff;
    }

    /**
     * Returns the payload of the next packet; null if it is not complete yet.
     *
     * @throws ProtocolException if it is too long or has a wrong sequence id; then {@link #nextSequence} is the id
     *     after its own
     */
    public byte @Nullable [] next() throws ProtocolException {
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

    /** Whether a packet had a wrong sequence id. */
    boolean disordered() {
        return disordered;
    }

    /** Frames a packet to this side with the next sequence id. */
    public ByteBuf frame(byte[] payload) {
        sequence = nextSequence();
        return PacketCodec.frame(payload, sequence);
    }

    /** The bytes that have not been read, transferred; null if there are none. */
    @Nullable
    ByteBuf rest() {
        ByteBuf bytes = pending;
        pending = null;
        return bytes;
    }

    public void release() {
        ByteBuf bytes = rest();
        if (bytes != null) {
            bytes.release();
        }
    }
}

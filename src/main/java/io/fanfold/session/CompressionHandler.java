package io.fanfold.session;

import io.fanfold.compress.Algorithm;
import io.fanfold.compress.Codec;
import io.fanfold.protocol.PacketScanner;
import io.fanfold.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compresses what is written, frame by frame, and decompresses what is read, on an authenticated connection. Frames have a row of
 * sequence ids of their own, which begins anew with each command; the answer goes on where the command ended. So the packets in
 * the frames are followed to know where commands and answers begin. Event loop only.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_compression_packet.html">compressed
 *     packets</a>
 */
final class CompressionHandler extends ChannelDuplexHandler {
    /** Length of the compressed content, sequence id, length of the content. */
    static final int HEADER = 7;

    /** Shorter content is not worth it; servers have the same limit. */
    private static final int SHORTEST = 50;

    /** As much goes into one frame: less than it may be, so that both sides work at the same time. */
    private static final int MOST = 1 << 18;

    /** When as much has come out at once, the rest follows in a later turn of the event loop. */
    private static final int TURN = 1 << 18;

    /** A frame counts as so many bytes more than it holds. */
    private static final int FRAME_COST = 256;

    private final Algorithm algorithm;
    private final boolean server;
    private final Codec codec;
    private final PacketScanner written = new PacketScanner(0);
    private @Nullable ByteBuf pending;

    /** How many bytes the whole frames have at its beginning. */
    private int counted;

    private int sequence;

    /** The sequence id of the last packet written; -1 before the first. */
    private int packet = -1;

    /** Whether something was written since something was read, and the other way round. */
    private boolean answering;

    private boolean heard = true;
    private boolean failed;

    /** Of a frame that holds much: what has not come out yet. */
    private Codec.@Nullable Pieces rest;

    /** Whether frames that are here go on in a moment. */
    private boolean resuming;

    /** @param server whether the other side is the server, which is sent commands */
    CompressionHandler(Algorithm algorithm, boolean server) {
        this.algorithm = algorithm;
        this.server = server;
        this.codec = algorithm.codec();
    }

    // ---- read ----

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws ProtocolException {
        ByteBuf bytes = (ByteBuf) message;
        if (failed) {
            bytes.release();
            return;
        }
        count(add(context, bytes));
        deliver(context);
    }

    private ByteBuf add(ChannelHandlerContext context, ByteBuf bytes) {
        ByteBuf before = pending;
        boolean done = false;
        try {
            ByteBuf all = before == null ? bytes : Cumulation.append(context.alloc(), before, bytes);
            pending = all;
            done = true;
            return all;
        } finally {
            if (!done) {
                pending = null;
                counted = 0;
                failed = true;
            }
        }
    }

    /** Frames count when they have come, also if they are not wanted yet: the other side counts those that it has sent. */
    private void count(ByteBuf bytes) {
        int at = bytes.readerIndex() + counted;
        while (bytes.writerIndex() - at >= HEADER) {
            int next = at + HEADER + bytes.getUnsignedMediumLE(at);
            if (next > bytes.writerIndex()) {
                break;
            }
            if (written.complete()) {
                // else it belongs to another command than the packet that is being written
                sequence = bytes.getUnsignedByte(at + 3) + 1 & 0xff;
                answering = false;
            }
            heard = true;
            at = next;
        }
        counted = at - bytes.readerIndex();
    }

    /** A few bytes may hold very many: they come out only while they are wanted, also those that are here already. */
    private void deliver(ChannelHandlerContext context) throws ProtocolException {
        int delivered = 0;
        // what remains comes with the read that follows a completed one, see read
        while (isReady() && delivered < TURN && context.channel().config().isAutoRead()) {
            ByteBuf content = next(context);
            // a frame costs something, too
            delivered += content.readableBytes() + FRAME_COST;
            context.fireChannelRead(content);
        }
    }

    private boolean isReady() {
        return rest != null || counted > 0;
    }

    /** More is wanted: first what is here, and the socket's next bytes when that is through. */
    @Override
    public void read(ChannelHandlerContext context) {
        if (failed || !isReady()) {
            context.read();
        } else if (!resuming) {
            resuming = true;
            // not at once: whoever wants it may be in the middle of something
            Fire.executeAfterIo(context.executor(), () -> resume(context));
        }
    }

    private void resume(ChannelHandlerContext context) {
        resuming = false;
        if (context.isRemoved()) {
            return;
        }
        try {
            deliver(context);
        } catch (ProtocolException e) {
            context.fireExceptionCaught(e);
            return;
        }
        // reads on where that is still wanted
        context.fireChannelReadComplete();
        if (context.channel().config().isAutoRead()) {
            read(context);
        }
    }

    /** What comes next of the rest of a frame, or of the first whole one that is here. */
    private ByteBuf next(ChannelHandlerContext context) throws ProtocolException {
        if (rest != null) {
            return piece(rest);
        }
        ByteBuf from = Objects.requireNonNull(pending);
        ByteBuf content = frame(context, from);
        if (!from.isReadable()) {
            from.release();
            pending = null;
        }
        return content;
    }

    private ByteBuf piece(Codec.Pieces pieces) throws ProtocolException {
        boolean taken = false;
        try {
            ByteBuf piece = Unpooled.wrappedBuffer(pieces.next(TURN));
            rest = pieces.left() > 0 ? pieces : null;
            taken = true;
            return piece;
        } catch (IOException e) {
            throw unreadable(e);
        } finally {
            if (!taken) {
                failed = true;
                rest = null;
            }
        }
    }

    private static ProtocolException unreadable(IOException e) {
        return new ProtocolException("a compressed frame cannot be read: " + ClientSession.text(e));
    }

    /** @param from holds a whole frame */
    private ByteBuf frame(ChannelHandlerContext context, ByteBuf from) throws ProtocolException {
        int at = from.readerIndex();
        int length = from.getUnsignedMediumLE(at);
        int size = from.getUnsignedMediumLE(at + 4);
        counted -= HEADER + length;
        from.skipBytes(HEADER);
        ByteBuf compressed = from.readRetainedSlice(length);
        if (size == 0) {
            return compressed;
        }
        if (!server && size > TURN) {
            // of a client: a few bytes may be very many commands
            byte[] bytes = ByteBufUtil.getBytes(compressed);
            compressed.release();
            return piece(codec.pieces(bytes, size));
        }
        boolean taken = false;
        try {
            byte[] content = codec.decompress(ByteBufUtil.getBytes(compressed), 0, length, size);
            FrameContent frame = new FrameContent(context.alloc(), content, algorithm, compressed);
            taken = true;
            return frame;
        } catch (IOException e) {
            throw unreadable(e);
        } finally {
            if (!taken) {
                failed = true;
                compressed.release();
            }
        }
    }

    // ---- written ----

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            ByteBuf frames = bytes.isReadable()
                    ? frames(context, bytes)
                    : context.alloc().buffer(0);
            var unused = context.write(frames, promise);
        } finally {
            bytes.release();
        }
    }

    private ByteBuf frames(ChannelHandlerContext context, ByteBuf bytes) {
        ByteBuf out = context.alloc().buffer(Math.min(bytes.readableBytes(), MOST) + HEADER);
        boolean whole = false;
        try {
            frames(out, bytes);
            whole = true;
            return out;
        } finally {
            if (!whole) {
                // there may be no memory to let it grow
                out.release();
            }
        }
    }

    private void frames(ByteBuf out, ByteBuf bytes) {
        int from = bytes.readerIndex();
        int at = from;
        int end = bytes.writerIndex();
        while (at < end) {
            boolean begins = written.complete();
            int next = written.scan(bytes, at, end);
            if (begins && isStart(bytes, at, end)) {
                frame(out, bytes, from, at);
                from = at;
                sequence = server ? 0 : 1;
            }
            answering = true;
            heard = false;
            if (written.complete()) {
                packet = written.sequence();
            }
            at = next;
        }
        frame(out, bytes, from, end);
    }

    /**
     * Whether a command begins at a packet, or an answer to another command than the last one that was read. Sequence ids come
     * round after 256 packets.
     */
    private boolean isStart(ByteBuf bytes, int at, int end) {
        if (end - at < PacketScanner.HEADER) {
            // headers are written whole
            return false;
        }
        int first = bytes.getUnsignedByte(at + 3);
        return server ? first == 0 && (packet != 255 || heard) : first == 1 && packet != 0 && answering;
    }

    private void frame(ByteBuf out, ByteBuf bytes, int from, int to) {
        if (from == to) {
            return;
        }
        // what goes to the server may have been changed in its place, see ClientStream
        if (!server
                && bytes instanceof FrameContent content
                && content.isWhole(algorithm)
                && to - from == content.readableBytes()) {
            ByteBuf compressed = content.compressed();
            header(out, compressed.readableBytes(), to - from);
            out.writeBytes(compressed, compressed.readerIndex(), compressed.readableBytes());
            return;
        }
        for (int at = from; at < to; at += MOST) {
            int length = Math.min(MOST, to - at);
            byte[] plain = ByteBufUtil.getBytes(bytes, at, length, true);
            byte[] compressed = length < SHORTEST ? plain : codec.compress(plain, 0, length);
            boolean gained = compressed.length < length;
            header(out, gained ? compressed.length : length, gained ? length : 0);
            out.writeBytes(gained ? compressed : plain);
        }
    }

    private void header(ByteBuf out, int length, int size) {
        out.writeMediumLE(length).writeByte(sequence).writeMediumLE(size);
        sequence = sequence + 1 & 0xff;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (pending != null) {
            pending.release();
            pending = null;
            counted = 0;
        }
        rest = null;
        codec.close();
    }
}

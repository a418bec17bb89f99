package io.fanfold.session.channel;

import io.fanfold.wire.Algorithm;
import io.fanfold.wire.Codec;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ProtocolException;
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
 * Compresses written bytes and decompresses read bytes on an authenticated connection, frame by frame. Frames have
 * sequence ids of their own, which restart with each command and continue from the command into its answer. So the
 * handler follows the packets inside the frames to know where commands and answers begin. Event loop only.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_compression_packet.html">compressed
 *     packets</a>
 */
public final class CompressionHandler extends ChannelDuplexHandler {
    /** Length of the compressed content (3 bytes), sequence id (1), length of the content (3). */
    static final int HEADER = 7;

    /** The shortest content that is compressed; servers have the same limit. */
    private static final int SHORTEST = 50;

    /**
     * The most content in one frame. The protocol allows more, but with smaller frames both sides work at the same
     * time.
     */
    private static final int MOST = 1 << 18;

    /** After this many bytes of content, the rest is delivered in a later turn of the event loop. */
    private static final int TURN = 1 << 18;

    /** The cost of a frame in bytes, added to its content. */
    private static final int FRAME_COST = 256;

    private final Algorithm algorithm;
    private final boolean server;
    private final Codec codec;
    private final PacketCodec.Reader written = new PacketCodec.Reader(0);
    private @Nullable ByteBuf pending;

    /** The length of the whole frames at the beginning of {@link #pending}. */
    private int counted;

    private int sequence;

    /** The sequence id of the last packet written; -1 before the first. */
    private int packet = -1;

    /** Whether anything was written since the last frame was read. */
    private boolean answering;

    private boolean heard = true;
    private boolean failed;

    /** The content of a large frame that is not delivered yet; null if there is none. */
    private Codec.@Nullable Pieces rest;

    /** Whether a task that delivers buffered frames is scheduled. */
    private boolean resuming;

    /** @param server whether the other side is the server, which receives commands */
    public CompressionHandler(Algorithm algorithm, boolean server) {
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

    /**
     * Counts frames when they arrive, even if they are not delivered yet: the peer counts the frames that it has sent.
     */
    private void count(ByteBuf bytes) {
        int at = bytes.readerIndex() + counted;
        while (bytes.writerIndex() - at >= HEADER) {
            int next = at + HEADER + bytes.getUnsignedMediumLE(at);
            if (next > bytes.writerIndex()) {
                break;
            }
            if (written.complete()) {
                // otherwise the frame belongs to another command than the packet that is being written
                sequence = bytes.getUnsignedByte(at + 3) + 1 & 0xff;
                answering = false;
            }
            heard = true;
            at = next;
        }
        counted = at - bytes.readerIndex();
    }

    /**
     * Delivers content only while the channel is in auto-read, since a few bytes can expand to very many. This also
     * holds for frames that are already buffered.
     */
    private void deliver(ChannelHandlerContext context) throws ProtocolException {
        int delivered = 0;
        // the rest is delivered by the read that follows channelReadComplete, see read
        while (isReady() && delivered < TURN && context.channel().config().isAutoRead()) {
            ByteBuf content = next(context);
            // a frame has a cost, too
            delivered += content.readableBytes() + FRAME_COST;
            context.fireChannelRead(content);
        }
    }

    private boolean isReady() {
        return rest != null || counted > 0;
    }

    /** Delivers the buffered frames first. Reads from the socket only if there are none. */
    @Override
    public void read(ChannelHandlerContext context) {
        if (failed || !isReady()) {
            context.read();
        } else if (!resuming) {
            resuming = true;
            // not at once: the caller may be in the middle of other work
            ChannelWrites.executeAfterIo(context.executor(), () -> resume(context));
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
        // the handlers set auto-read here
        context.fireChannelReadComplete();
        if (context.channel().config().isAutoRead()) {
            read(context);
        }
    }

    /**
     * Delivers the rest of an answer. With epoll, a channel is read to its end when the other side closes, also without
     * auto-read. Frames of a client are dropped: nobody waits for their answers, and they may expand to very much.
     */
    @Override
    public void channelInactive(ChannelHandlerContext context) {
        try {
            while (server && !failed && isReady()) {
                context.fireChannelRead(next(context));
            }
        } catch (ProtocolException e) {
            context.fireExceptionCaught(e);
        }
        context.fireChannelInactive();
    }

    /** Returns the next piece of a large frame, or the content of the first whole frame. */
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
        return new ProtocolException("a compressed frame cannot be read: " + PlainCause.text(e));
    }

    /** @param from begins with a whole frame */
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
            // from a client: a few bytes can expand to very many commands
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
                // the buffer may fail to grow because memory is exhausted
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
     * Whether a packet begins a command, or an answer to a command other than the last one read. Sequence ids wrap
     * after 256 packets.
     */
    private boolean isStart(ByteBuf bytes, int at, int end) {
        if (end - at < PacketCodec.HEADER) {
            // headers are written whole
            return false;
        }
        int first = PacketCodec.sequence(bytes, at);
        return server ? first == 0 && (packet != 255 || heard) : first == 1 && packet != 0 && answering;
    }

    private void frame(ByteBuf out, ByteBuf bytes, int from, int to) {
        if (from == to) {
            return;
        }
        // bytes to the server may have been changed in place, see ClientStream
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

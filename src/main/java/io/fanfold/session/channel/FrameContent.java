package io.fanfold.session.channel;

import io.fanfold.wire.Algorithm;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;

/**
 * The content of one compressed frame, together with the frame. If the content is sent to the client unchanged and the
 * client's connection uses the same algorithm, the frame is sent as it is.
 */
final class FrameContent extends UnpooledHeapByteBuf {
    private final Algorithm algorithm;
    private final ByteBuf compressed;
    private final int size;

    /**
     * @param content not copied
     * @param compressed the bytes after the frame's header; transferred, and released together with this
     */
    FrameContent(ByteBufAllocator allocator, byte[] content, Algorithm algorithm, ByteBuf compressed) {
        super(allocator, content, content.length);
        this.algorithm = algorithm;
        this.compressed = compressed;
        this.size = content.length;
    }

    /** Whether this buffer still is the whole content and the frame uses this algorithm. */
    boolean isWhole(Algorithm by) {
        return algorithm == by && readerIndex() == 0 && writerIndex() == size;
    }

    /** The compressed bytes; borrowed. */
    ByteBuf compressed() {
        return compressed;
    }

    @Override
    protected void deallocate() {
        compressed.release();
        super.deallocate();
    }
}

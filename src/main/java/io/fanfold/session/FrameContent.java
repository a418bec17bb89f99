package io.fanfold.session;

import io.fanfold.compress.Algorithm;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;

/**
 * What was in one compressed frame, together with the frame: where it goes on to the client as it is and the other side is
 * compressed in the same way, the frame does.
 */
final class FrameContent extends UnpooledHeapByteBuf {
    private final Algorithm algorithm;
    private final ByteBuf compressed;
    private final int size;

    /**
     * @param content kept, not copied
     * @param compressed what is behind the frame's header; transferred, and released together with this
     */
    FrameContent(ByteBufAllocator allocator, byte[] content, Algorithm algorithm, ByteBuf compressed) {
        super(allocator, content, content.length);
        this.algorithm = algorithm;
        this.compressed = compressed;
        this.size = content.length;
    }

    /** Whether the frame is this, compressed by that. */
    boolean isWhole(Algorithm by) {
        return algorithm == by && readerIndex() == 0 && writerIndex() == size;
    }

    /** Borrowed. */
    ByteBuf compressed() {
        return compressed;
    }

    @Override
    protected void deallocate() {
        compressed.release();
        super.deallocate();
    }
}

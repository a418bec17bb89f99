package io.fanfold.session.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.ByteToMessageDecoder;

/** Joins buffers that were read one after the other. Stateless. */
public final class Cumulation {
    private Cumulation() {}

    /**
     * Appends bytes to those that wait. Bytes that were already read are dropped: otherwise a peer whose pieces all end
     * inside a packet would make the buffer grow without limit.
     *
     * @param waiting transferred
     * @param next transferred
     */
    public static ByteBuf append(ByteBufAllocator allocator, ByteBuf waiting, ByteBuf next) {
        ByteBuf last = next;
        ByteBuf both = waiting;
        boolean done = false;
        try {
            if (waiting.readerIndex() > 0) {
                both = allocator.buffer(waiting.readableBytes() + next.readableBytes());
                both.writeBytes(waiting);
                waiting.release();
            }
            // cumulate releases it in any case
            last = null;
            both = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(allocator, both, next);
            done = true;
            return both;
        } finally {
            if (!done) {
                // memory is exhausted
                both.release();
                if (last != null) {
                    last.release();
                }
            }
        }
    }
}

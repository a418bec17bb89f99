package io.fanfold.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.ByteToMessageDecoder;

/** Puts bytes that were read together. Without state. */
final class Cumulation {
    private Cumulation() {}

    /**
     * Appends bytes to those that wait for them. What was read of these before is not kept: a peer whose every piece ends inside
     * a packet would otherwise make the buffer grow without end.
     *
     * @param waiting transferred
     * @param next transferred
     */
    static ByteBuf append(ByteBufAllocator allocator, ByteBuf waiting, ByteBuf next) {
        ByteBuf last = next;
        ByteBuf both = waiting;
        boolean done = false;
        try {
            if (waiting.readerIndex() > 0) {
                both = allocator.buffer(waiting.readableBytes() + next.readableBytes());
                both.writeBytes(waiting);
                waiting.release();
            }
            // it is released whatever happens
            last = null;
            both = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(allocator, both, next);
            done = true;
            return both;
        } finally {
            if (!done) {
                // there is no memory
                both.release();
                if (last != null) {
                    last.release();
                }
            }
        }
    }
}

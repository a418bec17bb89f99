package io.fanfold.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;

/**
 * Channel calls whose outcome nobody waits for: a failed write or close shows as the channel's end, which its handler is
 * told of.
 */
@SuppressWarnings("FutureReturnValueIgnored")
final class Fire {
    private Fire() {}

    /** @param bytes transferred */
    static void write(Channel channel, ByteBuf bytes) {
        channel.write(bytes, channel.voidPromise());
    }

    /** @param bytes transferred */
    static void writeAndFlush(Channel channel, ByteBuf bytes) {
        channel.writeAndFlush(bytes, channel.voidPromise());
    }

    static void close(Channel channel) {
        channel.close();
    }

    /** Adds a listener and forgets the future. */
    static <V> void then(Future<V> future, GenericFutureListener<Future<V>> listener) {
        future.addListener(listener);
    }
}

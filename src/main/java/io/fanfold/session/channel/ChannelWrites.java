package io.fanfold.session.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.util.concurrent.TimeUnit;

/**
 * Channel calls whose outcome nobody waits for. After a failed write or close the channel ends, and its handler notices
 * that.
 */
@SuppressWarnings("FutureReturnValueIgnored")
public final class ChannelWrites {
    private ChannelWrites() {}

    /** @param bytes transferred */
    public static void write(Channel channel, ByteBuf bytes) {
        channel.write(bytes, channel.voidPromise());
    }

    /** @param bytes transferred */
    public static void writeAndFlush(Channel channel, ByteBuf bytes) {
        channel.writeAndFlush(bytes, channel.voidPromise());
    }

    public static void close(Channel channel) {
        channel.close();
    }

    /** Adds a listener and forgets the future. */
    public static <V> void then(Future<V> future, GenericFutureListener<Future<V>> listener) {
        future.addListener(listener);
    }

    /**
     * Runs a task after the event loop has served its sockets again. A task that is only queued would run before that:
     * the loop runs its queue until it is empty, or for a second. So a client whose tasks follow one another would
     * delay all other clients.
     */
    public static void executeAfterIo(EventExecutor loop, Runnable task) {
        // a failure of a scheduled task is reported nowhere; one of a queued task is logged
        loop.schedule(() -> loop.execute(task), 0, TimeUnit.NANOSECONDS);
    }
}

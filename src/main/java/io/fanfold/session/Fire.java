package io.fanfold.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.util.concurrent.TimeUnit;

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

    /**
     * Runs a task after the event loop has looked at its sockets again. A task that is only put into the queue comes before that:
     * the loop runs its queue until that is empty, or for a second, so that a client whose tasks follow one another would keep
     * all others from theirs.
     */
    static void executeAfterIo(EventExecutor loop, Runnable task) {
        // of a scheduled task's failure nobody is told, of one in the queue the log is
        loop.schedule(() -> loop.execute(task), 0, TimeUnit.NANOSECONDS);
    }
}

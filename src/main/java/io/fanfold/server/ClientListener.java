package io.fanfold.server;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bound socket that accepts clients.
 *
 * @param channel the channel of the socket, registered with an event loop that serves nothing else
 */
record ClientListener(ListeningSocket socket, Channel channel) {
    private static final Logger LOG = LoggerFactory.getLogger(ClientListener.class);

    /**
     * Accepts all clients that the kernel has queued for this socket, and closes it. Returns when the clients are handed
     * to their event loops.
     */
    void closeAfterQueue() throws InterruptedException {
        EventLoop loop = channel.eventLoop();
        List<Channel> queued = socket.acceptQueueAndClose();
        loop.submit(() -> {
                    queued.forEach(channel.pipeline()::fireChannelRead);
                    channel.pipeline().fireChannelReadComplete();
                })
                .await();
        channel.close().await();
        LOG.debug("{} queued clients were accepted before {} was closed", queued.size(), channel);
    }

    void close() throws InterruptedException {
        channel.close().await();
    }
}

package io.fanfold.server;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening socket, and the event loop that accepts its clients.
 *
 * @param channel the bound channel of the event loop
 * @param socket its socket
 * @param acceptor the group of that event loop alone
 * @param client creates the channel of an accepted client
 */
record ClientListener(
        Channel channel, ServerSocketChannel socket, EventLoopGroup acceptor, Function<SocketChannel, Channel> client) {
    private static final Logger LOG = LoggerFactory.getLogger(ClientListener.class);

    /** More than any backlog. A bound, in case that clients come faster than they are accepted. */
    private static final int MOST_QUEUED = 100_000;

    /**
     * Accepts all clients that the kernel has queued for this socket, and closes it. A queued client would lose its
     * connection with the socket. Returns when the clients are handed to their event loops.
     */
    void closeAfterQueue() throws InterruptedException {
        // away from the event loop, which would close the socket only some time after the last client is accepted
        channel.deregister().await();
        while (socket.isRegistered()) {
            // the next select of the loop drops the registration
            acceptor.submit(() -> {}).await();
        }
        List<SocketChannel> queued = acceptAndClose();
        acceptor.submit(() -> {
                    queued.forEach(each -> channel.pipeline().fireChannelRead(client.apply(each)));
                    channel.pipeline().fireChannelReadComplete();
                })
                .await();
        channel.close().await();
        LOG.debug("{} queued clients were accepted before {} was closed", queued.size(), channel);
    }

    /** Little may happen between the last accept and the close: a client that comes then is lost. */
    private List<SocketChannel> acceptAndClose() {
        List<SocketChannel> queued = new ArrayList<>();
        try (socket) {
            SocketChannel next = socket.accept();
            while (next != null) {
                queued.add(next);
                next = queued.size() < MOST_QUEUED ? socket.accept() : null;
            }
        } catch (IOException e) {
            LOG.warn("some clients that waited to be accepted are lost: {}", e.getMessage());
        }
        return queued;
    }

    void close() throws InterruptedException {
        channel.close().await();
    }
}

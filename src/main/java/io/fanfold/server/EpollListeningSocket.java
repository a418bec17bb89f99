package io.fanfold.server;

import io.fanfold.session.channel.PlainCause;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket of Netty's native code for Linux.
 *
 * @param client creates the channel of an accepted client from its file descriptor
 */
record EpollListeningSocket(ServerChannel channel, IntFunction<Channel> client) implements ListeningSocket {
    private static final Logger LOG = LoggerFactory.getLogger(EpollListeningSocket.class);

    /** Netty reads the address of a client into 24 bytes, and its length into one. */
    private static final int ADDRESS_BYTES = 25;

    static EpollListeningSocket tcp() throws IOException {
        return new EpollListeningSocket(open(EpollServerSocketChannel::new), EpollSocketChannel::new);
    }

    static EpollListeningSocket local() throws IOException {
        return new EpollListeningSocket(open(EpollServerDomainSocketChannel::new), EpollDomainSocketChannel::new);
    }

    private static ServerChannel open(Supplier<ServerChannel> socket) throws IOException {
        try {
            return socket.get();
        } catch (ChannelException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException("no socket can be opened: " + PlainCause.withoutCall(cause.getMessage()), e);
        }
    }

    @Override
    public SocketAddress address(Path file) {
        return new DomainSocketAddress(file.toFile());
    }

    @Override
    public boolean share() {
        return channel.config().setOption(EpollChannelOption.SO_REUSEPORT, true);
    }

    @Override
    public List<Channel> acceptQueueAndClose() throws InterruptedException {
        List<Channel> queued = new ArrayList<>();
        // on the event loop, so that nothing else accepts meanwhile
        channel.eventLoop().submit(() -> accept(queued)).await();
        return queued;
    }

    private void accept(List<Channel> queued) {
        Socket socket = (Socket) ((UnixChannel) channel).fd();
        byte[] address = new byte[ADDRESS_BYTES];
        try {
            // little may happen between the last accept and the close: a client that comes then is lost
            int next = socket.accept(address);
            while (next != -1) {
                queued.add(client.apply(next));
                next = queued.size() < MOST_QUEUED ? socket.accept(address) : -1;
            }
        } catch (IOException e) {
            LOG.warn("some clients that waited to be accepted are lost: {}", PlainCause.withoutCall(e.getMessage()));
        } finally {
            channel.unsafe().closeForcibly();
        }
    }
}

package io.fanfold.server;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket of the Java runtime.
 *
 * @param client creates the channel of an accepted client
 */
record NioListeningSocket(ServerSocketChannel socket, ServerChannel channel, Function<SocketChannel, Channel> client)
        implements ListeningSocket {
    private static final Logger LOG = LoggerFactory.getLogger(NioListeningSocket.class);

    static NioListeningSocket tcp() throws IOException {
        ServerSocketChannel socket = ServerSocketChannel.open();
        NioServerSocketChannel channel = new NioServerSocketChannel(socket);
        return new NioListeningSocket(socket, channel, client -> new NioSocketChannel(channel, client));
    }

    static NioListeningSocket local() throws IOException {
        ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        NioServerDomainSocketChannel channel = new NioServerDomainSocketChannel(socket);
        return new NioListeningSocket(socket, channel, client -> new NioDomainSocketChannel(channel, client));
    }

    @Override
    public SocketAddress address(Path file) {
        return UnixDomainSocketAddress.of(file);
    }

    @Override
    public boolean share() throws IOException {
        if (!socket.supportedOptions().contains(StandardSocketOptions.SO_REUSEPORT)) {
            return false;
        }
        socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
        return true;
    }

    @Override
    public List<Channel> acceptQueueAndClose() throws InterruptedException {
        EventLoop loop = channel.eventLoop();
        // away from the event loop, which would close the socket only some time after the last client is accepted
        channel.deregister().await();
        while (socket.isRegistered()) {
            // the next select of the loop drops the registration
            loop.submit(() -> {}).await();
        }
        List<SocketChannel> queued = new ArrayList<>();
        try (socket) {
            // little may happen between the last accept and the close: a client that comes then is lost
            SocketChannel next = socket.accept();
            while (next != null) {
                queued.add(next);
                next = queued.size() < MOST_QUEUED ? socket.accept() : null;
            }
        } catch (IOException e) {
            LOG.warn("some clients that waited to be accepted are lost: {}", e.getMessage());
        }
        return queued.stream().map(client).toList();
    }
}

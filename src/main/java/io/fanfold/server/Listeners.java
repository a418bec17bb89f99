package io.fanfold.server;

import io.fanfold.config.ListenerConfig;
import io.fanfold.session.channel.ChannelKeepAlive;
import io.fanfold.session.channel.ReadLimits;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The sockets that accept clients. Its text names the addresses.
 *
 * @param tcp the TCP port
 * @param socket the Unix domain socket; null if there is none
 */
record Listeners(Channel tcp, @Nullable Channel socket) {
    /**
     * Opens all or none.
     *
     * @param sessions begins a session on each accepted channel
     * @throws IOException if an address cannot be bound
     */
    static Listeners open(ListenerConfig config, EventLoopGroup acceptor, EventLoopGroup loops, ChannelHandler sessions)
            throws IOException, InterruptedException {
        ServerBootstrap bootstrap = bootstrap(config, acceptor, loops, sessions)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true);
        ChannelKeepAlive.times(config.keepAlive()).forEach(bootstrap::childOption);
        Channel tcp = bind(
                bootstrap, new InetSocketAddress(config.host(), config.port()), config.host() + ":" + config.port());
        Path path = config.socket();
        if (path == null) {
            return new Listeners(tcp, null);
        }
        // after the port: of two processes with the same settings, the second fails before it touches the file
        boolean opened = false;
        try {
            Channel socket = openSocket(
                    bootstrap(config, acceptor, loops, sessions).channel(NioServerDomainSocketChannel.class), path);
            opened = true;
            return new Listeners(tcp, socket);
        } finally {
            if (!opened) {
                tcp.close().await();
            }
        }
    }

    private static ServerBootstrap bootstrap(
            ListenerConfig config, EventLoopGroup acceptor, EventLoopGroup loops, ChannelHandler sessions) {
        return new ServerBootstrap()
                .group(acceptor, loops)
                .option(ChannelOption.SO_BACKLOG, config.backlog())
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, ReadLimits.ofClient())
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(64 * 1024, 256 * 1024))
                .handler(new AcceptGuard(SocketChannel::open))
                .childHandler(sessions);
    }

    private static Channel openSocket(ServerBootstrap bootstrap, Path path) throws IOException, InterruptedException {
        SocketFile file = new SocketFile(path);
        try {
            file.makeRoom();
        } catch (IOException e) {
            throw cannotListen(path.toString(), e);
        }
        Channel socket = bind(bootstrap, UnixDomainSocketAddress.of(path), path.toString());
        try {
            file.openToAll();
            return socket;
        } catch (IOException e) {
            socket.close().await();
            throw cannotListen(path.toString(), e);
        }
    }

    private static Channel bind(ServerBootstrap bootstrap, SocketAddress address, String name)
            throws IOException, InterruptedException {
        ChannelFuture bound = bootstrap.bind(address).await();
        if (!bound.isSuccess()) {
            throw cannotListen(name, bound.cause());
        }
        return bound.channel();
    }

    private static IOException cannotListen(String name, Throwable cause) {
        String why = cause.getMessage();
        if (cause instanceof UnresolvedAddressException) {
            why = "the host name is unknown";
        } else if (cause instanceof BindException && why != null && why.contains("already in use")) {
            why = "the address is already in use";
        }
        return new IOException("cannot listen on " + name + (why == null ? "" : ": " + why), cause);
    }

    int port() {
        return ((InetSocketAddress) tcp.localAddress()).getPort();
    }

    /** Stops accepting clients and removes the socket's file. */
    void close() throws InterruptedException {
        tcp.close().await();
        if (socket != null) {
            socket.close().await();
        }
    }

    @Override
    public String toString() {
        return tcp.localAddress() + (socket == null ? "" : " and " + socket.localAddress());
    }
}

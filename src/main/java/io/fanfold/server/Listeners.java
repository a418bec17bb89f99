package io.fanfold.server;

import io.fanfold.config.ListenerConfig;
import io.fanfold.session.channel.ChannelKeepAlive;
import io.fanfold.session.channel.ReadLimits;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The sockets that accept clients. Its text names the addresses.
 *
 * @param tcp the TCP port
 * @param local the Unix domain socket; null if there is none
 */
record Listeners(ClientListener tcp, @Nullable LocalListener local) {
    /**
     * The Unix domain socket.
     *
     * @param file its file
     * @param identity of the file's inode; another process may replace the file
     */
    private record LocalListener(ClientListener listener, SocketFile file, Object identity) {}

    /**
     * Opens all or none.
     *
     * @param sessions begins a session on each accepted channel
     * @throws IOException if an address cannot be bound
     */
    static Listeners open(ListenerConfig config, EventLoopGroup acceptor, EventLoopGroup loops, ChannelHandler sessions)
            throws IOException, InterruptedException {
        ClientListener tcp = openTcp(config, acceptor, bootstrap(config, acceptor, loops, sessions));
        Path path = config.socket();
        if (path == null) {
            return new Listeners(tcp, null);
        }
        // after the port: of two processes with the same settings, the second fails before it touches the file
        boolean opened = false;
        try {
            LocalListener local = openLocal(
                    new SocketFile(path), config.reusePort(), acceptor, bootstrap(config, acceptor, loops, sessions));
            opened = true;
            return new Listeners(tcp, local);
        } finally {
            if (!opened) {
                tcp.close();
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

    private static ClientListener openTcp(ListenerConfig config, EventLoopGroup acceptor, ServerBootstrap bootstrap)
            throws IOException, InterruptedException {
        String name = config.host() + ":" + config.port();
        ServerSocketChannel socket = ServerSocketChannel.open();
        if (config.reusePort()) {
            share(socket, name);
        }
        NioServerSocketChannel channel = new NioServerSocketChannel(socket);
        creating(bootstrap, channel)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true);
        ChannelKeepAlive.times(config.keepAlive()).forEach(bootstrap::childOption);
        try {
            bind(bootstrap, new InetSocketAddress(config.host(), config.port()));
        } catch (IOException e) {
            throw cannotListen(name, e, config.reusePort());
        }
        return new ClientListener(channel, socket, acceptor, client -> new NioSocketChannel(channel, client));
    }

    /** Lets another process listen on the same port. */
    private static void share(ServerSocketChannel socket, String name) throws IOException {
        if (!socket.supportedOptions().contains(StandardSocketOptions.SO_REUSEPORT)) {
            socket.close();
            throw new IOException(
                    "cannot listen on " + name + ": listener.reuse-port is true, but this system has no SO_REUSEPORT");
        }
        socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
    }

    /** @param takeOver whether another process may listen on the file; its socket loses the file */
    private static LocalListener openLocal(
            SocketFile file, boolean takeOver, EventLoopGroup acceptor, ServerBootstrap bootstrap)
            throws IOException, InterruptedException {
        try {
            // a socket keeps the name that it was bound to; only its file is renamed
            SocketFile bound = takeOver ? file.neighbor() : file;
            if (!takeOver) {
                file.makeRoom();
            } else {
                file.requireSocketOrNothing();
            }
            ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            NioServerDomainSocketChannel channel = new NioServerDomainSocketChannel(socket);
            bind(creating(bootstrap, channel), UnixDomainSocketAddress.of(bound.path()));
            ClientListener listener = new ClientListener(
                    channel, socket, acceptor, client -> new NioDomainSocketChannel(channel, client));
            try {
                bound.openToAll();
                Object identity = bound.identity();
                if (takeOver) {
                    bound.replace(file);
                }
                return new LocalListener(listener, file, identity);
            } catch (IOException e) {
                listener.close();
                throw e;
            }
        } catch (IOException e) {
            throw cannotListen(file.path().toString(), e, false);
        }
    }

    private static ServerBootstrap creating(ServerBootstrap bootstrap, ServerChannel channel) {
        ChannelFactory<ServerChannel> once = () -> channel;
        return bootstrap.channelFactory(once);
    }

    private static void bind(ServerBootstrap bootstrap, SocketAddress address)
            throws IOException, InterruptedException {
        ChannelFuture bound = bootstrap.bind(address).await();
        if (!bound.isSuccess()) {
            throw bound.cause() instanceof IOException cause
                    ? cause
                    : new IOException(bound.cause().getMessage(), bound.cause());
        }
    }

    private static IOException cannotListen(String name, IOException failure, boolean shared) {
        Throwable cause = failure.getCause() instanceof UnresolvedAddressException unknown ? unknown : failure;
        String why = cause.getMessage();
        if (cause instanceof UnresolvedAddressException) {
            why = "the host name is unknown";
        } else if (cause instanceof BindException && why != null && why.contains("already in use")) {
            why = "the address is already in use"
                    + (shared ? " (by another user, or by a process without listener.reuse-port)" : "");
        }
        return new IOException("cannot listen on " + name + (why == null ? "" : ": " + why), cause);
    }

    int port() {
        return ((InetSocketAddress) tcp.channel().localAddress()).getPort();
    }

    /** Stops accepting clients and removes the socket's file. */
    void close() throws InterruptedException {
        tcp.close();
        LocalListener socket = local;
        if (socket != null) {
            socket.listener().close();
            socket.file().deleteIfStill(socket.identity());
        }
    }

    /**
     * Leaves new clients to the other process that listens. Clients that the kernel has already queued here are
     * accepted.
     */
    void handOver() throws InterruptedException {
        LocalListener socket = local;
        if (socket != null) {
            // no client can be queued once the file is gone
            socket.file().deleteIfStill(socket.identity());
            socket.listener().closeAfterQueue();
        }
        tcp.closeAfterQueue();
    }

    @Override
    public String toString() {
        return tcp.channel().localAddress()
                + (local == null ? "" : " and " + local.file().path());
    }
}

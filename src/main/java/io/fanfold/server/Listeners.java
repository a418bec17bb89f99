package io.fanfold.server;

import io.fanfold.config.ListenerConfig;
import io.fanfold.session.channel.ChannelKeepAlive;
import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.ReadLimits;
import io.fanfold.session.channel.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
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
     * @param transport serves the sockets of both groups
     * @param sessions begins a session on each accepted channel
     * @throws IOException if an address cannot be bound
     */
    static Listeners open(
            ListenerConfig config,
            Transport transport,
            EventLoopGroup acceptor,
            EventLoopGroup loops,
            ChannelHandler sessions)
            throws IOException, InterruptedException {
        ClientListener tcp = openTcp(config, transport, bootstrap(config, acceptor, loops, sessions));
        Path path = config.socket();
        if (path == null) {
            return new Listeners(tcp, null);
        }
        // after the port: of two processes with the same settings, the second fails before it touches the file
        boolean opened = false;
        try {
            LocalListener local = openLocal(
                    new SocketFile(path), config.reusePort(), transport, bootstrap(config, acceptor, loops, sessions));
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

    private static ClientListener openTcp(ListenerConfig config, Transport transport, ServerBootstrap bootstrap)
            throws IOException, InterruptedException {
        String name = config.host() + ":" + config.port();
        ListeningSocket socket = switch (transport) {
            case EPOLL -> EpollListeningSocket.tcp();
            case NIO -> NioListeningSocket.tcp();
        };
        if (config.reusePort()) {
            share(socket, name);
        }
        creating(bootstrap, socket)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true);
        ChannelKeepAlive.times(transport, config.keepAlive()).forEach(bootstrap::childOption);
        try {
            return bind(socket, bootstrap, new InetSocketAddress(config.host(), config.port()));
        } catch (IOException e) {
            throw cannotListen(name, e, config.reusePort());
        }
    }

    /** Lets another process listen on the same port. */
    private static void share(ListeningSocket socket, String name) throws IOException {
        if (!socket.share()) {
            socket.channel().unsafe().closeForcibly();
            throw new IOException(
                    "cannot listen on " + name + ": listener.reuse-port is true, but this system has no SO_REUSEPORT");
        }
    }

    /** @param takeOver whether another process may listen on the file; its socket loses the file */
    private static LocalListener openLocal(
            SocketFile file, boolean takeOver, Transport transport, ServerBootstrap bootstrap)
            throws IOException, InterruptedException {
        try {
            if (file.requireSocketOrNothing() && !takeOver) {
                file.requireNoListener();
            }
            // When a socket closes, Netty deletes the file to which it was bound, even if another process has replaced
            // that
            // file. So each socket is bound to a name of its own, and its file is renamed.
            SocketFile bound = file.neighbor();
            ListeningSocket socket = switch (transport) {
                case EPOLL -> EpollListeningSocket.local();
                case NIO -> NioListeningSocket.local();
            };
            ClientListener listener = bind(socket, creating(bootstrap, socket), socket.address(bound.path()));
            try {
                bound.openToAll();
                Object identity = bound.identity();
                bound.replace(file);
                return new LocalListener(listener, file, identity);
            } catch (IOException e) {
                listener.close();
                throw e;
            }
        } catch (IOException e) {
            throw cannotListen(file.path().toString(), e, false);
        }
    }

    private static ServerBootstrap creating(ServerBootstrap bootstrap, ListeningSocket socket) {
        ChannelFactory<ServerChannel> once = socket::channel;
        return bootstrap.channelFactory(once);
    }

    private static ClientListener bind(ListeningSocket socket, ServerBootstrap bootstrap, SocketAddress address)
            throws IOException, InterruptedException {
        ChannelFuture bound = bootstrap.bind(address).await();
        if (!bound.isSuccess()) {
            throw bound.cause() instanceof IOException cause
                    ? cause
                    : new IOException(bound.cause().getMessage(), bound.cause());
        }
        return new ClientListener(socket, bound.channel());
    }

    private static IOException cannotListen(String name, IOException failure, boolean shared) {
        Throwable cause = failure.getCause() instanceof UnresolvedAddressException unknown ? unknown : failure;
        String why = PlainCause.withoutCall(cause.getMessage());
        if (cause instanceof UnresolvedAddressException) {
            why = "the host name is unknown";
        } else if (why != null && why.contains("already in use")) {
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
            // in this order: the identity of a closed socket's file may be that of another file
            socket.file().deleteIfStill(socket.identity());
            socket.listener().close();
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

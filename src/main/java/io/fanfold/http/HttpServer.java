package io.fanfold.http;

import io.fanfold.config.HttpConfig;
import io.fanfold.tls.Encryption;
import io.fanfold.tls.ListenerTls;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP port. It has one event loop and a few threads of its own, so that its requests never wait for clients of the
 * proxy, or the other way round. Thread-safe.
 */
public final class HttpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

    /** Enough for some monitoring systems and browsers. */
    static final int MOST_CONNECTIONS = 64;

    static final int MOST_LINE_BYTES = 4096;
    static final int MOST_HEADER_BYTES = 8192;
    static final int MOST_BODY_BYTES = 64 * 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Routes that wait for the database server share the result, so few threads are enough. */
    private static final int THREADS = 2;

    private final EventLoopGroup loop;
    private final ExecutorService blocking;
    private final OpenConnections connections;
    private final Channel listener;

    private HttpServer(EventLoopGroup loop, ExecutorService blocking, OpenConnections connections, Channel listener) {
        this.loop = loop;
        this.connections = connections;
        this.blocking = blocking;
        this.listener = listener;
    }

    /**
     * Opens the port.
     *
     * @param shared whether other processes may listen on the port; the system must have SO_REUSEPORT then
     * @param routes with different paths
     * @param encryption of the proxy; the caller closes it after this server
     * @throws IOException if the address cannot be bound
     */
    public static HttpServer start(HttpConfig config, boolean shared, List<Route> routes, Encryption encryption)
            throws IOException, InterruptedException {
        return start(config, shared, routes, encryption, PATIENCE);
    }

    static HttpServer start(
            HttpConfig config, boolean shared, List<Route> routes, Encryption encryption, Duration patience)
            throws IOException, InterruptedException {
        Router router =
                new Router(routes, new AccessRule(config.token(), config.tls().clientCa() != null));
        ListenerTls tls = encryption.http();
        EventLoopGroup loop =
                new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("http", true), NioIoHandler.newFactory());
        ThreadPoolExecutor blocking = new ThreadPoolExecutor(
                THREADS, THREADS, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(MOST_CONNECTIONS), task -> {
                    // no thread of Netty's kind: those must not block
                    Thread thread = new Thread(task, "http-route");
                    thread.setDaemon(true);
                    return thread;
                });
        blocking.allowCoreThreadTimeOut(true);
        OpenConnections connections = new OpenConnections(MOST_CONNECTIONS);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, MOST_CONNECTIONS)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(64 * 1024, 256 * 1024))
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (tls != null) {
                            channel.pipeline().addLast(tls.handler(channel.alloc(), encryption.crypto()));
                        }
                        channel.pipeline()
                                .addLast(
                                        new HttpServerCodec(new HttpDecoderConfig()
                                                .setMaxInitialLineLength(MOST_LINE_BYTES)
                                                .setMaxHeaderSize(MOST_HEADER_BYTES)),
                                        new HttpServerKeepAliveHandler(),
                                        new SafeHeaders(),
                                        new HttpObjectAggregator(MOST_BODY_BYTES),
                                        new HttpExchangeHandler(router, blocking, connections, patience));
                    }
                });
        if (shared) {
            bootstrap.option(NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT), true);
        }
        ChannelFuture bound = bootstrap
                .bind(new InetSocketAddress(config.host(), config.port()))
                .await();
        if (!bound.isSuccess()) {
            blocking.shutdownNow();
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).await();
            throw new IOException(
                    "cannot listen on " + config.address() + " for HTTP: "
                            + bound.cause().getMessage(),
                    bound.cause());
        }
        HttpServer server = new HttpServer(loop, blocking, connections, bound.channel());
        LOG.info("{} on {}", tls == null ? "HTTP" : "HTTPS", bound.channel().localAddress());
        if (config.clearText()) {
            LOG.warn("others on the network can read the token and the passwords that HTTP clients send; set http.tls");
        }
        return server;
    }

    /** The TCP port, 1 to 65535. */
    public int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /** Leaves new connections to the other processes on the port. Open connections stay. */
    public void closePort() throws InterruptedException {
        listener.close().await();
    }

    /** Closes the port and all connections. A second call does nothing. */
    @Override
    public void close() throws InterruptedException {
        listener.close().await();
        if (!loop.isShuttingDown()) {
            // an ended loop leaves them open
            loop.submit(connections::closeAll).await();
        }
        loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).await();
        blocking.shutdownNow();
    }
}

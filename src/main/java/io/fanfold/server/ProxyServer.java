package io.fanfold.server;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.pool.PrimaryChoice;
import io.fanfold.session.channel.ChannelKeepAlive;
import io.fanfold.session.channel.ProxyConnections;
import io.fanfold.session.channel.SessionCompression;
import io.fanfold.session.channel.SessionLimits;
import io.fanfold.session.channel.Transport;
import io.fanfold.session.command.BackendConnector;
import io.fanfold.session.command.KillRecognizer;
import io.fanfold.session.command.SessionServices;
import io.fanfold.session.command.TransactionAdvice;
import io.fanfold.session.handshake.SessionTls;
import io.fanfold.tls.Encryption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The proxy: its listeners and sessions. Started once and stopped once; {@link #port} may be called from any thread.
 */
public final class ProxyServer {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyServer.class);

    /** The most look-ups of the server's name that may wait; the JVM caches their results. */
    private static final int LOOKUPS = 10_000;

    /** The longest time to wait for sessions if some of them cannot be served any more. */
    private static final Duration BROKEN_DRAIN = Duration.ofSeconds(5);

    private final ListenerConfig listener;
    private final SessionServices services;
    private final ExecutorService resolver;
    private final SessionRegistry sessions;
    private volatile boolean stopping;
    private volatile SessionLimits limits;
    private final CompletableFuture<Void> broken = new CompletableFuture<>();
    private volatile @Nullable Listening listening;

    private record Listening(Listeners listeners, EventLoopGroup acceptor, EventLoopGroup loops) {}

    /**
     * @param settings changed limits hold for clients that connect later
     * @param encryption created from the same settings; the caller closes it after this has stopped
     * @param dispatcher receives the statements that may be split
     * @param choice chooses the server of new connections; empty if there is only one
     * @param kills recognises KILL statements
     */
    public ProxyServer(
            RunningSettings settings,
            Encryption encryption,
            FanOutDispatcher dispatcher,
            Optional<PrimaryChoice> choice,
            KillRecognizer kills,
            FanfoldMetrics metrics) {
        FanfoldConfig config = settings.get();
        this.listener = config.listener();
        this.limits = SessionLimits.of(config);
        settings.onChange((before, now) -> limits = SessionLimits.of(now));
        this.resolver = resolver();
        BackendConnector connector = new BackendConnector(
                () -> settings.get().backend(),
                choice,
                resolver,
                ChannelKeepAlive.times(Transport.best(), config.backend().keepAlive()));
        this.services = new SessionServices(
                () -> limits,
                SessionTls.of(config, encryption),
                SessionCompression.of(config),
                connector,
                dispatcher,
                kills,
                metrics,
                new ProxyConnections(),
                new TransactionAdvice());
        this.sessions = new SessionRegistry(() -> settings.get().limits().connections(), services);
    }

    private static ExecutorService resolver() {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(LOOKUPS), task -> {
                    Thread thread = new Thread(task, "resolver");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /**
     * Starts listening. Returns when clients can connect.
     *
     * @throws IOException if the address cannot be bound
     * @throws IllegalStateException if it was started before
     */
    public synchronized void start() throws IOException, InterruptedException {
        if (listening != null) {
            throw new IllegalStateException("the proxy was started before");
        }
        EventLoopGroup acceptor = loops(1, "accept");
        EventLoopGroup loops = loops(Runtime.getRuntime().availableProcessors(), "loop");
        boolean opened = false;
        try {
            listening = new Listening(
                    Listeners.open(listener, Transport.best(), acceptor, loops, sessions.initializer()),
                    acceptor,
                    loops);
            opened = true;
        } finally {
            if (!opened) {
                acceptor.shutdownGracefully(0, 0, TimeUnit.SECONDS).await();
                loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).await();
            }
        }
        acceptor.forEach(this::watch);
        loops.forEach(this::watch);
        LOG.info(
                "listening on {}, server at {}",
                listening.listeners(),
                services.connector().address());
    }

    private static EventLoopGroup loops(int number, String name) {
        return new MultiThreadIoEventLoopGroup(
                number, new DefaultThreadFactory(name), Transport.best().handlers());
    }

    /** Watches an event loop. If it ends on its own, for instance when memory is exhausted, its clients hang. */
    private void watch(EventExecutor loop) {
        loop.terminationFuture().addListener(ended -> {
            if (!stopping) {
                LOG.error("an event loop has ended unexpectedly: its clients hang, so Fanfold stops");
                broken.complete(null);
            }
        });
    }

    /**
     * Completed when some clients cannot be served any more and the proxy must be stopped; never after {@link #stop}.
     */
    public CompletableFuture<Void> broken() {
        return broken.copy();
    }

    /** The TCP port that clients connect to, 1 to 65535. */
    public int port() {
        Listening now = listening;
        if (now == null) {
            throw new IllegalStateException("the proxy is not started");
        }
        return now.listeners().port();
    }

    /** The event loops of the clients; empty before the start. */
    public Iterable<EventExecutor> loops() {
        Listening now = listening;
        return now == null ? List.of() : now.loops();
    }

    /** The number of connected clients. */
    public int sessions() {
        return sessions.size();
    }

    /** Leaves new clients to the other process on the port. Returns when there are sessions for the last ones. */
    private static void handOver(Listening now) throws InterruptedException {
        now.listeners().handOver();
        for (EventExecutor loop : now.loops()) {
            // an accepted client is registered by a task of its loop
            loop.submit(() -> {}).await();
        }
        LOG.info("new clients are left to the other process on this port");
    }

    /**
     * Refuses new clients, or leaves them to another process on the port. Ends sessions as they become idle, and all
     * others after the drain time. Then closes the listeners. Returns when everything is closed. A second call does
     * nothing.
     *
     * @param drainTime the time for running statements and open transactions, 0 or more
     */
    public synchronized void stop(Duration drainTime) throws InterruptedException {
        Listening now = listening;
        if (now == null || now.loops().isShuttingDown()) {
            return;
        }
        stopping = true;
        boolean shared = listener.reusePort();
        if (shared) {
            handOver(now);
        } else {
            sessions.refuse();
        }
        // sessions of an event loop that has ended never become idle
        boolean whole = !broken.isDone();
        Duration patience = whole || drainTime.compareTo(BROKEN_DRAIN) < 0 ? drainTime : BROKEN_DRAIN;
        new Drain(sessions, services.dispatcher()::stop, patience).run();
        if (!shared) {
            now.listeners().close();
        }
        now.acceptor().shutdownGracefully(0, 5, TimeUnit.SECONDS).await();
        now.loops().shutdownGracefully(0, 5, TimeUnit.SECONDS).await();
        resolver.shutdownNow();
        LOG.info("stopped");
    }
}

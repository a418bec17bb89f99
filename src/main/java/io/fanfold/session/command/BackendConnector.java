package io.fanfold.session.command;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.Quantity;
import io.fanfold.pool.PrimaryChoice;
import io.fanfold.session.channel.BackendAddress;
import io.fanfold.session.channel.ChannelKeepAlive;
import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.RateLimitedWarning;
import io.fanfold.session.channel.ReadLimits;
import io.fanfold.session.channel.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens connections to the server. Thread-safe. */
public final class BackendConnector {
    private static final Logger LOG = LoggerFactory.getLogger(BackendConnector.class);

    /** For all channels, so that an idle client has none of its own. */
    private static final WriteBufferWaterMark WRITE_BUFFER = new WriteBufferWaterMark(64 * 1024, 256 * 1024);

    private final RateLimitedWarning noHandle = new RateLimitedWarning(LOG);

    /** One for each reason, so that none keeps another out of the log. */
    private final Map<DisconnectReason, RateLimitedWarning> warnings = new EnumMap<>(DisconnectReason.class);

    private final Supplier<BackendConfig> settings;
    private final Optional<PrimaryChoice> choice;
    private final Executor resolver;
    private final Map<ChannelOption<Integer>, Integer> keepAlive;

    /**
     * @param settings those of now
     * @param choice finds another server if that of now cannot be reached; empty if there is only one
     * @param resolver looks up host names, which may block; not an event loop
     * @param keepAlive the options of {@link ChannelKeepAlive}
     */
    public BackendConnector(
            Supplier<BackendConfig> settings,
            Optional<PrimaryChoice> choice,
            Executor resolver,
            Map<ChannelOption<Integer>, Integer> keepAlive) {
        this.settings = settings;
        this.choice = choice;
        this.keepAlive = Map.copyOf(keepAlive);
        this.resolver = resolver;
        for (DisconnectReason reason : DisconnectReason.values()) {
            warnings.put(reason, new RateLimitedWarning(LOG));
        }
    }

    /**
     * Warns about the end of a session that an operator should know of.
     *
     * @param serverFailed whether the server has not greeted, and that is the cause
     */
    public void ended(DisconnectReason reason, String detail, boolean serverFailed) {
        if (serverFailed && reason != DisconnectReason.BACKEND_IS_PROXY) {
            warn(reason, "a client is refused: " + detail);
        } else if (reason == DisconnectReason.BACKEND_PROTOCOL || reason == DisconnectReason.CLIENT_TOO_SLOW) {
            warn(reason, "a client is disconnected: " + reason.sentence() + " (" + detail + ")");
        }
    }

    private void warn(DisconnectReason reason, String message) {
        RateLimitedWarning warning = warnings.get(reason);
        if (warning != null) {
            warning.warn(message);
        }
    }

    /** The server of new connections, for messages. */
    public HostPort address() {
        return settings.get().address();
    }

    /**
     * Connects to the server of now, trying the host's addresses in turn. If none can be reached, and another server is
     * chosen then, connects to that one.
     *
     * @param loop the event loop of the connection
     * @return completes on {@code loop} with a channel that has no handler yet and is not being read; fails with an
     *     {@link IOException} whose message gives the cause in plain words, without the address
     */
    public Future<Channel> connect(EventLoop loop) {
        BackendConfig backend = settings.get();
        Promise<Channel> connected = loop.newPromise();
        Promise<Channel> first = choice.isEmpty() ? connected : loop.newPromise();
        connect(loop, backend, first);
        choice.ifPresent(chooser -> ChannelWrites.then(first, done -> {
            if (done.isSuccess()) {
                connected.setSuccess(first.getNow());
            } else if (!settings.get().address().equals(backend.address())) {
                // another server was chosen meanwhile
                connect(loop, settings.get(), connected);
            } else {
                chooser.lookAgain(() -> loop.execute(() -> retry(loop, backend, first.cause(), connected)));
            }
        }));
        return connected;
    }

    /** Connects to the server of now, unless it is the one that could not be reached. */
    private void retry(EventLoop loop, BackendConfig failed, Throwable cause, Promise<Channel> connected) {
        BackendConfig now = settings.get();
        if (now.address().equals(failed.address())) {
            connected.setFailure(cause);
        } else {
            connect(loop, now, connected);
        }
    }

    private void connect(EventLoop loop, BackendConfig backend, Promise<Channel> connected) {
        byte[] literal = NetUtil.createByteArrayFromIpAddressString(backend.host());
        try {
            if (literal != null) {
                InetAddress[] address = {InetAddress.getByAddress(backend.host(), literal)};
                attempt(loop, backend, address, 0, connected);
            } else {
                resolver.execute(() -> resolve(loop, backend, connected));
            }
        } catch (UnknownHostException | RejectedExecutionException | OutOfMemoryError e) {
            // an OutOfMemoryError if no thread can be created
            LOG.debug("the host name cannot be resolved", e);
            connected.setFailure(new IOException("the host name cannot be resolved", e));
        }
    }

    private void resolve(EventLoop loop, BackendConfig backend, Promise<Channel> connected) {
        try {
            InetAddress[] addresses = InetAddress.getAllByName(backend.host());
            loop.execute(() -> attempt(loop, backend, addresses, 0, connected));
        } catch (UnknownHostException e) {
            connected.tryFailure(new IOException("unknown host", e));
        }
    }

    private void attempt(
            EventLoop loop, BackendConfig backend, InetAddress[] addresses, int index, Promise<Channel> connected) {
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(Transport.best().client())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.AUTO_READ, false)
                // a server that closes sends an error before: read it even if nothing can be written any more
                .option(ChannelOption.AUTO_CLOSE, false)
                .option(ChannelOption.RECVBUF_ALLOCATOR, ReadLimits.ofServer())
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.min(backend.connectTimeout().toMillis(), Integer.MAX_VALUE))
                .handler(new NoHandler());
        keepAlive.forEach(bootstrap::option);
        ChannelFuture attempt = bootstrap.connect(new InetSocketAddress(addresses[index], backend.port()));
        ChannelWrites.then(attempt, done -> {
            if (done.isSuccess()) {
                BackendAddress.set(attempt.channel(), backend);
                connected.trySuccess(attempt.channel());
            } else if (index + 1 < addresses.length) {
                attempt(loop, backend, addresses, index + 1, connected);
            } else {
                connected.tryFailure(reason(done.cause(), backend));
            }
        });
    }

    /**
     * Builds the failure of a connection attempt. Netty's message for a socket that cannot be created does not give the
     * cause.
     */
    private IOException reason(Throwable cause, BackendConfig backend) {
        if (cause instanceof ConnectTimeoutException) {
            return new IOException("timed out after " + Quantity.text(backend.connectTimeout()), cause);
        }
        if (cause instanceof IOException) {
            return new IOException(PlainCause.of(cause), cause);
        }
        LOG.debug("no connection can be opened", cause);
        Throwable first = cause;
        for (Throwable next = first.getCause(); next != null; next = first.getCause()) {
            first = next;
        }
        String message = "no connection can be opened: " + PlainCause.withoutCall(first.getMessage());
        noHandle.warn(message + "; each client needs two file handles of this process, see ulimit -n");
        return new IOException(message, cause);
    }

    private static final class NoHandler extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {}
    }
}

package io.fanfold.session;

import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.protocol.Capability;
import io.fanfold.protocol.ProxyHeader;
import io.fanfold.protocol.ProxyHeaderWriter;
import io.fanfold.protocol.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client and its backend connection, from accept to close. Both channels live on one event loop, and everything here
 * runs on it, except {@link #drain} and {@link #stop}.
 */
public final class ClientSession {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSession.class);

    /** Capabilities that are the proxy's own towards the client, whatever the server has. */
    static final long OWN_OFFERS = Capability.SSL | SessionCompression.ALL;

    /** The sequence id of a client's first packet. */
    private static final int RESPONSE_SEQUENCE = 1;

    private final Channel client;
    private final SessionServices services;
    private final Future<?> handshakeTimer;
    private @Nullable Channel backend;
    private @Nullable CommandRelay relay;
    private SessionSchema schema = new SessionSchema("", "");
    private ClientOrigin origin;
    private boolean connecting;
    private boolean greeted;
    private boolean opaque;
    private boolean ended;
    private boolean draining;

    private ClientSession(Channel client, SessionServices services) {
        this.client = client;
        this.services = services;
        this.origin = ClientOrigin.of(client);
        this.handshakeTimer = client.eventLoop()
                .schedule(
                        this::handshakeTimeout,
                        services.settings().handshakeTimeout().toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    /**
     * Begins a session on a client's fresh channel: adds its handler and connects to the server.
     *
     * @param client registered with its event loop, on which this is called
     */
    public static ClientSession start(Channel client, SessionServices services) {
        ClientSession session = new ClientSession(client, services);
        boolean trusted = session.origin.isIn(services.settings().proxyNetworks());
        client.pipeline().addLast(new ProxyHeaderHandler(session, trusted), new GreetingWaitHandler(session));
        services.metrics().clientConnected();
        Fire.then(client.closeFuture(), closed -> services.metrics().clientDisconnected());
        if (services.own().accepted(client)) {
            session.refuseLoop();
            return session;
        }
        // the server greets at once, and is to be told of the client before; so the client's header has to be first
        if (!trusted || services.settings().proxyProtocol() == ProxyProtocol.OFF) {
            session.connect();
        }
        return session;
    }

    /** Connects to the server, if that has not been done. */
    void connect() {
        if (!connecting) {
            connecting = true;
            Fire.then(services.connector().connect(client.eventLoop()), this::connected);
        }
    }

    /** Tells a client of which no session may begin that there are too many, and closes its channel. */
    public static void refuseTooMany(Channel client) {
        LOG.debug("client {} is refused: too many connections", ClientOrigin.of(client));
        LingeringClose.begin(
                client, ProxyError.CON_COUNT_ERROR.packet(0, "Too many connections"), Duration.ofSeconds(5));
    }

    /** A PROXY protocol header says who the client is. */
    void proxied(ProxyHeader.Client header) {
        origin = origin.proxied(header);
    }

    /** Ends the session for a PROXY protocol header that is not taken. */
    void refuseHeader(String what) {
        String message = "Bad handshake: " + what;
        end(
                DisconnectReason.CLIENT_PROTOCOL,
                what,
                ProxyError.HANDSHAKE_ERROR.packet(greeted ? RESPONSE_SEQUENCE + 1 : 0, message));
    }

    private void connected(Future<Channel> attempt) {
        if (!attempt.isSuccess()) {
            refuse(
                    DisconnectReason.BACKEND_UNREACHABLE,
                    "cannot connect to the server at " + services.connector().address() + ": " + text(attempt.cause()));
            return;
        }
        Channel channel = attempt.getNow();
        if (ended) {
            Fire.close(channel);
            return;
        }
        backend = channel;
        if (services.own().opened(channel)) {
            refuseLoop();
            return;
        }
        byte[] header = ProxyHeaderWriter.bytes(services.settings().proxyProtocol(), origin.told());
        if (header.length > 0) {
            Fire.writeAndFlush(channel, Unpooled.wrappedBuffer(header));
        }
        channel.pipeline().addLast(new BackendGreetingHandler(this));
        channel.config().setAutoRead(true);
    }

    /** The login names the user, and the schema that the session begins with; empty for none. */
    void schema(String user, String name) {
        schema = new SessionSchema(user, name);
    }

    /** What went wrong, in a few plain words. The cause itself is logged at DEBUG. */
    static String text(@Nullable Throwable cause) {
        if (cause == null) {
            return "unknown cause";
        }
        LOG.debug("a connection failed", cause);
        return PlainCause.of(cause);
    }

    /**
     * The server greeted.
     *
     * @param packet the greeting as the client shall see it; transferred
     */
    void greeted(ServerPacket.Greeting greeting, ByteBuf packet, ChannelHandler greetingHandler) {
        Channel server = backend();
        greeted = true;
        services.own().greeted(client, server);
        Handshake handshake = new Handshake(this, greeting, client, server, services);
        server.pipeline().replace(greetingHandler, null, new BackendHandshakeHandler(handshake));
        client.pipeline().replace(GreetingWaitHandler.class, null, new ClientHandshakeHandler(handshake));
        Fire.writeAndFlush(client, packet);
    }

    /**
     * The client is authenticated.
     *
     * @param capabilities what both sides negotiated
     * @param status the server's status flags
     */
    void authenticated(
            ServerPacket.Greeting greeting,
            long capabilities,
            int status,
            SessionSecurity security,
            SessionFraming framing) {
        handshakeTimer.cancel(false);
        Channel server = backend();
        CommandRelay commands = new CommandRelay(
                this, client, server, services, greeting, capabilities, status, security, framing, schema);
        relay = commands;
        client.pipeline().replace(ClientHandshakeHandler.class, null, new ClientCommandHandler(commands));
        server.pipeline().replace(BackendHandshakeHandler.class, null, new BackendCommandHandler(commands));
        if (LOG.isDebugEnabled()) {
            LOG.debug(
                    "client {} is connected as server thread {} (capabilities 0x{}, TLS {} and {}{})",
                    origin,
                    greeting.threadId(),
                    Long.toHexString(capabilities),
                    security.client(),
                    security.server(),
                    Capability.has(capabilities, Capability.PROTOCOL_41) ? "" : ", relayed only");
        }
    }

    /** The client encrypts all the way to the server: bytes are relayed from here on, and nothing of what they mean is known. */
    void passedThrough() {
        handshakeTimer.cancel(false);
        opaque = true;
        Channel server = backend();
        client.pipeline()
                .replace(
                        ClientHandshakeHandler.class,
                        null,
                        new OpaqueRelay(this, server, DisconnectReason.CLIENT_CLOSED, DisconnectReason.CLIENT_FAILED));
        server.pipeline()
                .replace(
                        BackendHandshakeHandler.class,
                        null,
                        new OpaqueRelay(
                                this, client, DisconnectReason.BACKEND_CLOSED, DisconnectReason.BACKEND_FAILED));
        LOG.debug("client {} encrypts its connection all the way to the server", origin);
    }

    /** Those of {@link #OWN_OFFERS} that the client is shown. */
    long offered(ServerPacket.Greeting greeting) {
        // a client that encrypts all the way to the server compresses all the way too
        long possible = services.tls().listenerMode() == ListenerTlsConfig.Mode.PASSTHROUGH
                ? greeting.capabilities()
                : SessionCompression.ALL;
        return services.tls().offered(greeting.capabilities())
                | services.compression().offered(greeting) & possible;
    }

    private Channel backend() {
        Channel channel = backend;
        if (channel == null) {
            throw new IllegalStateException("the server is not connected");
        }
        return channel;
    }

    private void handshakeTimeout() {
        if (greeted) {
            end(
                    DisconnectReason.HANDSHAKE_TIMEOUT,
                    "authentication",
                    ProxyError.NET_READ_INTERRUPTED.packet(0, "Got timeout reading communication packets"));
        } else if (!connecting) {
            refuse(
                    DisconnectReason.HANDSHAKE_TIMEOUT,
                    ProxyError.NET_READ_INTERRUPTED,
                    "the client sent no PROXY protocol header within "
                            + services.settings().handshakeTimeout().toMillis() + " ms (limits.handshake-timeout)");
        } else {
            refuse(
                    DisconnectReason.HANDSHAKE_TIMEOUT,
                    ProxyError.NET_READ_INTERRUPTED,
                    "the server at " + services.connector().address() + " sent no greeting within "
                            + services.settings().handshakeTimeout().toMillis() + " ms (limits.handshake-timeout)");
        }
    }

    /** The next session would connect to the proxy again, and so on until no file handle is left. */
    private void refuseLoop() {
        String message = "the server's address " + services.connector().address()
                + " leads to this proxy itself; set backend.host and backend.port";
        services.own().warn(message);
        refuse(DisconnectReason.BACKEND_IS_PROXY, message);
    }

    /** Ends the session with an error in place of the greeting. */
    void refuse(DisconnectReason reason, String message) {
        refuse(reason, ProxyError.NET_READ_ERROR, message);
    }

    private void refuse(DisconnectReason reason, ProxyError error, String message) {
        end(reason, message, error.packet(0, "Fanfold: " + message));
    }

    /** Ends the session; what was written to the client is still delivered. */
    void end(DisconnectReason reason, String detail) {
        end(reason, detail, null);
    }

    /**
     * Ends the session with a last packet to the client.
     *
     * @param last transferred; null when nothing is to be said
     */
    void end(DisconnectReason reason, String detail, @Nullable ByteBuf last) {
        if (ended) {
            if (last != null) {
                last.release();
            }
            return;
        }
        ended = true;
        handshakeTimer.cancel(false);
        LOG.debug("session of {} ends: {} ({})", origin, reason.sentence(), detail);
        if (backend != null) {
            backend.flush();
            Fire.close(backend);
        }
        CommandRelay commands = relay;
        if (commands != null) {
            commands.ended();
        }
        if (reason == DisconnectReason.CLIENT_CLOSED || reason == DisconnectReason.CLIENT_FAILED) {
            if (last != null) {
                last.release();
            }
            Fire.close(client);
        } else {
            LingeringClose.begin(client, last, services.settings().slowClient());
        }
    }

    boolean hasEnded() {
        return ended;
    }

    /** Whether the session ends as soon as it is idle. */
    boolean draining() {
        return draining;
    }

    private void onLoop(Runnable task) {
        try {
            client.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the session's event loop has ended, and the session with it", e);
        }
    }

    /** Ends the session as soon as no answer is outstanding and no transaction is open. Any thread. */
    public void drain() {
        onLoop(() -> {
            draining = true;
            CommandRelay commands = relay;
            // of an encrypted relay nobody knows what is under way
            if (commands == null ? !opaque : commands.atRest()) {
                end(DisconnectReason.DRAINED, "idle");
            }
        });
    }

    /** Ends the session now; a client that waits for an answer is told so where it can be. Any thread. */
    public void stop() {
        onLoop(() -> {
            CommandRelay commands = relay;
            if (commands == null) {
                end(DisconnectReason.STOPPED, "in use");
            } else {
                commands.serverLost(DisconnectReason.STOPPED, "in use");
            }
        });
    }
}

package io.fanfold.session;

import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.ClientOrigin;
import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.LingeringClose;
import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.ProxyError;
import io.fanfold.session.channel.SessionCompression;
import io.fanfold.session.channel.SessionControl;
import io.fanfold.session.channel.SessionFraming;
import io.fanfold.session.channel.SessionSchema;
import io.fanfold.session.channel.SessionSecurity;
import io.fanfold.session.channel.SessionUse;
import io.fanfold.session.command.BackendCommandHandler;
import io.fanfold.session.command.ClientCommandHandler;
import io.fanfold.session.command.CommandRelay;
import io.fanfold.session.command.SessionServices;
import io.fanfold.session.handshake.BackendGreetingHandler;
import io.fanfold.session.handshake.BackendHandshakeHandler;
import io.fanfold.session.handshake.ClientHandshakeHandler;
import io.fanfold.session.handshake.GreetingWaitHandler;
import io.fanfold.session.handshake.Handshake;
import io.fanfold.session.handshake.OpaqueRelay;
import io.fanfold.session.handshake.ProxyHeaderHandler;
import io.fanfold.wire.Capability;
import io.fanfold.wire.ProxyHeader;
import io.fanfold.wire.ProxyHeaderWriter;
import io.fanfold.wire.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client and its backend connection, from accept to close. Both channels are on the same event loop, and everything
 * here runs on it, except {@link #drain}, {@link #stop}, {@link #cut} and {@link #seen}.
 */
public final class ClientSession implements SessionControl, SessionDrain.DrainedSession {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSession.class);

    /** The sequence id of the handshake response; the greeting has 0. */
    private static final int RESPONSE_SEQUENCE = 1;

    private final Channel client;
    private final SessionServices services;
    private final SessionDrain drain;
    private final ServerAttempt attempt;
    private Future<?> handshakeTimer;
    private @Nullable Channel backend;
    private @Nullable Handshake handshake; // null after the login: an idle client needs none of it
    private @Nullable CommandRelay relay;
    private SessionSchema schema = new SessionSchema("", "");
    private ClientOrigin origin;
    private boolean opaque;
    private boolean ended;

    private ClientSession(Channel client, SessionServices services) {
        this.client = client;
        this.services = services;
        this.origin = ClientOrigin.of(client);
        this.attempt = new ServerAttempt(services.metrics());
        this.drain = new SessionDrain(this, client.eventLoop());
        long millis = services.settings().handshakeTimeout().toMillis();
        this.handshakeTimer = client.eventLoop().schedule(this::handshakeTimeout, millis, TimeUnit.MILLISECONDS);
    }

    /**
     * Begins a session on a new client channel: adds its handlers and connects to the server.
     *
     * @param client registered with its event loop, on which this is called
     */
    public static ClientSession start(Channel client, SessionServices services) {
        ClientSession session = new ClientSession(client, services);
        boolean trusted = session.origin.isIn(services.settings().proxyNetworks());
        client.pipeline().addLast(new ProxyHeaderHandler(session, trusted), new GreetingWaitHandler(session));
        if (services.own().accepted(client)) {
            session.refuseLoop();
            return session;
        }
        // the server greets at once and must get a PROXY header before that: wait for the client's header if one may be
        // sent
        if (!trusted || services.settings().proxyProtocol() == ProxyProtocol.OFF) {
            session.connect();
        }
        return session;
    }

    @Override
    public void connect() {
        if (attempt.begin()) {
            ChannelWrites.then(services.connector().connect(client.eventLoop()), this::connected);
        }
    }

    @Override
    public void proxied(ProxyHeader.Client header) {
        origin = origin.proxied(header);
    }

    @Override
    public void refuseHeader(String what) {
        String message = "Bad handshake: " + what;
        end(
                DisconnectReason.CLIENT_PROTOCOL,
                what,
                ProxyError.HANDSHAKE_ERROR.packet(attempt.greeted() ? RESPONSE_SEQUENCE + 1 : 0, message));
    }

    private void connected(Future<Channel> opened) {
        if (!opened.isSuccess()) {
            attempt.failed();
            refuse(
                    DisconnectReason.BACKEND_UNREACHABLE,
                    "cannot connect to the server at " + services.connector().address() + ": "
                            + PlainCause.text(opened.cause()));
            return;
        }
        Channel channel = opened.getNow();
        if (ended) {
            ChannelWrites.close(channel);
            return;
        }
        backend = channel;
        if (services.own().opened(channel)) {
            refuseLoop();
            return;
        }
        byte[] header = ProxyHeaderWriter.bytes(services.settings().proxyProtocol(), origin.forServer());
        if (header.length > 0) {
            ChannelWrites.writeAndFlush(channel, Unpooled.wrappedBuffer(header));
        }
        channel.pipeline().addLast(new BackendGreetingHandler(this));
        channel.config().setAutoRead(true);
    }

    @Override
    public void schema(String user, String name) {
        schema = new SessionSchema(user, name);
    }

    @Override
    public void greeted(ServerPacket.Greeting greeting, ByteBuf packet, ChannelHandler greetingHandler) {
        Channel server = backend();
        attempt.greets();
        services.own().forget(client, server);
        Handshake login = new Handshake(this, greeting, client, server, services.tls(), services.compression());
        handshake = login;
        server.pipeline().replace(greetingHandler, Handshake.LOGIN, new BackendHandshakeHandler(login));
        client.pipeline().replace(GreetingWaitHandler.class, Handshake.LOGIN, new ClientHandshakeHandler(login));
        ChannelWrites.writeAndFlush(client, packet);
    }

    @Override
    public void authenticated(
            ServerPacket.Greeting greeting,
            long capabilities,
            int status,
            SessionSecurity security,
            SessionFraming framing) {
        handshakeTimer.cancel(false);
        handshakeTimer = client.newSucceededFuture(); // an idle client needs no timer
        handshake = null;
        Channel server = backend();
        CommandRelay commands = new CommandRelay(
                this, client, server, services, greeting, capabilities, status, security, framing, schema);
        relay = commands;
        client.pipeline().replace(ClientHandshakeHandler.class, Handshake.COMMANDS, new ClientCommandHandler(commands));
        server.pipeline()
                .replace(BackendHandshakeHandler.class, Handshake.COMMANDS, new BackendCommandHandler(commands));
        drain.loggedIn();
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

    @Override
    public void passedThrough() {
        handshakeTimer.cancel(false);
        handshake = null;
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

    @Override
    public long offered(ServerPacket.Greeting greeting) {
        // a client that encrypts all the way to the server also compresses all the way
        long possible = services.tls().listenerMode() == ListenerTlsConfig.ListenerTlsMode.PASSTHROUGH
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
        Handshake login = handshake;
        if (login != null) {
            login.end(DisconnectReason.HANDSHAKE_TIMEOUT, ProxyError::loginTimeout);
        } else {
            String lacking = attempt.begun()
                    ? "the server at " + services.connector().address() + " sent no greeting"
                    : "the client sent no PROXY protocol header";
            refuse(
                    DisconnectReason.HANDSHAKE_TIMEOUT,
                    ProxyError.NET_READ_INTERRUPTED,
                    lacking + " within "
                            + services.settings().handshakeTimeout().toMillis() + " ms (limits.handshake-timeout)");
        }
    }

    /**
     * Refuses a session that would connect to this proxy. Each such session would open the next, until no file handle
     * is left.
     */
    private void refuseLoop() {
        String message = "the server's address " + services.connector().address()
                + " leads to this proxy itself; set backend.host and backend.port";
        services.own().warn(message);
        refuse(DisconnectReason.BACKEND_IS_PROXY, message);
    }

    @Override
    public void refuse(DisconnectReason reason, String message) {
        refuse(reason, ProxyError.NET_READ_ERROR, message);
    }

    private void refuse(DisconnectReason reason, ProxyError error, String message) {
        end(reason, message, error.packet(0, "Fanfold: " + message));
    }

    @Override
    public void end(DisconnectReason reason, String detail) {
        end(reason, detail, null);
    }

    @Override
    public void end(DisconnectReason reason, String detail, @Nullable ByteBuf last) {
        if (ended) {
            if (last != null) {
                last.release();
            }
            return;
        }
        ended = true;
        handshakeTimer.cancel(false);
        services.own().forget(client, backend);
        drain.end();
        LOG.debug("session of {} ends: {} ({})", origin, reason.sentence(), detail);
        services.connector().ended(reason, detail, attempt.failed(reason));
        if (backend != null) {
            backend.flush();
            ChannelWrites.close(backend);
        }
        CommandRelay commands = relay;
        if (commands != null) {
            commands.ended();
        }
        if (reason == DisconnectReason.CLIENT_CLOSED || reason == DisconnectReason.CLIENT_FAILED) {
            if (last != null) {
                last.release();
            }
            ChannelWrites.close(client);
        } else {
            LingeringClose.begin(client, last, services.settings().slowClient());
        }
    }

    @Override
    public boolean hasEnded() {
        return ended;
    }

    @Override
    public boolean draining() {
        return drain.begun();
    }

    @Override
    public void settled(SessionUse use) {
        drain.settled(use);
    }

    @Override
    public SessionUse use() {
        if (ended) {
            return SessionUse.ENDED;
        }
        CommandRelay commands = relay;
        if (commands != null) {
            return commands.use();
        }
        return opaque ? SessionUse.ENCRYPTED : SessionUse.LOGIN;
    }

    @Override
    public void drained(DisconnectReason reason, SessionUse use) {
        if (use == SessionUse.LOGIN) {
            shutDown();
        } else {
            end(reason, use.words());
        }
    }

    private void onLoop(Runnable task) {
        try {
            client.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the session's event loop has ended, and the session with it", e);
        }
    }

    /**
     * Ends the session as soon as its client has nothing open. Any thread.
     *
     * @param hurryNanos the time from which clients need not be quiet before, in {@link System#nanoTime}
     */
    public void drain(long hurryNanos) {
        onLoop(() -> drain.begin(hurryNanos));
    }

    /**
     * Ends the session now. If it has a fan-out, it ends with that: the caller must cancel it. A client that waits for an
     * answer gets an error if possible. Any thread.
     */
    public void stop() {
        onLoop(() -> {
            drain.stopping();
            if (use() != SessionUse.FAN_OUT) {
                shutDown();
            }
        });
    }

    /** Ends the session now, whatever it does. Any thread. */
    public void cut() {
        onLoop(this::shutDown);
    }

    /** Ends the session, with an error for a client that waits, if possible. */
    private void shutDown() {
        CommandRelay commands = relay;
        Handshake login = handshake;
        if (commands != null) {
            commands.stop();
        } else if (opaque) {
            end(DisconnectReason.STOPPED, "encrypted");
        } else if (login != null) {
            login.end(DisconnectReason.STOPPED, ProxyError::shutdown);
        } else {
            end(DisconnectReason.STOPPED, "before its greeting", ProxyError.shutdown(0));
        }
    }

    /** What the session is used for, asked on its event loop; never completed if that has ended. Any thread. */
    public CompletableFuture<SessionUse> seen() {
        CompletableFuture<SessionUse> seen = new CompletableFuture<>();
        onLoop(() -> seen.complete(use()));
        return seen;
    }
}

package io.fanfold.session.handshake;

import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.session.channel.BackendAddress;
import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.CompressionHandler;
import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.ProxyError;
import io.fanfold.session.channel.SessionCompression;
import io.fanfold.session.channel.SessionControl;
import io.fanfold.session.channel.SessionFraming;
import io.fanfold.session.channel.SessionSecurity;
import io.fanfold.wire.Algorithm;
import io.fanfold.wire.AuthResponse;
import io.fanfold.wire.Capability;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Conducts a session from the server's greeting to the end of the authentication. The client's first packet shows
 * whether its connection will be encrypted. After that the server's connection is encrypted if it must be. Then the
 * authentication exchange is relayed, whatever the plugin. Event loop only.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase.html">connection
 *     phase</a>
 */
public final class Handshake implements AuthRelay.Ending {
    /** The name in both pipelines of the handler that takes the packets of the login. */
    public static final String LOGIN = "login";

    /** The name in both pipelines of the handler that takes commands and replies after the login. */
    public static final String COMMANDS = "commands";

    private static final String COMPRESSION = "compression";

    private final SessionControl session;
    private final ServerPacket.Greeting greeting;
    private final Channel client;
    private final Channel backend;
    private final SessionTls tls;
    private final SessionCompression compression;
    private final AuthPackets fromClient = new AuthPackets(0);
    private final AuthPackets fromServer = new AuthPackets(0);
    private @Nullable AuthRelay relay;
    private boolean clientEncrypted;
    private boolean responded;
    private boolean serverEncrypted;
    private @Nullable Algorithm clientCompression;
    private @Nullable Algorithm serverCompression;
    private long capabilities;

    public Handshake(
            SessionControl session,
            ServerPacket.Greeting greeting,
            Channel client,
            Channel backend,
            SessionTls tls,
            SessionCompression compression) {
        this.session = session;
        this.greeting = greeting;
        this.client = client;
        this.backend = backend;
        this.tls = tls;
        this.compression = compression;
    }

    // ---- from the client ----

    /** @param bytes transferred */
    void fromClient(ByteBuf bytes) {
        if (session.hasEnded()) {
            bytes.release();
        } else if (relay != null) {
            relay.fromClient(bytes);
        } else {
            fromClient.add(client.alloc(), bytes);
            readFirst();
        }
    }

    /** Reads the client's first packet, or the packet after its request for TLS. */
    private void readFirst() {
        if (responded) {
            return;
        }
        try {
            byte[] payload = fromClient.next();
            if (payload != null) {
                first(payload);
            }
        } catch (ProtocolException e) {
            refuse(PlainCause.text(e));
        }
    }

    private void first(byte[] payload) throws ProtocolException {
        long flags = AuthResponse.capabilities(payload);
        boolean request = Capability.has(flags, Capability.SSL) && payload.length <= AuthResponse.HEAD;
        if (Capability.has(flags & SessionCompression.ALL, ~session.offered(greeting))) {
            refuse("the client requests compression, which was not offered");
        } else if (request && tls.offered(greeting.capabilities()) == 0) {
            refuse("the client requests TLS, which was not offered");
        } else if (request && tls.listenerMode() == ListenerTlsConfig.ListenerTlsMode.PASSTHROUGH) {
            passThrough(payload);
        } else if (request && !clientEncrypted) {
            encryptClient();
        } else if (request) {
            refuse("the client requests TLS a second time");
        } else if (!clientEncrypted && !local() && tls.listenerMode() == ListenerTlsConfig.ListenerTlsMode.REQUIRED) {
            denyInsecure("listener.tls.mode is required");
        } else {
            responded(payload, flags);
        }
    }

    /** Whether the client uses a Unix domain socket, which clients and servers regard as secure. */
    private boolean local() {
        return !(client.remoteAddress() instanceof InetSocketAddress);
    }

    private void encryptClient() {
        clientEncrypted = true;
        SslHandler handler = tls.forClient(client);
        client.pipeline().addBefore(LOGIN, null, handler);
        ChannelWrites.then(handler.handshakeFuture(), done -> {
            if (!done.isSuccess() && !session.hasEnded()) {
                session.end(DisconnectReason.CLIENT_PROTOCOL, "TLS: " + PlainCause.text(done.cause()));
            }
        });
        ByteBuf rest = fromClient.rest();
        if (rest != null) {
            ChannelHandlerContext context = client.pipeline().context(handler);
            try {
                handler.channelRead(context, rest);
                handler.channelReadComplete(context);
            } catch (Exception e) {
                clientFailed(e);
            }
        }
    }

    private void responded(byte[] payload, long flags) throws ProtocolException {
        responded = true;
        boolean offered = Capability.has(greeting.capabilities(), Capability.SSL);
        serverEncrypted = tls.wantedOfServer(clientEncrypted, offered);
        capabilities = greeting.capabilities() & ~SessionCompression.OWN_OFFERS & flags;
        clientCompression = SessionCompression.chosen(flags);
        long asked = compression.wantedOfServer(clientCompression, greeting.capabilities());
        serverCompression = SessionCompression.chosen(asked);
        byte[] meant =
                Capability.has(flags, Capability.PROTOCOL_41) ? AuthResponse.withCompression(payload, asked) : payload;
        if (serverEncrypted && !offered) {
            denyServerTls(tls.serverOffersNone(BackendAddress.of(backend)));
        } else if (tls.refuses(clientSecure(), serverEncrypted)) {
            denyInsecure("backend.tls.mode encrypts to the server, and backend.tls.clear-clients is refuse");
        } else if (!serverEncrypted) {
            authenticate(meant, flags);
        } else {
            encryptServer(meant, flags);
        }
    }

    private void encryptServer(byte[] payload, long flags) {
        byte[] request = Arrays.copyOf(payload, AuthResponse.HEAD);
        ChannelWrites.writeAndFlush(backend, fromServer.frame(AuthResponse.withTls(request, true)));
        SslHandler handler = tls.forServer(
                backend, BackendAddress.of(backend), client.pipeline().get(SslHandler.class));
        // bytes written from here on pass the TLS handler, which starts its handshake when it is added
        backend.pipeline().addBefore(LOGIN, null, handler);
        ChannelWrites.then(handler.handshakeFuture(), done -> serverIsEncrypted(done, payload, flags));
    }

    private void serverIsEncrypted(Future<Channel> done, byte[] payload, long flags) {
        if (session.hasEnded()) {
            return;
        }
        if (!done.isSuccess()) {
            denyServerTls(tls.serverFailed(BackendAddress.of(backend), done.cause()));
            return;
        }
        try {
            authenticate(payload, flags);
        } catch (ProtocolException e) {
            refuse(PlainCause.text(e));
        }
    }

    private void authenticate(byte[] payload, long flags) throws ProtocolException {
        PasswordExchange exchange = new PasswordExchange(
                clientSecure(),
                serverEncrypted,
                Capability.has(capabilities, Capability.MULTI_FACTOR),
                tls.passwordKeys());
        AuthRelay started = new AuthRelay(client, backend, fromClient, fromServer, exchange, tls.crypto(), this);
        relay = started;
        byte[] marked = AuthResponse.withTls(payload, serverEncrypted);
        if (Capability.has(flags, Capability.PROTOCOL_41)) {
            AuthResponse response = AuthResponse.ofHandshake(marked, flags);
            session.schema(response.user(), response.database());
            started.begin(response.plugin(), greeting.challenge(), response.bytes(), response::with);
        } else {
            started.begin("mysql_old_password", greeting.challenge(), new byte[0], answer -> marked);
        }
    }

    private boolean clientSecure() {
        return clientEncrypted || local();
    }

    /** The client encrypts all the way to the server: from here on nothing is understood. */
    private void passThrough(byte[] request) {
        ByteBuf first = fromServer.frame(request);
        ByteBuf rest = fromClient.rest();
        session.passedThrough();
        ChannelWrites.write(backend, first);
        if (rest != null) {
            ChannelWrites.write(backend, rest);
        }
        backend.flush();
    }

    // ---- refusals ----

    private void refuse(String what) {
        session.end(DisconnectReason.CLIENT_PROTOCOL, what, AuthRelay.clientError(fromClient, what));
    }

    /** Refuses with MySQL's error for require_secure_transport. */
    private void denyInsecure(String why) {
        String message = "Connections using insecure transport are prohibited (" + why + ")";
        ByteBuf error = fromClient.frame(ProxyError.SECURE_TRANSPORT_REQUIRED.payload(message));
        session.end(DisconnectReason.CLIENT_PROTOCOL, message, error);
    }

    private void denyServerTls(String why) {
        tls.warning().warn("a client is refused: " + why);
        String message = "Fanfold: " + why;
        ByteBuf error = fromClient.frame(ProxyError.NET_READ_ERROR.payload(message));
        session.end(DisconnectReason.BACKEND_FAILED, message, error);
    }

    // ---- the exchange ends ----

    @Override
    public void denied(byte[] error) {
        session.end(DisconnectReason.BACKEND_REFUSED, "authentication", fromClient.frame(error));
    }

    @Override
    public void serverFailed(String what) {
        session.end(DisconnectReason.BACKEND_PROTOCOL, what);
    }

    @Override
    public void clientFailed(String what) {
        refuse(what);
    }

    @Override
    public void accepted(byte[] payload) {
        int status;
        try {
            status = ServerPacket.Ok.decode(payload).status();
        } catch (ProtocolException e) {
            serverFailed(PlainCause.text(e));
            return;
        }
        ChannelWrites.writeAndFlush(client, fromClient.frame(payload));
        ByteBuf ofServer = fromServer.rest();
        ByteBuf ofClient = fromClient.rest();
        session.authenticated(
                greeting,
                capabilities,
                status,
                new SessionSecurity(clientSecure(), serverEncrypted),
                new SessionFraming(clientCompression != null, serverCompression != null));
        compress(backend, serverCompression, true);
        compress(client, clientCompression, false);
        handOn(backend, serverCompression == null ? COMMANDS : COMPRESSION, ofServer);
        handOn(client, clientCompression == null ? COMMANDS : COMPRESSION, ofClient);
    }

    private static void compress(Channel channel, @Nullable Algorithm algorithm, boolean server) {
        if (algorithm != null && channel.pipeline().context(COMMANDS) != null) {
            channel.pipeline().addBefore(COMMANDS, COMPRESSION, new CompressionHandler(algorithm, server));
        }
    }

    /** Passes bytes to the handler itself, since the pipeline has a handler before it that decrypts. */
    private static void handOn(Channel channel, String handler, @Nullable ByteBuf bytes) {
        if (bytes == null) {
            return;
        }
        ChannelHandlerContext context = channel.pipeline().context(handler);
        if (context == null) {
            bytes.release();
            return;
        }
        try {
            ChannelInboundHandlerAdapter reader = (ChannelInboundHandlerAdapter) context.handler();
            reader.channelRead(context, bytes);
            reader.channelReadComplete(context);
        } catch (Exception e) {
            throw new IllegalStateException("a handler of this package throws nothing", e);
        }
    }

    // ---- from the server, and both ----

    /** @param bytes transferred */
    void fromServer(ByteBuf bytes) {
        if (session.hasEnded()) {
            bytes.release();
        } else if (relay != null) {
            relay.fromServer(bytes);
        } else {
            fromServer.add(backend.alloc(), bytes);
            unasked();
        }
    }

    /**
     * Reads a packet that the server sends before it is answered. It can only be an error, for instance if the client
     * is too slow.
     */
    private void unasked() {
        try {
            byte[] payload = fromServer.next();
            if (payload == null) {
                return;
            }
            if (payload.length > 0 && (payload[0] & 0xff) == ServerPacket.ERROR) {
                denied(payload);
            } else {
                serverFailed("the server sent a second packet before the client responded");
            }
        } catch (ProtocolException e) {
            serverFailed(PlainCause.text(e));
        }
    }

    void flushClient() {
        client.flush();
        backend.config().setAutoRead(client.isWritable());
    }

    void flushBackend() {
        backend.flush();
        boolean room = fromClient.waiting() < AuthPackets.LONGEST;
        client.config().setAutoRead(backend.isWritable() && room);
    }

    void clientClosed() {
        session.end(DisconnectReason.CLIENT_CLOSED, "in authentication");
    }

    void clientFailed(Throwable cause) {
        session.end(DisconnectReason.CLIENT_FAILED, PlainCause.text(cause));
    }

    void backendLost(DisconnectReason reason, String detail) {
        session.end(reason, detail);
    }

    /**
     * Ends the session from outside. The client gets an error, if it can be sent between two packets.
     *
     * @param error makes it, with its sequence id
     */
    public void end(DisconnectReason reason, IntFunction<ByteBuf> error) {
        boolean between = relay == null || relay.serverBetweenPackets();
        session.end(reason, "in its login", between ? error.apply(fromClient.nextSequence()) : null);
    }

    /** Releases the buffered bytes of both sides. */
    void release() {
        fromClient.release();
        fromServer.release();
        if (relay != null) {
            relay.release();
        }
    }
}

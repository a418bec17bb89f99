package io.fanfold.client;

import io.fanfold.config.BackendTlsConfig;
import io.fanfold.tls.RsaKeys;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Runs the connection phase: greeting, handshake response, and the exchange of the authentication plugin. For use by
 * one thread.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase.html">connection
 *     phase</a>
 */
final class Login {
    /** utf8mb4_general_ci: known to every server with utf8mb4. */
    private static final int COLLATION = 45;

    /** Sent as the client's packet limit; servers ignore it. */
    private static final long MAX_PACKET = 1L << 30;

    private static final int AUTH_MORE = 0x01;
    private static final int SHA256_REQUEST_KEY = 1;
    private static final int SHA2_REQUEST_KEY = 2;
    private static final int SHA2_FAST_OK = 3;
    private static final int SHA2_FULL = 4;

    private static final long REQUIRED = Capability.PROTOCOL_41 | Capability.SECURE_CONNECTION | Capability.PLUGIN_AUTH;
    private static final long WANTED = REQUIRED
            | Capability.CLIENT_MYSQL
            | Capability.LONG_FLAG
            | Capability.TRANSACTIONS
            | Capability.CONNECT_ATTRS
            | Capability.PLUGIN_AUTH_LENENC_DATA
            | Capability.DEPRECATE_EOF
            | Capability.MARIADB_EXTENDED_METADATA;

    private static final Map<String, String> ATTRIBUTES =
            Map.of("program_name", "fanfold", "_client_name", "fanfold", "_os", System.getProperty("os.name", ""));

    private final PacketChannel channel;
    private final WireSettings settings;
    private final Socket socket;
    private @Nullable SSLSocket encrypted;

    private Login(PacketChannel channel, WireSettings settings, Socket socket) {
        this.channel = channel;
        this.settings = settings;
        this.socket = socket;
    }

    /**
     * The result of a login.
     *
     * @param greeting the server's first packet
     * @param capabilities the capabilities that both sides agreed on
     * @param status the session's first status flags
     * @param encrypted the TLS socket; null if the connection is not encrypted
     */
    record Session(
            ServerPacket.Greeting greeting,
            long capabilities,
            int status,
            @Nullable SSLSocket encrypted) {}

    /**
     * Logs in.
     *
     * @param socket the channel's socket; if the server offers TLS, the channel switches to TLS over it
     * @throws ServerException if the server refuses the connection or the account
     * @throws IOException if the connection fails or no common authentication method exists
     */
    static Session in(PacketChannel channel, WireSettings settings, Socket socket) throws IOException, ServerException {
        return new Login(channel, settings, socket).run();
    }

    private Session run() throws IOException, ServerException {
        channel.sequence(0);
        byte[] first = reply();
        ServerPacket.Greeting greeting = ServerPacket.Greeting.decode(first);
        if ((greeting.capabilities() & REQUIRED) != REQUIRED) {
            throw new ProtocolException("the server is too old: its capabilities are 0x"
                    + Long.toHexString(greeting.capabilities()) + " (expected: 4.1 protocol with plugins)");
        }
        long capabilities = WANTED & (greeting.capabilities() | Capability.CLIENT_MYSQL);
        if (Capability.has(capabilities, Capability.MARIADB_EXTENDED_METADATA)) {
            // without this flag, the last bytes of the head are MariaDB's own capabilities
            capabilities &= ~Capability.CLIENT_MYSQL;
        }
        if (encrypts(greeting)) {
            capabilities |= Capability.SSL;
            encrypt(head(capabilities).toBytes());
        }
        AuthPlugin plugin = AuthPlugin.named(greeting.authPlugin());
        // If the server's default plugin is unknown here, the account may still use a known one: the server asks to
        // switch.
        AuthPlugin opening = plugin == null ? AuthPlugin.CACHING_SHA2_PASSWORD : plugin;
        byte[] answer = plugin == null ? new byte[0] : answer(plugin, greeting.challenge());
        channel.write(response(capabilities, opening, answer));
        ServerPacket.Ok ok = authenticate(opening, greeting.challenge());
        return new Session(greeting, capabilities, ok.status(), encrypted);
    }

    private boolean encrypts(ServerPacket.Greeting greeting) throws IOException {
        WireSettings.Tls tls = settings.tls();
        boolean offered = Capability.has(greeting.capabilities(), Capability.SSL);
        if (tls != null && !offered && tls.context().mode() == BackendTlsConfig.BackendTlsMode.REQUIRED) {
            throw new IOException("the server does not offer TLS (backend.tls.mode is required)");
        }
        return tls != null && offered;
    }

    private void encrypt(byte[] request) throws IOException {
        WireSettings.Tls tls = Objects.requireNonNull(settings.tls());
        channel.write(request);
        SSLSocket over = tls.context().encrypt(socket, tls.name(), settings.port());
        channel.switchTo(over.getInputStream(), over.getOutputStream());
        encrypted = over;
    }

    private static PayloadWriter head(long capabilities) {
        return new PayloadWriter()
                .int4(capabilities)
                .int4(MAX_PACKET)
                .int1(COLLATION)
                .bytes(new byte[19])
                .int4(capabilities >>> 32);
    }

    private byte[] response(long capabilities, AuthPlugin plugin, byte[] answer) {
        PayloadWriter out = head(capabilities).nulTerminated(settings.user());
        if (Capability.has(capabilities, Capability.PLUGIN_AUTH_LENENC_DATA)) {
            out.lenencBytes(answer);
        } else {
            out.int1(answer.length).bytes(answer);
        }
        out.nulTerminated(plugin.wireName());
        if (Capability.has(capabilities, Capability.CONNECT_ATTRS)) {
            PayloadWriter attributes = new PayloadWriter();
            ATTRIBUTES.forEach((name, value) -> attributes.lenencString(name).lenencString(value));
            out.lenencBytes(attributes.toBytes());
        }
        return out.toBytes();
    }

    private ServerPacket.Ok authenticate(AuthPlugin first, byte[] firstChallenge) throws IOException, ServerException {
        AuthPlugin plugin = first;
        byte[] challenge = firstChallenge;
        boolean switched = false;
        while (true) {
            byte[] packet = reply();
            switch (packet[0] & 0xff) {
                case ServerPacket.OK -> {
                    return ServerPacket.Ok.decode(packet);
                }
                case ServerPacket.EOF -> {
                    if (switched) {
                        throw new ProtocolException("the server asked twice to switch the authentication plugin");
                    }
                    switched = true;
                    PayloadReader in = new PayloadReader(packet, 1, packet.length - 1);
                    String name = packet.length == 1 ? "mysql_old_password" : in.nulTerminatedString();
                    plugin = supported(name);
                    challenge = in.rest();
                    channel.write(answer(plugin, challenge));
                }
                case AUTH_MORE -> {
                    if (plugin == AuthPlugin.SHA256_PASSWORD) {
                        sendEncrypted(packet, challenge);
                    } else if (plugin == AuthPlugin.CACHING_SHA2_PASSWORD && packet.length == 2) {
                        continueSha2(packet[1], challenge);
                    } else {
                        throw new ProtocolException("unexpected data for " + plugin.wireName());
                    }
                }
                default ->
                    throw new ProtocolException(
                            "reply to the login starts with 0x" + Integer.toHexString(packet[0] & 0xff));
            }
        }
    }

    private void continueSha2(int state, byte[] challenge) throws IOException, ServerException {
        if (state == SHA2_FAST_OK) {
            return;
        }
        if (state != SHA2_FULL) {
            throw new ProtocolException("caching_sha2_password state is " + state + " (expected: 3 or 4)");
        }
        if (encrypted != null) {
            channel.write(inClear());
            return;
        }
        channel.write(new byte[] {SHA2_REQUEST_KEY});
        byte[] key = reply();
        if (key[0] != AUTH_MORE) {
            throw new ProtocolException("the server did not send its RSA key");
        }
        sendEncrypted(key, challenge);
    }

    /** @param key a packet with the server's public key */
    private void sendEncrypted(byte[] key, byte[] challenge) throws IOException {
        byte[] pem = new PayloadReader(key, 1, key.length - 1).rest();
        try {
            channel.write(RsaKeys.encrypted(inClear(), challenge, pem));
        } catch (GeneralSecurityException e) {
            ProtocolException unusable =
                    new ProtocolException("the server's RSA key cannot be used: " + e.getMessage());
            unusable.initCause(e);
            throw unusable;
        }
    }

    /** Returns the password as it is sent over an encrypted connection. */
    private byte[] inClear() {
        byte[] secret = settings.password().reveal().getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(secret, secret.length + 1);
    }

    private byte[] answer(AuthPlugin plugin, byte[] challenge) throws ProtocolException {
        String password = settings.password().reveal();
        if (plugin == AuthPlugin.SHA256_PASSWORD) {
            return encrypted != null || password.isEmpty() ? inClear() : new byte[] {SHA256_REQUEST_KEY};
        }
        return plugin.answer(password, challenge);
    }

    private AuthPlugin supported(String name) throws ProtocolException {
        @Nullable AuthPlugin plugin = AuthPlugin.named(name);
        if (plugin == null) {
            throw new ProtocolException("account " + settings.user() + " uses the authentication plugin " + name
                    + " (expected: mysql_native_password, caching_sha2_password, sha256_password or client_ed25519)");
        }
        return plugin;
    }

    /** Reads the next packet, at least one byte long and not an error. */
    private byte[] reply() throws IOException, ServerException {
        byte[] packet = channel.read();
        if (packet.length == 0) {
            throw new ProtocolException("empty packet during the login");
        }
        if ((packet[0] & 0xff) == ServerPacket.ERROR) {
            throw new ServerException(Reply.Failed.decode(packet));
        }
        return packet;
    }
}

package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.config.ListenerTlsConfig.ListenerTlsMode;
import io.fanfold.execute.ClientConnection;
import io.fanfold.session.handshake.SessionTls;
import io.fanfold.tls.TestAuthority;
import io.fanfold.wire.AuthResponse;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ServerPacket;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Clients that use TLS, with a server that does not. */
class TlsPhaseTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final long ASKED = RelayFixture.CLIENT | Capability.SSL;

    @TempDir
    Path folder = Path.of("");

    private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();

    private final ScriptedServer.Script script = client -> {
        client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
        Wire.Packet response = client.read();
        assertThat(response.sequence()).isEqualTo(1);
        received.add(response.payload());
        client.write(2, ScriptedServer.OK);
        while (true) {
            received.add(client.read().payload());
            client.write(1, ScriptedServer.OK);
        }
    };

    /** Accepts every login and offers these capabilities. */
    private ScriptedServer.Script offering(long capabilities) {
        return client -> {
            client.write(0, ScriptedServer.greeting(capabilities));
            received.add(client.read().payload());
            client.write(2, ScriptedServer.OK);
            client.read();
            client.write(1, ScriptedServer.OK);
        };
    }

    private RelayFixture relay(ListenerTlsConfig tls, BackendTlsConfig.BackendTlsMode backend, Duration patience)
            throws Exception {
        return relay(script, tls, backend, patience);
    }

    private static RelayFixture relay(
            ScriptedServer.Script server,
            ListenerTlsConfig tls,
            BackendTlsConfig.BackendTlsMode backend,
            Duration patience)
            throws Exception {
        return new RelayFixture(
                server,
                new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO).withTls(tls),
                RelayFixture.limits(100, patience),
                ProxyProtocol.OFF,
                BackendTlsConfig.of(backend).withClearClients(BackendTlsConfig.ClearClients.ALLOW));
    }

    private RelayFixture relay(ListenerTlsConfig tls) throws Exception {
        return relay(tls, BackendTlsConfig.BackendTlsMode.DISABLED, Duration.ofSeconds(30));
    }

    private static SSLContext context(TestAuthority authority, TestAuthority.@Nullable Pair own) throws Exception {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(authority.file().toFile());
        if (own != null) {
            builder.keyManager(own.certificate().toFile(), own.key().toFile());
        }
        return ((JdkSslContext) builder.build()).context();
    }

    /** Requests TLS and does the handshake. */
    private static SSLSocket encrypt(Wire plain, SSLContext context, String... versions) throws IOException {
        assertThat(Capability.has(
                        ServerPacket.Greeting.decode(plain.read().payload()).capabilities(), Capability.SSL))
                .isTrue();
        plain.write(1, Arrays.copyOf(RelayFixture.response(ASKED), 32));
        SSLSocket encrypted = plain.encrypted(context);
        if (versions.length > 0) {
            encrypted.setEnabledProtocols(versions);
        }
        encrypted.startHandshake();
        return encrypted;
    }

    private static void logIn(Wire client) throws IOException {
        client.write(2, RelayFixture.response(ASKED));
        Wire.Packet ok = client.read();
        assertThat(ok.sequence()).isEqualTo(3);
        assertThat(ok.payload()).isEqualTo(ScriptedServer.OK);
        client.write(0, new byte[] {0x0e});
        assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
    }

    @Test
    void bothVersionsAreSpokenAndSessionsResumed() throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        TestAuthority.Pair pair = authority.sign("proxy");
        SSLContext context = context(authority, null);
        try (RelayFixture relay = relay(
                ListenerTlsConfig.of(ListenerTlsMode.PREFERRED).withCertificate(pair.certificate(), pair.key()))) {
            for (String version : new String[] {"TLSv1.2", "TLSv1.3"}) {
                long made = 0;
                for (int i = 0; i < 3; i++) {
                    try (Wire plain = relay.connect();
                            SSLSocket encrypted = encrypt(plain, context, version)) {
                        logIn(new Wire(encrypted));
                        assertThat(encrypted.getSession().getProtocol()).isEqualTo(version);
                        long creation = encrypted.getSession().getCreationTime();
                        assertThat(creation).as("%s, the same session", version).isEqualTo(i == 0 ? creation : made);
                        made = creation;
                    }
                }
            }
        }
        // the response that the server received does not request TLS, which its own connection does not use
        long flags = AuthResponse.capabilities(received.take());
        assertThat(Capability.has(flags, Capability.SSL)).isFalse();
        assertThat(flags).isEqualTo(RelayFixture.CLIENT);
    }

    @Test
    void aChangedCertificateIsShownToTheNextClient() throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        TestAuthority.Pair pair = authority.sign("proxy");
        SSLContext context = context(authority, null);
        try (RelayFixture relay = relay(ListenerTlsConfig.of(ListenerTlsMode.PREFERRED)
                        .withCertificate(pair.certificate(), pair.key()));
                Wire first = relay.connect();
                SSLSocket kept = encrypt(first, context)) {
            Wire client = new Wire(kept);
            logIn(client);
            X509Certificate before = shown(kept);
            authority.sign("proxy");
            FileTime later = FileTime.from(Instant.now().plusSeconds(5));
            Files.setLastModifiedTime(pair.key(), later);
            Files.setLastModifiedTime(pair.certificate(), later);
            SSLContext fresh = context(authority, null);
            Awaitility.await().until(() -> {
                try (Wire plain = relay.connect();
                        SSLSocket encrypted = encrypt(plain, fresh)) {
                    return !shown(encrypted).equals(before);
                }
            });
            client.write(0, new byte[] {0x0e});
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
        }
    }

    private static X509Certificate shown(SSLSocket socket) throws IOException {
        return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }

    @Test
    void certificatesOfClientsAreAskedFor() throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        TestAuthority stranger = TestAuthority.in(Files.createDirectory(folder.resolve("other")));
        TestAuthority.Pair pair = authority.sign("proxy");
        ListenerTlsConfig tls =
                ListenerTlsConfig.of(ListenerTlsMode.REQUIRED).withCertificate(pair.certificate(), pair.key());
        for (boolean required : new boolean[] {true, false}) {
            try (RelayFixture relay = relay(tls.withClientCa(authority.file(), required))) {
                letIn(relay, context(authority, authority.sign("client")), true);
                // a client sends no certificate of an authority that the server does not name
                letIn(relay, context(authority, stranger.sign("stranger")), !required);
                letIn(relay, context(authority, null), !required);
            }
        }
    }

    private static void letIn(RelayFixture relay, SSLContext context, boolean expected) throws IOException {
        boolean in;
        try (Wire plain = relay.connect();
                SSLSocket encrypted = encrypt(plain, context)) {
            logIn(new Wire(encrypted));
            in = true;
        } catch (IOException e) {
            in = false;
        }
        assertThat(in).isEqualTo(expected);
    }

    /** An attacker in between could have inserted them. */
    @Test
    void clearBytesAfterTheTlsRequestAreNotTheClients() throws Exception {
        try (RelayFixture relay = relay(ListenerTlsConfig.of(ListenerTlsMode.PREFERRED));
                Wire client = relay.connect()) {
            client.read();
            client.raw(Wire.join(
                    Wire.frame(1, Arrays.copyOf(RelayFixture.response(ASKED), 32)),
                    Wire.frame(2, RelayFixture.response(ASKED))));
            assertThat(new String(client.toEnd(), StandardCharsets.ISO_8859_1))
                    .as("nothing in clear but an alert")
                    .doesNotContain(new String(ScriptedServer.OK, StandardCharsets.ISO_8859_1));
            assertThat(received).isEmpty();
        }
    }

    @Test
    void aClientThatDoesNotEncryptAfterAllIsGivenUp() throws Exception {
        try (RelayFixture relay = relay(
                        ListenerTlsConfig.of(ListenerTlsMode.PREFERRED),
                        BackendTlsConfig.BackendTlsMode.DISABLED,
                        Duration.ofMillis(300));
                Wire client = relay.connect()) {
            client.read();
            client.write(1, Arrays.copyOf(RelayFixture.response(ASKED), 32));
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void aClientThatMustUseTlsGetsAnError() throws Exception {
        try (RelayFixture relay = relay(ListenerTlsConfig.of(ListenerTlsMode.REQUIRED));
                Wire client = relay.connect()) {
            client.read();
            client.write(1, RelayFixture.response(RelayFixture.CLIENT));
            Wire.Packet packet = client.read();
            ServerPacket.Err error = ServerPacket.Err.decode(packet.payload());
            assertThat(packet.sequence()).isEqualTo(2);
            assertThat(error.code()).isEqualTo(3159);
            assertThat(error.message()).contains("listener.tls.mode is required");
            assertThat(client.atEnd()).isTrue();
        }
    }

    /** The server would accept an account with REQUIRE SSL, since it sees TLS. */
    @Test
    void aClientWithoutTlsIsRefusedIfTheServerWouldSeeTls(@TempDir Path sockets) throws Exception {
        BlockingQueue<Boolean> requests = new LinkedBlockingQueue<>();
        ScriptedServer.Script asked = client -> {
            client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
            try {
                long flags = AuthResponse.capabilities(client.read().payload());
                requests.add(Capability.has(flags, Capability.SSL));
            } catch (IOException e) {
                requests.add(false);
            }
        };
        Path socket = sockets.resolve("s");
        for (BackendTlsConfig.BackendTlsMode mode : new BackendTlsConfig.BackendTlsMode[] {
            BackendTlsConfig.BackendTlsMode.PREFERRED, BackendTlsConfig.BackendTlsMode.REQUIRED
        }) {
            try (RelayFixture relay = new RelayFixture(
                    asked,
                    new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO)
                            .withTls(ListenerTlsConfig.of(ListenerTlsMode.PREFERRED))
                            .withSocket(socket),
                    RelayFixture.limits(100, Duration.ofSeconds(30)),
                    ProxyProtocol.OFF,
                    BackendTlsConfig.of(mode))) {
                try (Wire client = relay.connect()) {
                    client.read();
                    client.write(1, RelayFixture.response(RelayFixture.CLIENT));
                    Wire.Packet packet = client.read();
                    ServerPacket.Err error = ServerPacket.Err.decode(packet.payload());
                    assertThat(packet.sequence()).isEqualTo(2);
                    assertThat(error.code()).isEqualTo(3159);
                    assertThat(error.message()).contains("backend.tls.clear-clients is refuse");
                    assertThat(client.atEnd()).isTrue();
                    assertThat(requests.take())
                            .as("the server was asked for TLS")
                            .isFalse();
                }
                try (Wire local = Wire.connect(socket)) {
                    local.read();
                    local.write(1, RelayFixture.response(RelayFixture.CLIENT));
                    assertThat(requests.take()).as("for a local client too").isTrue();
                }
            }
        }
    }

    @Test
    void aServerWithoutRequiredTlsIsRefused() throws Exception {
        ScriptedServer.Script plain = client -> {
            client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED & ~Capability.SSL));
            assertThat(client.atEnd()).as("the password does not reach it").isTrue();
        };
        for (BackendTlsConfig.BackendTlsMode mode : new BackendTlsConfig.BackendTlsMode[] {
            BackendTlsConfig.BackendTlsMode.REQUIRED, BackendTlsConfig.BackendTlsMode.AS_CLIENT
        }) {
            try (RelayFixture relay = relay(
                            plain, ListenerTlsConfig.of(ListenerTlsMode.PREFERRED), mode, Duration.ofSeconds(30));
                    Wire wire = relay.connect();
                    SSLSocket encrypted = encrypt(wire, anybody())) {
                Wire client = new Wire(encrypted);
                client.write(2, RelayFixture.response(ASKED));
                Wire.Packet packet = client.read();
                ServerPacket.Err error = ServerPacket.Err.decode(packet.payload());
                assertThat(packet.sequence()).isEqualTo(3);
                assertThat(error.code()).isEqualTo(1158);
                assertThat(error.message())
                        .startsWith("Fanfold: ")
                        .contains("the server at 127.0.0.1:", " does not offer TLS")
                        .contains(
                                mode == BackendTlsConfig.BackendTlsMode.REQUIRED
                                        ? "(backend.tls.mode is required)"
                                        : "(backend.tls.mode is as_client; expected preferred ");
                assertThat(client.atEnd()).isTrue();
            }
        }
    }

    @Test
    void theLogSaysOnceThatClientsAreRefused() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(SessionTls.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        // the reason is not the rule that refuses clients without TLS if the server uses TLS
        try (RelayFixture relay = new RelayFixture(
                offering(ScriptedServer.OFFERED & ~Capability.SSL),
                new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO),
                RelayFixture.limits(100, PATIENCE),
                ProxyProtocol.OFF,
                BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.REQUIRED))) {
            for (int i = 0; i < 2; i++) {
                try (Wire client = relay.connect()) {
                    client.read();
                    client.write(1, RelayFixture.response(RelayFixture.CLIENT));
                    assertThat(ServerPacket.Err.decode(client.read().payload()).code())
                            .isEqualTo(1158);
                }
            }
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).hasSize(1);
        assertThat(lines.list.get(0).getLevel()).isEqualTo(Level.WARN);
        assertThat(lines.list.get(0).getFormattedMessage())
                .matches("a client is refused: the server at 127\\.0\\.0\\.1:\\d+ does not offer TLS "
                        + "\\(backend\\.tls\\.mode is required\\) \\(logged at most once a minute\\)");
    }

    @Test
    void byDefaultTlsIsOfferedExactlyIfTheServerOffersIt() throws Exception {
        ListenerTlsConfig defaults = ListenerTlsConfig.defaults();
        for (boolean offered : new boolean[] {true, false}) {
            long capabilities = offered ? ScriptedServer.OFFERED : ScriptedServer.OFFERED & ~Capability.SSL;
            try (RelayFixture relay = relay(
                            offering(capabilities), defaults, BackendTlsConfig.BackendTlsMode.DISABLED, PATIENCE);
                    Wire client = relay.connect()) {
                byte[] greeting = client.read().payload();
                assertThat(Capability.has(ServerPacket.Greeting.decode(greeting).capabilities(), Capability.SSL))
                        .isEqualTo(offered);
                client.write(1, RelayFixture.response(RelayFixture.CLIENT));
                assertThat(client.read().payload()).as("without TLS").isEqualTo(ScriptedServer.OK);
            }
        }
        try (RelayFixture relay = relay(
                        offering(ScriptedServer.OFFERED),
                        defaults,
                        BackendTlsConfig.BackendTlsMode.DISABLED,
                        PATIENCE);
                Wire plain = relay.connect();
                SSLSocket encrypted = encrypt(plain, anybody())) {
            logIn(new Wire(encrypted));
        }
    }

    /** An operator may choose TLS between clients and the proxy only. */
    @Test
    void aServerWithoutTlsServesClientsWithTlsIfItIsOnlyPreferred() throws Exception {
        for (ListenerTlsMode mode : new ListenerTlsMode[] {ListenerTlsMode.PREFERRED, ListenerTlsMode.REQUIRED}) {
            try (RelayFixture relay = new RelayFixture(
                            offering(ScriptedServer.OFFERED & ~Capability.SSL),
                            new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO).withTls(ListenerTlsConfig.of(mode)),
                            RelayFixture.limits(100, PATIENCE),
                            ProxyProtocol.OFF,
                            BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.PREFERRED));
                    Wire plain = relay.connect();
                    SSLSocket encrypted = encrypt(plain, anybody())) {
                logIn(new Wire(encrypted));
                assertThat(AuthResponse.capabilities(received.take())).isEqualTo(RelayFixture.CLIENT);
            }
            received.clear();
        }
    }

    @Test
    void aRejectedCertificateIsReportedInPlainWords() throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        TestAuthority stranger = TestAuthority.in(Files.createDirectory(folder.resolve("other")));
        TestAuthority.Pair pair = authority.sign("server");
        SSLContext shown = ((JdkSslContext) SslContextBuilder.forServer(
                                pair.certificate().toFile(), pair.key().toFile())
                        .sslProvider(SslProvider.JDK)
                        .build())
                .context();
        ScriptedServer.Script script = server -> {
            server.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
            server.read();
            try (SSLSocket encrypted = server.encrypted(shown)) {
                encrypted.setUseClientMode(false);
                assertThatThrownBy(() -> {
                            encrypted.startHandshake();
                            encrypted.getInputStream().read();
                        })
                        .isInstanceOf(IOException.class);
            }
        };
        try (RelayFixture relay = new RelayFixture(
                        script,
                        new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO),
                        RelayFixture.limits(100, PATIENCE),
                        ProxyProtocol.OFF,
                        BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.REQUIRED)
                                .withClearClients(BackendTlsConfig.ClearClients.ALLOW)
                                .with(BackendTlsConfig.Verify.VERIFY_CA, stranger.file()));
                Wire client = relay.connect()) {
            client.read();
            client.write(1, RelayFixture.response(RelayFixture.CLIENT));
            ServerPacket.Err error = ServerPacket.Err.decode(client.read().payload());
            assertThat(error.code()).isEqualTo(1158);
            assertThat(error.message())
                    .matches("Fanfold: the certificate of the server at 127\\.0\\.0\\.1:\\d+ is not accepted: "
                            + "[^:.]+ \\(backend\\.tls\\.verify is verify_ca\\)");
            assertThat(client.atEnd()).isTrue();
        }
    }

    /** Its certificate is not signed by a known authority. */
    private static SSLContext anybody() throws IOException {
        JdkSslContext context = (JdkSslContext) SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .build();
        return context.context();
    }

    @Test
    void aServerThatAnswersTheTlsRequestInClearIsRefused() throws Exception {
        ScriptedServer.Script lying = client -> {
            client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
            Wire.Packet request = client.read();
            assertThat(request.payload()).hasSize(32);
            client.raw("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            client.toEnd();
        };
        try (RelayFixture relay = relay(
                        lying,
                        ListenerTlsConfig.of(ListenerTlsMode.DISABLED),
                        BackendTlsConfig.BackendTlsMode.PREFERRED,
                        Duration.ofSeconds(30));
                Wire client = relay.connect()) {
            client.read();
            client.write(1, RelayFixture.response(RelayFixture.CLIENT));
            ServerPacket.Err error = ServerPacket.Err.decode(client.read().payload());
            assertThat(error.code()).isEqualTo(1158);
            assertThat(error.message())
                    .matches("Fanfold: the TLS handshake with the server at 127\\.0\\.0\\.1:\\d+ failed: "
                            + "the other side does not speak TLS");
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void theEndOfAnEncryptedConnectionIsSaid() throws Exception {
        try (RelayFixture relay = relay(ListenerTlsConfig.of(ListenerTlsMode.PREFERRED));
                Wire plain = relay.connect();
                SSLSocket encrypted = encrypt(plain, anybody())) {
            Wire client = new Wire(encrypted);
            logIn(client);
            relay.proxy().stop(Duration.ZERO);
            assertThat(encrypted.getInputStream().read()).as("not cut off").isEqualTo(-1);
        }
    }

    @Test
    void encryptionAskedForTwiceIsRefused() throws Exception {
        try (RelayFixture relay = relay(ListenerTlsConfig.of(ListenerTlsMode.PREFERRED));
                Wire plain = relay.connect();
                SSLSocket encrypted = encrypt(plain, anybody())) {
            Wire client = new Wire(encrypted);
            client.write(2, Arrays.copyOf(RelayFixture.response(ASKED), 32));
            assertThat(ServerPacket.Err.decode(client.read().payload()).message())
                    .contains("a second time");
        }
    }

    /** A client closes statements without waiting for an answer, and may change the user at once. */
    @Test
    void commandsBeforeAChangeOfTheUserReachTheServerFirst() throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        TestAuthority.Pair pair = authority.sign("proxy");
        byte[] close = {0x19, 1, 0, 0, 0};
        byte[] change = new PayloadWriter()
                .int1(0x11)
                .nulTerminated("other")
                .int1(0)
                .nulTerminated("")
                .int2(45)
                .nulTerminated("mysql_native_password")
                .toBytes();
        BlockingQueue<byte[]> commands = new LinkedBlockingQueue<>();
        Semaphore changes = new Semaphore(1);
        ScriptedServer.Script script = server -> {
            ScriptedServer.login(server);
            while (true) {
                byte[] command = server.read().payload();
                commands.add(command);
                if (command[0] == change[0]) {
                    changes.acquireUninterruptibly();
                    server.write(1, ScriptedServer.OK);
                    changes.release();
                } else if (command[0] != close[0]) {
                    server.write(1, ScriptedServer.OK);
                }
            }
        };
        try (RelayFixture relay = relay(
                        script,
                        ListenerTlsConfig.of(ListenerTlsMode.PREFERRED).withCertificate(pair.certificate(), pair.key()),
                        BackendTlsConfig.BackendTlsMode.DISABLED,
                        Duration.ofSeconds(30));
                Wire plain = relay.connect();
                SSLSocket encrypted = encrypt(plain, context(authority, null))) {
            Wire client = new Wire(encrypted);
            logIn(client);
            commands.take();
            client.raw(Wire.join(Wire.frame(0, close), Wire.frame(0, change)));
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(commands.take()).isEqualTo(close);
            assertThat(commands.take()).isEqualTo(change);

            // the statement arrives before the OK of the change, and stays offered after it
            byte[] split = CommandPhaseTest.query("SPLIT");
            byte[] ping = {0x0e};
            changes.acquire();
            client.write(0, change);
            assertThat(commands.take()).isEqualTo(change);
            client.write(0, split);
            try (Wire other = relay.connect()) {
                other.read(); // the relay reads the statement meanwhile
            }
            changes.release();
            ClientConnection offered = relay.dispatcher.next().client();
            client.write(0, ping);
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            offered.passThrough();
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(commands.take()).isEqualTo(split);
            assertThat(commands.take()).isEqualTo(ping);
        }
    }

    @Test
    void packetsOutOfOrderAreRefusedAsTheServerWould() throws Exception {
        try (RelayFixture relay = relay(ListenerTlsConfig.of(ListenerTlsMode.DISABLED));
                Wire client = relay.connect()) {
            client.read();
            client.write(2, RelayFixture.response(RelayFixture.CLIENT));
            Wire.Packet packet = client.read();
            assertThat(packet.sequence()).isEqualTo(3);
            assertThat(ServerPacket.Err.decode(packet.payload()).code()).isEqualTo(1156);
            assertThatThrownBy(client::read).isInstanceOf(IOException.class);
        }
    }
}

package io.fanfold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.wire.Capability;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import javax.crypto.Cipher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoginTest {
    private static final String PASSWORD = "s3crét";
    private static final byte[] OTHER_CHALLENGE = "01234567890123456789".getBytes(StandardCharsets.US_ASCII);

    /** The parsed response of the client. */
    private record Response(long capabilities, String user, byte[] answer, String plugin, String attributes) {
        static Response of(byte[] payload) throws ProtocolException {
            PayloadReader in = new PayloadReader(payload);
            long capabilities = in.int4();
            in.skip(4 + 1 + 23);
            String user = in.nulTerminatedString();
            byte[] answer = in.lenencBytes();
            return new Response(
                    capabilities,
                    user,
                    answer,
                    in.nulTerminatedString(),
                    new String(in.rest(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void answersNativePasswordAndOffersOnlyKnownCapabilities() throws Exception {
        CompletableFuture<Response> seen = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
            peer.greet(0xffffffffL, "9.7.0", "mysql_native_password");
            seen.complete(Response.of(peer.receive()));
            peer.ok();
            peer.receive();
        })) {
            try (WireConnection connection = WireConnection.open(server.settings("worker", PASSWORD))) {
                assertThat(connection.threadId()).isEqualTo(1);
                assertThat(connection.identity()).isEqualTo(new ServerIdentity("9.7.0", ServerFlavor.MYSQL, 9, 7, 0));
            }
            Response response = seen.get();
            assertThat(response.user()).isEqualTo("worker");
            assertThat(response.plugin()).isEqualTo("mysql_native_password");
            assertThat(response.attributes()).contains("program_name").contains("fanfold");
            assertThat(response.answer()).isEqualTo(nativeAnswer(FakeServer.CHALLENGE));
            long forbidden = Capability.MULTI_STATEMENTS
                    | Capability.MULTI_RESULTS
                    | Capability.LOCAL_FILES
                    | Capability.SESSION_TRACK
                    | Capability.COMPRESS
                    | Capability.SSL
                    | Capability.OPTIONAL_RESULTSET_METADATA
                    | Capability.QUERY_ATTRIBUTES;
            assertThat(response.capabilities() & forbidden).isZero();
            assertThat(response.capabilities() & Capability.DEPRECATE_EOF).isNotZero();
        }
    }

    @Test
    void answersCachingSha2WhenTheServerRemembersTheAccount() throws Exception {
        CompletableFuture<Response> seen = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
                    peer.greet(FakeServer.MODERN, "9.7.0", "caching_sha2_password");
                    seen.complete(Response.of(peer.receive()));
                    peer.send(new byte[] {1, 3});
                    peer.ok();
                    peer.receive();
                });
                WireConnection connection = WireConnection.open(server.settings("worker", PASSWORD))) {
            assertThat(connection.idle()).isTrue();
            assertThat(seen.get().answer()).isEqualTo(sha2Answer(FakeServer.CHALLENGE));
        }
    }

    @Test
    void encryptsThePasswordWhenTheServerWantsTheFullExchange() throws Exception {
        KeyPair pair = rsa();
        CompletableFuture<byte[]> secret = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
                    peer.greet(FakeServer.MODERN, "9.7.0", "caching_sha2_password");
                    peer.receive();
                    fullSha2(peer, pair, secret);
                    peer.receive();
                });
                WireConnection connection = WireConnection.open(server.settings("worker", PASSWORD))) {
            assertThat(connection.broken()).isFalse();
            assertThat(unmasked(secret.get(), pair, FakeServer.CHALLENGE)).isEqualTo(PASSWORD + "\0");
        }
    }

    @Test
    void switchesThePluginAndUsesTheNewChallenge() throws Exception {
        KeyPair pair = rsa();
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        CompletableFuture<byte[]> secret = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
                    peer.greet(FakeServer.MODERN, "9.7.0", "mysql_native_password");
                    peer.receive();
                    peer.send(switchTo("caching_sha2_password", OTHER_CHALLENGE));
                    answer.complete(peer.receive());
                    fullSha2(peer, pair, secret);
                    peer.receive();
                });
                WireConnection connection = WireConnection.open(server.settings("worker", PASSWORD))) {
            assertThat(connection.broken()).isFalse();
            assertThat(answer.get()).isEqualTo(sha2Answer(OTHER_CHALLENGE));
            assertThat(unmasked(secret.get(), pair, OTHER_CHALLENGE)).isEqualTo(PASSWORD + "\0");
        }
    }

    @Test
    void signsForMariaDbsEd25519() throws Exception {
        byte[] challenge = new byte[32];
        Arrays.fill(challenge, (byte) 7);
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
                    peer.greet(FakeServer.MODERN, "5.5.5-10.11.19-MariaDB-log", "mysql_native_password");
                    peer.receive();
                    peer.send(switchTo("client_ed25519", challenge));
                    answer.complete(peer.receive());
                    peer.ok();
                    peer.receive();
                });
                WireConnection connection = WireConnection.open(server.settings("worker", PASSWORD))) {
            assertThat(connection.identity())
                    .isEqualTo(new ServerIdentity("5.5.5-10.11.19-MariaDB-log", ServerFlavor.MARIADB, 10, 11, 19));
            assertThat(answer.get())
                    .isEqualTo(Ed25519Signature.sign(PASSWORD.getBytes(StandardCharsets.UTF_8), challenge));
        }
    }

    @Test
    void startsWithAnEmptyResponseIfTheServersDefaultPluginIsUnknown() throws Exception {
        CompletableFuture<Response> seen = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
                    peer.greet(FakeServer.MODERN, "9.7.0", "authentication_webauthn");
                    seen.complete(Response.of(peer.receive()));
                    peer.send(switchTo("mysql_native_password", OTHER_CHALLENGE));
                    peer.receive();
                    peer.ok();
                    peer.receive();
                });
                WireConnection connection = WireConnection.open(server.settings("worker", PASSWORD))) {
            assertThat(connection.broken()).isFalse();
            assertThat(seen.get().answer()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql_clear_password", "dialog", "parsec"})
    void refusesOtherPluginsByName(String plugin) throws Exception {
        CompletableFuture<Boolean> answered = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(peer -> {
            peer.greet(FakeServer.MODERN, "9.7.0", "mysql_native_password");
            peer.receive();
            peer.send(switchTo(plugin, OTHER_CHALLENGE));
            try {
                peer.receive();
                answered.complete(true);
            } catch (IOException e) {
                answered.complete(false);
            }
        })) {
            assertThatThrownBy(() -> WireConnection.open(server.settings("worker", PASSWORD)))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessageContaining(plugin)
                    .hasMessageContaining("worker");
            assertThat(answered.get()).isFalse();
        }
    }

    @Test
    void refusesTheOldestPlugin() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
            peer.greet(FakeServer.MODERN, "5.6.0", "mysql_native_password");
            peer.receive();
            peer.send(new byte[] {(byte) 0xfe});
            peer.receive();
        })) {
            assertThatThrownBy(() -> WireConnection.open(server.settings("worker", PASSWORD)))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessageContaining("mysql_old_password");
        }
    }

    @Test
    void reportsTheServersRefusalWithItsCode() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
            peer.greet(FakeServer.MODERN, "9.7.0", "mysql_native_password");
            peer.receive();
            peer.error(1045, "28000", "Access denied");
        })) {
            assertThatThrownBy(() -> WireConnection.open(server.settings("worker", PASSWORD)))
                    .isInstanceOfSatisfying(ServerException.class, e -> {
                        assertThat(e.errno()).isEqualTo(1045);
                        assertThat(e.sqlState()).isEqualTo("28000");
                        assertThat(e).hasMessage("Access denied");
                    });
        }
    }

    @Test
    void reportsARefusalInPlaceOfTheGreeting() throws Exception {
        byte[] tooMany = new PayloadWriter()
                .int1(ServerPacket.ERROR)
                .int2(1040)
                .bytes("Too many connections".getBytes(StandardCharsets.US_ASCII))
                .toBytes();
        try (FakeServer server = new FakeServer(peer -> peer.send(tooMany))) {
            assertThatThrownBy(server::open)
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(1040))
                    .hasMessage("Too many connections");
        }
    }

    @Test
    void refusesAKeyThatIsNone() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
            peer.greet(FakeServer.MODERN, "9.7.0", "caching_sha2_password");
            peer.receive();
            peer.send(new byte[] {1, 4});
            peer.receive();
            peer.send("\u0001no key".getBytes(StandardCharsets.US_ASCII));
            peer.receive();
        })) {
            assertThatThrownBy(() -> WireConnection.open(server.settings("worker", PASSWORD)))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessageContaining("RSA key");
        }
    }

    @Test
    void refusesAServerWithoutPlugins() throws Exception {
        try (FakeServer server = new FakeServer(peer -> {
            peer.greet(FakeServer.PLAIN & ~Capability.PLUGIN_AUTH, "5.1.0", "");
            peer.receive();
        })) {
            assertThatThrownBy(server::open)
                    .isInstanceOf(ProtocolException.class)
                    .hasMessageContaining("too old");
        }
    }

    private static void fullSha2(FakeServer.Peer peer, KeyPair pair, CompletableFuture<byte[]> secret)
            throws IOException {
        peer.send(new byte[] {1, 4});
        assertThat(peer.receive()).containsExactly(2);
        String pem = "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'})
                        .encodeToString(pair.getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
        peer.send(("\u0001" + pem).getBytes(StandardCharsets.US_ASCII));
        secret.complete(peer.receive());
        peer.ok();
    }

    private static KeyPair rsa() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return generator.generateKeyPair();
    }

    private static String unmasked(byte[] encrypted, KeyPair pair, byte[] challenge) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-1AndMGF1Padding");
        cipher.init(Cipher.DECRYPT_MODE, pair.getPrivate());
        byte[] bytes = cipher.doFinal(encrypted);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] ^= challenge[i % challenge.length];
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] switchTo(String plugin, byte[] challenge) {
        return new PayloadWriter()
                .int1(0xfe)
                .nulTerminated(plugin)
                .nulTerminated(challenge)
                .toBytes();
    }

    private static byte[] nativeAnswer(byte[] challenge) throws GeneralSecurityException {
        MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
        byte[] once = sha1.digest(PASSWORD.getBytes(StandardCharsets.UTF_8));
        byte[] twice = sha1.digest(once);
        sha1.update(challenge);
        return xor(once, sha1.digest(twice));
    }

    private static byte[] sha2Answer(byte[] challenge) throws GeneralSecurityException {
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        byte[] once = sha256.digest(PASSWORD.getBytes(StandardCharsets.UTF_8));
        sha256.update(sha256.digest(once));
        return xor(once, sha256.digest(challenge));
    }

    private static byte[] xor(byte[] one, byte[] other) {
        byte[] result = new byte[one.length];
        for (int i = 0; i < one.length; i++) {
            result[i] = (byte) (one[i] ^ other[i]);
        }
        return result;
    }
}

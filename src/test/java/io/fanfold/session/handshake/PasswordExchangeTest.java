package io.fanfold.session.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.session.handshake.PasswordExchange.ExchangeStep;
import io.fanfold.tls.RsaKeys;
import io.fanfold.wire.AuthResponse;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PayloadWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The steps of each plugin with secure and insecure connections on both sides, as the protocol pages describe them. */
class PasswordExchangeTest {
    private static final byte[] CHALLENGE = bytes("12345678901234567890\0");
    private static final byte[] OTHER_CHALLENGE = bytes("abcdefghijabcdefghij\0");
    private static final byte[] SCRAMBLE = new byte[32];
    private static final byte[] CLEAR = bytes("secret\0");
    private static final byte[] FULL = {1, 4};

    private static final RsaKeys OWN = keys();
    private static final RsaKeys SERVERS = keys();

    private static RsaKeys keys() {
        try {
            return RsaKeys.of(null);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static PasswordExchange exchange(boolean client, boolean server) {
        return new PasswordExchange(client, server, true, () -> OWN);
    }

    private static byte[] more(byte[] content) {
        return new PayloadWriter().int1(1).bytes(content).toBytes();
    }

    private static byte[] toServer(ExchangeStep step) throws Exception {
        ExchangeStep last =
                step instanceof ExchangeStep.Later later ? later.work().call() : step;
        assertThat(last).isInstanceOf(ExchangeStep.ToServer.class);
        return ((ExchangeStep.ToServer) last).payload();
    }

    private static byte[] toClient(ExchangeStep step) throws Exception {
        ExchangeStep last =
                step instanceof ExchangeStep.Later later ? later.work().call() : step;
        assertThat(last).isInstanceOf(ExchangeStep.ToClient.class);
        return ((ExchangeStep.ToClient) last).payload();
    }

    /** The server has no hash of the password in its cache. */
    private static PasswordExchange fullExchange(boolean client, boolean server) throws Exception {
        PasswordExchange exchange = exchange(client, server);
        assertThat(toServer(exchange.begin("caching_sha2_password", CHALLENGE, SCRAMBLE)))
                .isEqualTo(SCRAMBLE);
        ExchangeStep asked = exchange.fromServer(FULL);
        assertThat(asked).isInstanceOfSatisfying(ExchangeStep.ToClient.class, step -> {
            assertThat(step.payload()).isEqualTo(FULL);
            assertThat(step.turn()).isTrue();
        });
        return exchange;
    }

    @Test
    void clearStaysClear() throws Exception {
        PasswordExchange exchange = fullExchange(true, true);
        assertThat(toServer(exchange.fromClient(CLEAR))).isEqualTo(CLEAR);
    }

    @Test
    void theServersKeyIsRelayedToClientsWithoutEncryption() throws Exception {
        PasswordExchange exchange = fullExchange(false, false);
        assertThat(toServer(exchange.fromClient(new byte[] {2}))).isEqualTo(new byte[] {2});
        assertThat(toClient(exchange.fromServer(more(SERVERS.pem())))).isEqualTo(more(SERVERS.pem()));
        byte[] secret = RsaKeys.encrypted(CLEAR, CHALLENGE, SERVERS.pem());
        assertThat(toServer(exchange.fromClient(secret))).isEqualTo(secret);
    }

    /** Some drivers ask for the key even if they could send the password in clear text. */
    @Test
    void theServersKeyIsRelayedToClientsThatEncryptAndAskAllTheSame() throws Exception {
        PasswordExchange exchange = fullExchange(true, false);
        assertThat(toServer(exchange.fromClient(new byte[] {2}))).isEqualTo(new byte[] {2});
        assertThat(toClient(exchange.fromServer(more(SERVERS.pem())))).isEqualTo(more(SERVERS.pem()));
        byte[] secret = RsaKeys.encrypted(CLEAR, CHALLENGE, SERVERS.pem());
        assertThat(toServer(exchange.fromClient(secret))).isEqualTo(secret);
    }

    @ParameterizedTest
    @CsvSource({"caching_sha2_password, 2", "sha256_password, 1"})
    void clearIsEncryptedForAServerWithoutEncryption(String plugin, byte request) throws Exception {
        PasswordExchange exchange = exchange(true, false);
        ExchangeStep first = exchange.begin(plugin, CHALLENGE, request == 1 ? CLEAR : SCRAMBLE);
        if (request == 2) {
            toServer(first);
            toClient(exchange.fromServer(FULL));
            first = exchange.fromClient(CLEAR);
        }
        assertThat(toServer(first)).as("the request for the key").isEqualTo(new byte[] {request});
        byte[] secret = toServer(exchange.fromServer(more(SERVERS.pem())));
        assertThat(SERVERS.decrypted(secret, CHALLENGE)).isEqualTo(CLEAR);
    }

    @ParameterizedTest
    @CsvSource({"caching_sha2_password, 2, false", "sha256_password, 1, false", "caching_sha2_password, 2, true"})
    void theProxysKeyIsSentIfTheServerWantsClearText(String plugin, byte request, boolean client) throws Exception {
        PasswordExchange exchange = exchange(client, true);
        ExchangeStep first = exchange.begin(plugin, CHALLENGE, request == 1 ? new byte[] {1} : SCRAMBLE);
        if (request == 2) {
            toServer(first);
            toClient(exchange.fromServer(FULL));
            first = exchange.fromClient(new byte[] {2});
        }
        assertThat(toClient(first)).isEqualTo(more(OWN.pem()));
        assertThat(toServer(exchange.fromClient(RsaKeys.encrypted(CLEAR, CHALLENGE, OWN.pem()))))
                .isEqualTo(CLEAR);
    }

    /** The client has the proxy's key in a file. */
    @Test
    void aClientThatKnowsTheProxysKeyNeedNotAsk() throws Exception {
        PasswordExchange exchange = fullExchange(false, true);
        assertThat(toServer(exchange.fromClient(RsaKeys.encrypted(CLEAR, CHALLENGE, OWN.pem()))))
                .isEqualTo(CLEAR);
    }

    @Test
    void aClientWithTheServersKeyIsRefusedSinceItNeedsTheProxysKey() throws Exception {
        PasswordExchange exchange = fullExchange(false, true);
        ExchangeStep step = exchange.fromClient(RsaKeys.encrypted(CLEAR, CHALLENGE, SERVERS.pem()));
        assertThat(((ExchangeStep.Later) step).work().call())
                .isInstanceOfSatisfying(
                        ExchangeStep.Refuse.class,
                        refusal -> assertThat(refusal.why()).contains("the proxy's RSA key"));
    }

    @Test
    void anInvalidKeyOfTheServerIsRefused() throws Exception {
        PasswordExchange exchange = fullExchange(true, false);
        toServer(exchange.fromClient(CLEAR));
        ExchangeStep step = exchange.fromServer(more(bytes("no key")));
        assertThat(((ExchangeStep.Later) step).work().call()).isInstanceOf(ExchangeStep.Refuse.class);
    }

    /** The challenge is the one of the switch request, not the one of the greeting. */
    @ParameterizedTest
    @CsvSource({"254, sha256_password", "2, sha256_password", "254, caching_sha2_password"})
    void anotherPluginHasItsOwnChallenge(int kind, String plugin) throws Exception {
        PasswordExchange exchange = exchange(false, true);
        toServer(exchange.begin("mysql_native_password", CHALLENGE, SCRAMBLE));
        byte[] request = new PayloadWriter()
                .int1(kind)
                .nulTerminated(plugin)
                .bytes(OTHER_CHALLENGE)
                .toBytes();
        assertThat(toClient(exchange.fromServer(request))).isEqualTo(request);
        byte keyRequest = 1;
        if (plugin.startsWith("caching")) {
            assertThat(toServer(exchange.fromClient(SCRAMBLE))).isEqualTo(SCRAMBLE);
            toClient(exchange.fromServer(FULL));
            keyRequest = 2;
        }
        assertThat(toClient(exchange.fromClient(new byte[] {keyRequest}))).isEqualTo(more(OWN.pem()));
        byte[] secret = RsaKeys.encrypted(CLEAR, OTHER_CHALLENGE, OWN.pem());
        assertThat(toServer(exchange.fromClient(secret))).isEqualTo(CLEAR);
    }

    /** One factor is a password that is forwarded, the next one uses an unknown plugin. */
    @Test
    void afterThePasswordEverythingIsRelayedUnchanged() throws Exception {
        PasswordExchange exchange = fullExchange(true, false);
        toServer(exchange.fromClient(CLEAR));
        toServer(exchange.fromServer(more(SERVERS.pem())));
        byte[] next = new PayloadWriter()
                .int1(2)
                .nulTerminated("authentication_webauthn")
                .bytes(bytes("data"))
                .toBytes();
        assertThat(toClient(exchange.fromServer(next))).isEqualTo(next);
        for (byte[] packet : new byte[][] {CLEAR, {2}, {1}, {}, SCRAMBLE}) {
            assertThat(toServer(exchange.fromClient(packet))).isEqualTo(packet);
            assertThat(toClient(exchange.fromServer(more(packet)))).isEqualTo(more(packet));
        }
    }

    @Test
    void anEmptyPasswordIsNone() throws Exception {
        for (boolean client : new boolean[] {false, true}) {
            for (boolean server : new boolean[] {false, true}) {
                PasswordExchange exchange = exchange(client, server);
                assertThat(toServer(exchange.begin("sha256_password", CHALLENGE, new byte[1])))
                        .isEqualTo(new byte[1]);
            }
        }
    }

    /** The queries of MariaDB's dialog plugin begin with bytes that have another meaning for MySQL's clients. */
    @Test
    void pluginsThatAreNotKnownAreRelayed() throws Exception {
        for (boolean client : new boolean[] {false, true}) {
            for (boolean server : new boolean[] {false, true}) {
                PasswordExchange exchange = new PasswordExchange(client, server, false, () -> OWN);
                toServer(exchange.begin("dialog", CHALLENGE, new byte[0]));
                for (byte[] packet : new byte[][] {bytes("\u0004Password: "), bytes("\u0002One: "), {1, 4}, {}}) {
                    assertThat(toClient(exchange.fromServer(packet))).isEqualTo(packet);
                    assertThat(toServer(exchange.fromClient(CLEAR))).isEqualTo(CLEAR);
                }
            }
        }
    }

    /** A hash in the server's cache ends the exchange. The client's next packet is its first command. */
    @Test
    void afterTheFastWayTheClientHasNoTurn() {
        PasswordExchange exchange = exchange(false, false);
        exchange.begin("caching_sha2_password", CHALLENGE, SCRAMBLE);
        assertThat(exchange.fromServer(new byte[] {1, 3}))
                .isInstanceOfSatisfying(
                        ExchangeStep.ToClient.class,
                        step -> assertThat(step.turn()).isFalse());
    }

    @Test
    void theAnswerIsReplacedInPacketsOfEveryForm() throws Exception {
        byte[] head = new byte[AuthResponse.HEAD];
        for (long form : new long[] {Capability.PLUGIN_AUTH_LENENC_DATA, Capability.SECURE_CONNECTION, 0}) {
            for (long database : new long[] {Capability.CONNECT_WITH_DB, 0}) {
                long flags = Capability.PROTOCOL_41 | Capability.PLUGIN_AUTH | form | database;
                AuthResponse read = AuthResponse.ofHandshake(packet(head, CLEAR, form, database), flags);
                assertThat(read.plugin()).isEqualTo("sha256_password");
                assertThat(read.bytes()).isEqualTo(form == 0 ? Arrays.copyOf(CLEAR, 6) : CLEAR);
                assertThat(read.with(new byte[] {1})).isEqualTo(packet(head, new byte[] {1}, form, database));
            }
        }
        byte[] change = packet(new byte[] {0x11}, CLEAR, Capability.SECURE_CONNECTION, -1);
        AuthResponse read = AuthResponse.ofChangeUser(change, Capability.SECURE_CONNECTION | Capability.PLUGIN_AUTH);
        assertThat(read.plugin()).isEqualTo("sha256_password");
        assertThat(read.bytes()).isEqualTo(CLEAR);
        assertThat(read.with(new byte[] {1}))
                .isEqualTo(packet(new byte[] {0x11}, new byte[] {1}, Capability.SECURE_CONNECTION, -1));
    }

    private static byte[] packet(byte[] head, byte[] answer, long form, long database) {
        PayloadWriter out = new PayloadWriter().bytes(head).nulTerminated("someone");
        if (form == 0) {
            out.nulTerminated(answer[answer.length - 1] == 0 ? Arrays.copyOf(answer, answer.length - 1) : answer);
        } else {
            // both formats have one byte for such a length
            out.int1(answer.length).bytes(answer);
        }
        if (database != 0) {
            out.nulTerminated("db");
        }
        if (database == -1) {
            out.int2(45);
        }
        return out.nulTerminated("sha256_password").bytes(bytes("attributes")).toBytes();
    }
}

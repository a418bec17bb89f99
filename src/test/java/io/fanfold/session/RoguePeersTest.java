package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.ListenerConfig.ClientCompression;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Malicious clients and servers: each is refused or given up in time, and nothing of it is left. */
class RoguePeersTest {
    private static final byte[] RESPONSE = RelayFixture.response(RelayFixture.CLIENT);

    private static RelayFixture relay(ScriptedServer.Script script, ListenerConfig listener, Duration patience)
            throws Exception {
        return new RelayFixture(
                script,
                listener,
                RelayFixture.limits(100, patience),
                ProxyProtocol.OFF,
                BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.DISABLED));
    }

    private static ListenerConfig plain() {
        return new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO);
    }

    private static void nothingIsLeft(RelayFixture relay) {
        Awaitility.await().until(() -> relay.proxy().sessions() == 0);
    }

    // ---- clients ----

    @Test
    void aResponseThatAnnouncesTooManyBytesIsRefusedBeforeItArrives() throws Exception {
        try (RelayFixture relay = relay(ScriptedServer::login, plain(), Duration.ofSeconds(30));
                Wire client = relay.connect()) {
            client.read();
            client.raw(HexFormat.of().parseHex("01001001"));
            ServerPacket.Err error = ServerPacket.Err.decode(client.read().payload());
            assertThat(error.code()).isEqualTo(1043);
            assertThat(error.message()).contains("1048577 bytes");
            assertThat(client.atEnd()).isTrue();
            nothingIsLeft(relay);
        }
    }

    @Test
    void aResponseThatDoesNotEndIsGivenUp() throws Exception {
        try (RelayFixture relay = relay(ScriptedServer::login, plain(), Duration.ofMillis(300));
                Wire client = relay.connect()) {
            client.read();
            client.raw(Arrays.copyOf(Wire.frame(1, RESPONSE), 40));
            assertThat(ServerPacket.Err.decode(client.read().payload()).code()).isEqualTo(1159);
            assertThat(client.atEnd()).isTrue();
            nothingIsLeft(relay);
        }
    }

    /** Strings without an end, and lengths beyond the packet. */
    @Test
    void responsesThatCannotBeReadAreRefused() throws Exception {
        byte[] longer = RESPONSE.clone();
        // the length of the plugin's response
        longer[32 + "someone".length() + 1] = (byte) 0xfa;
        for (byte[] response : new byte[][] {longer, Arrays.copyOf(RESPONSE, 33), Arrays.copyOf(RESPONSE, 5), {}}) {
            ScriptedServer.Script script = client -> {
                client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
                assertThat(client.atEnd()).as("nothing reaches the server").isTrue();
            };
            try (RelayFixture relay = relay(script, plain(), Duration.ofSeconds(30));
                    Wire client = relay.connect()) {
                client.read();
                client.write(1, response);
                assertThat(ServerPacket.Err.decode(client.read().payload()).code())
                        .isEqualTo(1043);
                assertThat(client.atEnd()).isTrue();
                nothingIsLeft(relay);
            }
        }
    }

    @Test
    void bytesThatAreNoTlsEndTheSession() throws Exception {
        ListenerConfig listener = plain().withTls(ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED));
        try (RelayFixture relay = relay(ScriptedServer::login, listener, Duration.ofSeconds(30));
                Wire client = relay.connect()) {
            client.read();
            byte[] request = RelayFixture.response(RelayFixture.CLIENT | Capability.SSL);
            client.write(1, Arrays.copyOf(request, 32));
            client.raw("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            client.toEnd();
            nothingIsLeft(relay);
        }
    }

    @Test
    void framesThatCannotBeReadEndTheSession() throws Exception {
        for (String frame : new String[] {
            // another length than announced, no zlib, and content that is not a packet
            "0d000000ffff00789c4b4c4c4c4c4c04000b3d0290", "0400000010000061616161", "0300000000ffff616161"
        }) {
            try (RelayFixture relay = relay(
                            ScriptedServer::login,
                            plain().withCompression(ClientCompression.ON),
                            Duration.ofSeconds(30));
                    Wire client = relay.login(Capability.COMPRESS)) {
                client.raw(HexFormat.of().parseHex(frame));
                client.toEnd();
                nothingIsLeft(relay);
            }
        }
    }

    /** Bytes that it sends too early wait, but only up to a limit. */
    @Test
    void earlyPacketsOfAClientAreNotRead() throws Exception {
        ScriptedServer.Script silent = client -> {
            client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
            client.read();
            client.toEnd();
        };
        try (RelayFixture relay = relay(silent, plain(), Duration.ofMillis(500));
                Wire client = relay.connect()) {
            client.read();
            client.write(1, RESPONSE);
            byte[] chunk = new byte[1 << 20];
            int sent = 0;
            try {
                while (sent < 500) {
                    client.raw(chunk);
                    sent++;
                }
            } catch (IOException e) {
                // the proxy has closed the connection, as it should
            }
            assertThat(sent).as("mebibytes taken").isLessThan(100);
            nothingIsLeft(relay);
        }
    }

    // ---- servers ----

    @Test
    void aServerThatAsksEndlesslyIsGivenUp() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        byte[] question = new PayloadWriter()
                .int1(0xfe)
                .nulTerminated("caching_sha2_password")
                .bytes(new byte[21])
                .toBytes();
        ScriptedServer.Script endless = client -> {
            client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
            int sequence = client.read().sequence();
            while (true) {
                client.write(sequence + 1, question);
                sequence = client.read().sequence();
                asked.incrementAndGet();
            }
        };
        try (RelayFixture relay = relay(endless, plain(), Duration.ofMillis(500));
                Wire client = relay.connect()) {
            client.read();
            client.write(1, RESPONSE);
            try {
                while (true) {
                    Wire.Packet packet = client.read();
                    if (packet.first() == ServerPacket.ERROR) {
                        break;
                    }
                    client.write(packet.sequence() + 1, new byte[32]);
                }
            } catch (IOException e) {
                // the connection ends without an error packet
            }
            assertThat(asked).hasPositiveValue();
            nothingIsLeft(relay);
        }
    }

    @Test
    void aServerWithUnreadablePacketsIsRefused() throws Exception {
        for (String packet : new String[] {
            // too long, another sequence id, an OK that ends too early
            "01001002", "0100000701", "0200000200fc"
        }) {
            ScriptedServer.Script script = client -> {
                client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
                client.read();
                client.raw(HexFormat.of().parseHex(packet));
                client.toEnd();
            };
            try (RelayFixture relay = relay(script, plain(), Duration.ofSeconds(30));
                    Wire client = relay.connect()) {
                client.read();
                client.write(1, RESPONSE);
                assertThat(client.atEnd()).as(packet).isTrue();
                nothingIsLeft(relay);
            }
        }
    }

    @Test
    void aServerThatSpeaksOutOfTurnIsRefusedOrDisconnected() throws Exception {
        ScriptedServer.Script eager = client -> {
            client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
            client.write(1, ScriptedServer.OK);
            client.toEnd();
        };
        try (RelayFixture relay = relay(eager, plain(), Duration.ofSeconds(30));
                Wire client = relay.connect()) {
            Wire.Packet packet = client.read();
            // the greeting may have been relayed by then
            if (packet.first() != 10) {
                assertThat(ServerPacket.Err.decode(packet.payload()).code()).isEqualTo(1158);
            }
            assertThat(client.atEnd()).isTrue();
            nothingIsLeft(relay);
        }
    }
}

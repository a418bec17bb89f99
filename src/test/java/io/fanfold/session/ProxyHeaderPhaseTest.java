package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fanfold.config.LimitsConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.Network;
import io.fanfold.wire.ServerPacket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** PROXY protocol headers from clients. */
class ProxyHeaderPhaseTest {
    private static final byte[] TEXT = ascii("PROXY TCP4 203.0.113.7 192.168.0.11 56324 443\r\n");
    private static final byte[] BINARY =
            HexFormat.of().parseHex("0d0a0d0a000d0a515549540a2111000ccb007107c0a8000bdc0401bb");
    private static final String NOT_FROM_HERE =
            "this address may not send a PROXY protocol header (see listener.proxy-protocol-networks)";
    private static final String MISPLACED =
            "misplaced PROXY protocol header (expected: at most one, at the start of the connection)";
    private static final byte[] LOCAL = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a20000000");

    /** The first packets that the server received from its clients. */
    private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();

    private final ScriptedServer.Script greeting = client -> {
        client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
        received.add(client.read().payload());
        client.write(2, ScriptedServer.OK);
        client.read();
    };

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] response() {
        return RelayFixture.response(RelayFixture.CLIENT);
    }

    private static RelayFixture relay(ScriptedServer.Script script, String... networks) throws Exception {
        return relay(script, RelayFixture.limits(100, Duration.ofSeconds(30)), networks);
    }

    private static RelayFixture relay(ScriptedServer.Script script, LimitsConfig limits, String... networks)
            throws Exception {
        List<Network> taken = Arrays.stream(networks)
                .map(text -> Network.parse(text).orElseThrow())
                .toList();
        ListenerConfig listener = new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO).withProxyNetworks(taken);
        return new RelayFixture(script, listener, limits);
    }

    private void letIn(Wire client) throws Exception {
        assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
        assertThat(received.take()).isEqualTo(response());
    }

    @Test
    void aHeaderIsTakenBeforeTheGreetingIsThere() throws Exception {
        for (byte[] header : List.of(TEXT, BINARY, LOCAL, ascii("PROXY UNKNOWN\r\n"))) {
            CountDownLatch sent = new CountDownLatch(1);
            ScriptedServer.Script late = client -> {
                sent.await();
                greeting.run(client);
            };
            try (RelayFixture relay = relay(late, "127.0.0.0/8");
                    Wire client = relay.connect()) {
                client.raw(header);
                sent.countDown();
                client.read();
                client.write(1, response());
                letIn(client);
            }
        }
    }

    @Test
    void aHeaderIsTakenTogetherWithTheFirstPacket() throws Exception {
        for (byte[] header : List.of(TEXT, BINARY, LOCAL, ascii("PROXY UNKNOWN\r\n"))) {
            try (RelayFixture relay = relay(greeting, "10.0.0.0/8", "127.0.0.1")) {
                try (Wire client = relay.connect()) {
                    client.read();
                    client.raw(Wire.join(header, Wire.frame(1, response())));
                    letIn(client);
                }
                try (Wire client = relay.connect()) {
                    client.read();
                    for (byte part : Wire.join(header, Wire.frame(1, response()))) {
                        client.raw(new byte[] {part});
                    }
                    letIn(client);
                }
            }
        }
    }

    @Test
    void aPeerThatMaySendAHeaderNeedNot() throws Exception {
        try (RelayFixture relay = relay(greeting, "127.0.0.1");
                Wire client = relay.connect()) {
            client.read();
            client.write(1, response());
            letIn(client);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10.0.0.0/8", "::1"})
    void anyOtherPeerIsRefusedAHeader(String networks) throws Exception {
        String[] taken = networks.isEmpty() ? new String[0] : new String[] {networks};
        try (RelayFixture relay = relay(greeting, taken)) {
            for (byte[] header : List.of(TEXT, BINARY, LOCAL, ascii("PROX"))) {
                try (Wire client = relay.connect()) {
                    client.read();
                    client.raw(header);
                    refused(client, NOT_FROM_HERE);
                }
            }
        }
        assertThat(received).isEmpty();
    }

    private static void refused(Wire client, String why) throws Exception {
        Wire.Packet packet = client.read();
        assertThat(packet.sequence()).isEqualTo(2);
        ServerPacket.Err error = ServerPacket.Err.decode(packet.payload());
        assertThat(error.code()).isEqualTo(1043);
        assertThat(error.message()).isEqualTo("Bad handshake: " + why);
        assertThat(client.atEnd()).isTrue();
    }

    @Test
    void isRefusedInPlaceOfTheGreeting() throws Exception {
        try (RelayFixture relay = relay(client -> client.read());
                Wire client = relay.connect()) {
            client.raw(TEXT);
            Wire.Packet packet = client.read();
            assertThat(packet.sequence()).isZero();
            assertThat(packet.payload())
                    .isEqualTo(Wire.join(
                            new byte[] {(byte) 0xff, 0x13, 0x04}, ascii("#08S01Bad handshake: " + NOT_FROM_HERE)));
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void malformedAndEndlessHeadersAreRefused() throws Exception {
        try (RelayFixture relay = relay(greeting, "127.0.0.1")) {
            try (Wire client = relay.connect()) {
                client.read();
                client.raw(ascii("PROXY TCP4 nowhere\r\n"));
                refused(client, "the PROXY protocol header is malformed: its line is none of version 1");
            }
            try (Wire client = relay.connect()) {
                client.read();
                client.raw(ascii("PROXY UNKNOWN" + " ".repeat(200)));
                refused(client, "the PROXY protocol header is malformed: its line does not end within 107 bytes");
            }
            try (Wire client = relay.connect()) {
                client.read();
                client.raw(HexFormat.of().parseHex("0d0a0d0a000d0a515549540a2111ffff"));
                refused(client, "the PROXY protocol header is malformed: it claims 65535 bytes");
            }
        }
        assertThat(received).isEmpty();
    }

    @Test
    void anIncompleteHeaderEndsWithTheHandshakeTimeout() throws Exception {
        try (RelayFixture relay = relay(greeting, RelayFixture.limits(100, Duration.ofMillis(300)), "127.0.0.1");
                Wire client = relay.connect()) {
            client.read();
            client.raw(Arrays.copyOf(BINARY, BINARY.length - 1));
            assertThat(ServerPacket.Err.decode(client.read().payload()).code()).isEqualTo(1159);
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void aSecondHeaderIsNotRelayed() throws Exception {
        String why = MISPLACED;
        try (RelayFixture relay = relay(greeting, "127.0.0.1")) {
            for (byte[] second : List.of(TEXT, BINARY)) {
                try (Wire client = relay.connect()) {
                    client.read();
                    client.raw(Wire.join(TEXT, second, Wire.frame(1, response())));
                    refused(client, why);
                }
            }
        }
        assertThat(received).isEmpty();
    }

    @Test
    void aHeaderInTheMiddleOfTheLoginIsNotRelayed() throws Exception {
        BlockingQueue<Integer> relayed = new LinkedBlockingQueue<>();
        ScriptedServer.Script asking = client -> {
            client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
            client.read();
            client.write(2, new byte[] {1, 3});
            relayed.add(client.toEnd().length);
        };
        try (RelayFixture relay = relay(asking);
                Wire client = relay.connect()) {
            client.read();
            client.write(1, response());
            client.read();
            for (byte part : TEXT) {
                client.raw(new byte[] {part});
            }
            Wire.Packet packet = client.read();
            assertThat(packet.sequence()).isEqualTo(4);
            assertThat(ServerPacket.Err.decode(packet.payload()).message()).isEqualTo("Bad handshake: " + MISPLACED);
            assertThat(relayed.take())
                    .as("too few bytes to be taken for a header")
                    .isLessThan(4);
        }
    }

    @Test
    void theLogNamesTheClient() throws Exception {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                lines.add(event.getFormattedMessage());
            }
        };
        Logger logger = (Logger) LoggerFactory.getLogger(ClientSession.class);
        Level before = logger.getLevel();
        appender.start();
        logger.setLevel(Level.DEBUG);
        logger.setAdditive(false);
        logger.addAppender(appender);
        try (RelayFixture relay = relay(greeting, "127.0.0.1");
                Wire client = relay.connect()) {
            client.read();
            client.raw(Wire.join(BINARY, Wire.frame(1, response())));
            letIn(client);
            assertThat(lines.poll(20, TimeUnit.SECONDS))
                    .startsWith("client /203.0.113.7:56324 by /127.0.0.1:")
                    .contains(" is connected as server thread " + ScriptedServer.THREAD_ID);
        } finally {
            logger.detachAppender(appender);
            logger.setAdditive(true);
            logger.setLevel(before);
        }
        assertThat(lines.poll(20, TimeUnit.SECONDS)).startsWith("session of /203.0.113.7:56324 by /127.0.0.1:");
    }
}

package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.session.channel.SessionCompression;
import io.fanfold.wire.Capability;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ConnectionPhaseTest {
    private static final ScriptedServer.Script SILENT = client -> client.read();

    @Test
    void theGreetingLosesOnlyTheBitsThatWouldHideTheCommands() throws Exception {
        byte[] greeting = ScriptedServer.greeting(ScriptedServer.OFFERED);
        try (RelayFixture relay = new RelayFixture(ScriptedServer::login);
                Wire client = relay.connect()) {
            byte[] seen = client.read().payload();
            long hidden = Capability.SSL | Capability.COMPRESS | Capability.ZSTD_COMPRESSION;
            assertThat(ServerPacket.Greeting.decode(seen).capabilities()).isEqualTo(ScriptedServer.OFFERED & ~hidden);
            int differing = 0;
            for (int i = 0; i < greeting.length; i++) {
                differing += Integer.bitCount((greeting[i] ^ seen[i]) & 0xff);
            }
            assertThat(seen).hasSameSizeAs(greeting);
            assertThat(differing).isEqualTo(3);
        }
    }

    /** If a client's TLS ends at the server, its compression does too. */
    @Test
    void theServersCompressionIsOfferedToItsOwnClients() throws Exception {
        ListenerConfig listener = new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO)
                .withTls(ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PASSTHROUGH))
                .withCompression(ListenerConfig.ClientCompression.ON);
        for (long offered : new long[] {0, Capability.COMPRESS, Capability.ZSTD_COMPRESSION, SessionCompression.ALL}) {
            long capabilities = ScriptedServer.OFFERED & ~SessionCompression.ALL | offered;
            ScriptedServer.Script script = client -> {
                client.write(0, ScriptedServer.greeting(capabilities));
                client.read();
            };
            try (RelayFixture relay =
                            new RelayFixture(script, listener, RelayFixture.limits(10, Duration.ofSeconds(30)));
                    Wire client = relay.connect()) {
                assertThat(ServerPacket.Greeting.decode(client.read().payload()).capabilities())
                        .isEqualTo(capabilities);
            }
        }
    }

    @Test
    void relaysAnExchangeOfAnyLengthByteForByte() throws Exception {
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        byte[][] queries = {{(byte) 0xfe, 'x', 0, 1, 2}, {1, 4}, {1, 0, 0, 7}, {2, 'y'}};
        ScriptedServer.Script script = client -> {
            client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
            received.add(client.read().payload());
            int sequence = 2;
            for (byte[] question : queries) {
                client.write(sequence, question);
                received.add(client.read().payload());
                sequence += 2;
            }
            client.write(sequence, ScriptedServer.OK);
            client.read();
            client.write(1, ScriptedServer.OK);
            client.read();
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.connect()) {
            client.read();
            byte[] response = RelayFixture.response(RelayFixture.CLIENT);
            client.write(1, response);
            assertThat(received.take()).isEqualTo(response);
            int sequence = 2;
            for (byte[] question : queries) {
                Wire.Packet packet = client.read();
                assertThat(packet.payload()).isEqualTo(question);
                assertThat(packet.sequence()).isEqualTo(sequence);
                byte[] answer = {0, (byte) sequence, 0x16, 0x03};
                client.write(sequence + 1, answer);
                assertThat(received.take()).isEqualTo(answer);
                sequence += 2;
            }
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
            client.write(0, new byte[] {0x0e});
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
        }
    }

    @Test
    void aResponseInPiecesIsUnderstood() throws Exception {
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        ScriptedServer.Script script = client -> {
            client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
            received.add(client.read().payload());
            client.write(2, ScriptedServer.OK);
            client.read();
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.connect()) {
            client.read();
            byte[] response = RelayFixture.response(RelayFixture.CLIENT);
            for (byte part : Wire.frame(1, response)) {
                client.raw(new byte[] {part});
            }
            assertThat(received.take()).isEqualTo(response);
            assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
        }
    }

    @Test
    void aRefusedLoginIsTheServers() throws Exception {
        byte[] error = new ServerPacket.Err(1045, "28000", "Access denied").encode();
        ScriptedServer.Script script = client -> {
            client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
            client.read();
            client.write(2, error);
        };
        try (RelayFixture relay = new RelayFixture(script);
                Wire client = relay.connect()) {
            client.read();
            client.write(1, RelayFixture.response(RelayFixture.CLIENT));
            assertThat(client.read().payload()).isEqualTo(error);
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void theServersEarlyErrorIsRelayedAsItIs() throws Exception {
        byte[] error = {(byte) 0xff, 0x10, 0x04, 'T', 'o', 'o', ' ', 'm', 'a', 'n', 'y'};
        try (RelayFixture relay = new RelayFixture(client -> client.write(0, error));
                Wire client = relay.connect()) {
            assertThat(client.toEnd()).isEqualTo(Wire.frame(0, error));
        }
    }

    @Test
    void aRefusedConnectionIsAnErrorInPlaceOfTheGreeting() throws Exception {
        int nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = socket.getLocalPort();
        }
        assertThat(firstError("127.0.0.1", nobody))
                .isEqualTo("Fanfold: cannot connect to the server at 127.0.0.1:" + nobody + ": connection refused");
    }

    @Test
    void anUnknownHostIsNamed() throws Exception {
        assertThat(firstError("no-such-host.invalid", 3306))
                .isEqualTo("Fanfold: cannot connect to the server at no-such-host.invalid:3306: unknown host");
    }

    /** Linux does not answer a connection if the accept queue is full. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aServerThatDoesNotAnswerIsGivenUp() throws Exception {
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 8; i++) {
                SocketChannel channel = SocketChannel.open();
                waiting.add(channel);
                channel.configureBlocking(false);
                channel.connect(busy.getLocalSocketAddress());
            }
            assertThat(firstError("127.0.0.1", busy.getLocalPort(), Duration.ofMillis(300)))
                    .isEqualTo("Fanfold: cannot connect to the server at 127.0.0.1:" + busy.getLocalPort()
                            + ": timed out after 300ms");
        } finally {
            for (SocketChannel channel : waiting) {
                channel.close();
            }
        }
    }

    private static String firstError(String host, int port) throws IOException, InterruptedException {
        return firstError(host, port, Duration.ofSeconds(5));
    }

    private static String firstError(String host, int port, Duration connectTimeout)
            throws IOException, InterruptedException {
        BackendConfig backend = PlainProxy.before(host, port).withConnectTimeout(connectTimeout);
        try (PlainProxy proxy =
                        PlainProxy.start(PlainProxy.config(PlainProxy.anyPort(), backend), new RecordingDispatcher());
                Wire client = Wire.connect(proxy.port())) {
            Wire.Packet packet = client.read();
            ServerPacket.Err error = ServerPacket.Err.decode(packet.payload());
            assertThat(packet.sequence()).isZero();
            assertThat(error.code()).isEqualTo(1158);
            assertThat(error.sqlState())
                    .as("of class 08, so that drivers try another host")
                    .isEqualTo("08S01");
            assertThat(client.atEnd()).isTrue();
            return error.message();
        }
    }

    @Test
    void tlsAndCompressionThatWereNotOfferedAreRefused() throws Exception {
        for (long asked : new long[] {Capability.SSL, Capability.COMPRESS, Capability.ZSTD_COMPRESSION}) {
            ScriptedServer.Script script = client -> {
                client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
                assertThat(client.atEnd()).as("nothing reaches the server").isTrue();
            };
            try (RelayFixture relay = new RelayFixture(script);
                    Wire client = relay.connect()) {
                client.read();
                byte[] response = RelayFixture.response(RelayFixture.CLIENT | asked);
                client.write(1, asked == Capability.SSL ? Arrays.copyOf(response, 32) : response);
                Wire.Packet packet = client.read();
                ServerPacket.Err error = ServerPacket.Err.decode(packet.payload());
                assertThat(packet.sequence()).isEqualTo(2);
                assertThat(error.code()).isEqualTo(1043);
                assertThat(error.sqlState()).isEqualTo("08S01");
                assertThat(error.message()).contains("not offered");
                assertThat(client.atEnd()).isTrue();
            }
        }
    }

    @Test
    void aServerThatDoesNotGreetIsGivenUp() throws Exception {
        try (RelayFixture relay = new RelayFixture(SILENT, RelayFixture.limits(10, Duration.ofMillis(300)));
                Wire client = relay.connect()) {
            ServerPacket.Err error = ServerPacket.Err.decode(client.read().payload());
            assertThat(error.code()).isEqualTo(1159);
            assertThat(error.message()).contains("no greeting within 300 ms");
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void aClientThatDoesNotAnswerIsGivenUp() throws Exception {
        try (RelayFixture relay =
                        new RelayFixture(ScriptedServer::login, RelayFixture.limits(10, Duration.ofMillis(300)));
                Wire client = relay.connect()) {
            client.read();
            Wire.Packet packet = client.read();
            assertThat(packet.sequence()).isEqualTo(1);
            assertThat(ServerPacket.Err.decode(packet.payload()).code()).isEqualTo(1159);
            assertThat(client.atEnd()).isTrue();
        }
    }

    /** Only the greeting shows that a server serves clients. */
    @Test
    void aServerThatDoesNotGreetCountsAsAFailure() throws Exception {
        byte[] blocked = new ServerPacket.Err(1129, "HY000", "Host is blocked").encode();
        for (ScriptedServer.Script script : List.<ScriptedServer.Script>of(
                SILENT, server -> server.write(0, blocked), server -> server.raw(new byte[] {1}), server -> {})) {
            try (RelayFixture relay = new RelayFixture(script, RelayFixture.limits(10, Duration.ofMillis(300)));
                    Wire client = relay.connect()) {
                client.read();
                assertThat(relay.serverConnections).containsExactly(false);
            }
        }
        try (RelayFixture relay = new RelayFixture(ScriptedServer::login);
                Wire client = relay.login(0)) {
            assertThat(relay.serverConnections).containsExactly(true);
        }
    }

    @Test
    void aServerThatDoesNotEndTheLoginIsGivenUp() throws Exception {
        try (RelayFixture relay = new RelayFixture(
                        server -> {
                            server.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
                            server.read();
                            server.read();
                        },
                        RelayFixture.limits(10, Duration.ofMillis(300)));
                Wire client = relay.connect()) {
            client.read();
            client.write(1, RelayFixture.response(RelayFixture.CLIENT));
            Wire.Packet packet = client.read();
            assertThat(packet.sequence()).isEqualTo(2);
            assertThat(ServerPacket.Err.decode(packet.payload()).code()).isEqualTo(1159);
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void aClientThatSpeaksFirstIsRefused() throws Exception {
        try (RelayFixture relay = new RelayFixture(SILENT);
                Wire client = relay.connect()) {
            client.raw("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(ServerPacket.Err.decode(client.read().payload()).code()).isEqualTo(1043);
            assertThat(client.atEnd()).isTrue();
        }
    }

    @Test
    void aServerOfAnotherProtocolIsNamed() throws Exception {
        for (byte[] nonsense : new byte[][] {
            "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
            {1, 0, 0, 0, 9},
            {0, 0, 0, 0},
            {3, 0, 0, 0, 10, 'x', 0}
        }) {
            try (RelayFixture relay = new RelayFixture(client -> client.raw(nonsense));
                    Wire client = relay.connect()) {
                ServerPacket.Err error = ServerPacket.Err.decode(client.read().payload());
                assertThat(error.code()).isEqualTo(1158);
                assertThat(client.atEnd()).isTrue();
            }
        }
    }

    @Test
    void aServerCutAnywhereInTheConnectionPhaseNeverHangsTheClient() throws Exception {
        byte[] greeting = Wire.frame(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
        byte[] ok = Wire.frame(2, ScriptedServer.OK);
        BlockingQueue<Integer> cuts = new LinkedBlockingQueue<>();
        ScriptedServer.Script script = client -> {
            int cut = cuts.take();
            client.raw(Arrays.copyOf(greeting, Math.min(cut, greeting.length)));
            if (cut >= greeting.length) {
                client.read();
                client.raw(Arrays.copyOf(ok, cut - greeting.length));
            }
        };
        try (RelayFixture relay = new RelayFixture(script)) {
            for (int cut = 0; cut < greeting.length + ok.length; cut++) {
                cuts.add(cut);
                try (Wire client = relay.connect()) {
                    if (cut < greeting.length) {
                        assertThat(ServerPacket.Err.decode(client.read().payload())
                                        .code())
                                .isEqualTo(1158);
                    } else {
                        client.read();
                        client.write(1, RelayFixture.response(RelayFixture.CLIENT));
                    }
                    byte[] rest = client.toEnd();
                    if (cut == greeting.length) {
                        assertThat(rest).as("no error, as from a server").isEmpty();
                    }
                }
            }
        }
    }

    @Test
    void oneClientTooManyGetsAnError() throws Exception {
        try (RelayFixture relay =
                        new RelayFixture(ScriptedServer::login, RelayFixture.limits(1, Duration.ofSeconds(30)));
                Wire first = relay.connect()) {
            first.read();
            try (Wire second = relay.connect()) {
                Wire.Packet packet = second.read();
                assertThat(ServerPacket.Err.decode(packet.payload()).code()).isEqualTo(1040);
                assertThat(second.atEnd()).isTrue();
            }
            first.close();
            Awaitility.await().until(() -> relay.proxy().sessions() == 0);
            try (Wire third = relay.connect()) {
                assertThat(third.read().first()).isEqualTo(10);
            }
        }
    }

    @Test
    void aClientThatLeavesTakesItsBackendConnectionAlong() throws Exception {
        BlockingQueue<Boolean> ended = new LinkedBlockingQueue<>();
        ScriptedServer.Script script = client -> {
            client.write(0, ScriptedServer.greeting(ScriptedServer.OFFERED));
            ended.add(client.atEnd());
        };
        try (RelayFixture relay = new RelayFixture(script)) {
            Wire client = relay.connect();
            client.read();
            client.close();
            assertThat(ended.take()).isTrue();
        }
    }
}

package io.fanfold.it.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendConfig.ServerCompression;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.BinaryClient.Answer;
import io.fanfold.it.support.client.BinaryClient.Parameter;
import io.fanfold.it.support.client.BinaryClient.Prepared;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Payloads of the maximum packet length and longer, in both directions. The two sides of the proxy are encrypted and
 * compressed, equally or not. The results are the same as direct on the server.
 */
@AllServers
class LongPacketsIT {
    private static final List<Integer> LENGTHS = List.of(
            PacketCodec.MAX_PAYLOAD - 1,
            PacketCodec.MAX_PAYLOAD,
            PacketCodec.MAX_PAYLOAD + 1,
            2 * PacketCodec.MAX_PAYLOAD);

    /** Lengths for combinations that need little testing: one that fills its packets, and one just above. */
    private static final List<Integer> FEW = List.of(PacketCodec.MAX_PAYLOAD, PacketCodec.MAX_PAYLOAD + 1);

    private static final int VAR_STRING = 253;
    private static final int BLOB = 252;

    /** The length prefix of a length-encoded string of 2^24 bytes or more. */
    private static final int LONG_HEAD = 9;

    private final TestServer server;

    LongPacketsIT(TestServer server) throws Exception {
        this.server = server;
        try (WireConnection admin = admin()) {
            admin.execute("CREATE USER IF NOT EXISTS '" + BinaryClient.USER + "'@'%' IDENTIFIED BY ''");
            admin.execute("GRANT ALL ON *.* TO '" + BinaryClient.USER + "'@'%'");
        }
    }

    private WireConnection admin() throws Exception {
        return ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword());
    }

    /**
     * How the two sides of a proxy are connected.
     *
     * @param client capabilities in addition to the usual ones
     */
    private record Ways(long client, BackendTlsConfig.BackendTlsMode tls, ServerCompression compression) {
        static final Ways PLAIN = new Ways(0, BackendTlsConfig.BackendTlsMode.DISABLED, ServerCompression.OFF);

        static List<Ways> all(TestServer server) {
            List<Ways> all = new ArrayList<>(List.of(
                    PLAIN,
                    new Ways(Capability.SSL, BackendTlsConfig.BackendTlsMode.DISABLED, ServerCompression.OFF),
                    new Ways(
                            Capability.COMPRESS, BackendTlsConfig.BackendTlsMode.DISABLED, ServerCompression.AS_CLIENT),
                    new Ways(Capability.COMPRESS, BackendTlsConfig.BackendTlsMode.DISABLED, ServerCompression.OFF),
                    new Ways(0, BackendTlsConfig.BackendTlsMode.DISABLED, ServerCompression.ZLIB)));
            if (server.kind() == ServerFlavor.MYSQL) {
                all.addAll(List.of(
                        new Ways(
                                Capability.ZSTD_COMPRESSION,
                                BackendTlsConfig.BackendTlsMode.DISABLED,
                                ServerCompression.AS_CLIENT),
                        new Ways(Capability.COMPRESS, BackendTlsConfig.BackendTlsMode.DISABLED, ServerCompression.ZSTD),
                        new Ways(0, BackendTlsConfig.BackendTlsMode.REQUIRED, ServerCompression.OFF),
                        new Ways(
                                Capability.SSL | Capability.ZSTD_COMPRESSION,
                                BackendTlsConfig.BackendTlsMode.REQUIRED,
                                ServerCompression.ZLIB)));
            }
            return all;
        }

        /** Without encryption and compression, and with both on both sides. Only MySQL tests have the latter. */
        static List<Ways> noneAndAll(TestServer server) {
            return all(server).stream().filter(Ways::noneOrAll).toList();
        }

        /**
         * Whether the length is tested here. All lengths are tested without encryption, and with every feature on both
         * sides; otherwise those two.
         */
        boolean tested(int length) {
            return noneOrAll() || FEW.contains(length);
        }

        boolean noneOrAll() {
            return equals(PLAIN) || client == (Capability.SSL | Capability.ZSTD_COMPRESSION);
        }

        long capabilities() {
            return BinaryClient.USUAL | client;
        }

        PlainProxy proxy(TestServer server) throws Exception {
            return PlainProxy.start(
                    PlainProxy.anyPort()
                            .withTls(ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED))
                            .withCompression(ListenerConfig.ClientCompression.ON),
                    PlainProxy.before(server)
                            .withTls(BackendTlsConfig.of(tls).withClearClients(BackendTlsConfig.ClearClients.ALLOW))
                            .withCompression(compression));
        }
    }

    /** Returns as lines what a client sees of a payload of that length. */
    private interface Scenario {
        String run(BinaryClient client, int length) throws Exception;
    }

    private void assertSame(List<Integer> lengths, Scenario scenario) throws Exception {
        assertSame(lengths, Ways.all(server), scenario);
    }

    private void assertSame(List<Integer> lengths, List<Ways> all, Scenario scenario) throws Exception {
        List<String> expected = new ArrayList<>();
        for (int length : lengths) {
            try (BinaryClient direct = new BinaryClient(server.host(), server.port(), BinaryClient.USUAL)) {
                expected.add(scenario.run(direct, length));
            }
        }
        for (Ways ways : all) {
            try (PlainProxy proxy = ways.proxy(server)) {
                for (int i = 0; i < lengths.size(); i++) {
                    if (ways.tested(lengths.get(i))) {
                        assertSame(ways, proxy, scenario, lengths.get(i), expected.get(i));
                    }
                }
            }
        }
    }

    private static void assertSame(Ways ways, PlainProxy proxy, Scenario scenario, int length, String expected)
            throws Exception {
        try (BinaryClient client = new BinaryClient("127.0.0.1", proxy.port(), ways.capabilities())) {
            assertThat(client.capabilities() & ways.client()).isEqualTo(ways.client());
            assertThat(scenario.run(client, length))
                    .as("%s bytes, %s", length, ways)
                    .isEqualTo(expected);
        }
    }

    private static String shown(Answer answer) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        long bytes = 0;
        for (List<byte[]> packets : List.of(answer.definitions(), answer.rows(), answer.others())) {
            for (byte[] packet : packets) {
                digest.update(packet);
                bytes += packet.length;
            }
        }
        // if the server compresses, sequence ids count frames and differ from run to run
        assertThat(answer.failed()).isFalse();
        return answer.rows().size() + " rows, " + bytes + " bytes, "
                + HexFormat.of().formatHex(digest.digest());
    }

    /** The number of repetitions of each word in the filler. */
    private static final int REPEATED = 8;

    /** Text that compresses to some mebibytes. It compresses fast because words repeat. */
    private static final String FILLER = IntStream.rangeClosed(0, PacketCodec.MAX_PAYLOAD / 3 / REPEATED)
            .mapToObj(i -> String.format(Locale.ROOT, "%06x", i * 2_654_435_761L >>> 8 & 0xffffff)
                    .repeat(REPEATED))
            .collect(Collectors.joining());

    static String filler(int length) {
        return FILLER.substring(0, length);
    }

    private static String ping(BinaryClient client) throws IOException {
        return ", then " + HexFormat.of().formatHex(client.single(new byte[] {CommandCode.PING}));
    }

    @Test
    void commands() throws Exception {
        assertSame(LENGTHS, (client, length) -> {
            String head = "SELECT SHA2('";
            String tail = "', 256)";
            String text = filler(length - 1 - head.length() - tail.length());
            return shown(client.query(head + text + tail)) + ping(client);
        });
    }

    @Test
    void answers() throws Exception {
        assertSame(LENGTHS, (client, length) -> {
            int characters = length - (length - 4 < 1 << 24 ? 4 : LONG_HEAD);
            Answer answer = client.query("SELECT REPEAT('12345678abcdefg', " + (characters / 15 + 1) + ") INTO @x");
            assertThat(answer.failed()).isFalse();
            answer = client.query("SELECT LEFT(@x, " + characters + ")");
            assertThat(answer.rows().get(0)).hasSize(length);
            return shown(answer) + ping(client);
        });
    }

    private static byte[] execution(BinaryClient client, long id, int length) {
        int around = client.execution(id, 0, true, List.of(parameter(""))).length - 1;
        int characters = length - around - 4;
        String value = filler(characters < 1 << 24 ? characters : length - around - LONG_HEAD);
        return client.execution(id, 0, true, List.of(parameter(value)));
    }

    private static Parameter parameter(String value) {
        return new Parameter(VAR_STRING, new PayloadWriter().lenencString(value).toBytes());
    }

    /**
     * Executions with values of that length, and answers that contain them. {@link #commands} and {@link #answers} test all
     * ways in each direction.
     */
    @Test
    void executions() throws Exception {
        assertSame(LENGTHS, Ways.noneAndAll(server), (client, length) -> {
            Prepared prepared = client.prepare("SELECT ?");
            byte[] execution = execution(client, prepared.id(), length);
            assertThat(execution).hasSize(length);
            client.write(0, execution);
            return shown(client.answer()) + ping(client);
        });
    }

    @Test
    void valuesInCommandsOfTheirOwn() throws Exception {
        assertSame(LENGTHS, Ways.noneAndAll(server), (client, length) -> {
            Prepared prepared = client.prepare("SELECT SHA2(?, 256)");
            byte[] value = filler(length - 7).getBytes(StandardCharsets.US_ASCII);
            for (int part = 0; part < (length == FEW.get(0) ? 2 : 1); part++) {
                client.send(
                        CommandCode.STMT_SEND_LONG_DATA,
                        prepared.id(),
                        new PayloadWriter().int2(0).bytes(value).toBytes());
            }
            return shown(client.execute(prepared.id(), List.of(new Parameter(BLOB, new byte[0])))) + ping(client);
        });
    }

    /** Commands longer than the server accepts. */
    @Test
    void tooLongCommands() throws Exception {
        String before;
        try (WireConnection admin = admin()) {
            before = String.valueOf(admin.query("SELECT @@GLOBAL.max_allowed_packet")
                    .rows()
                    .get(0)
                    .ascii(0));
            admin.execute("SET GLOBAL max_allowed_packet = 1048576");
        }
        try {
            assertSame(List.of(1_048_577, PacketCodec.MAX_PAYLOAD + 2), (client, length) -> {
                assertThat(client.query("SELECT 1").failed()).isFalse();
                return refusal(client, filler(length));
            });
        } finally {
            try (WireConnection admin = admin()) {
                admin.execute("SET GLOBAL max_allowed_packet = " + before);
            }
        }
    }

    /**
     * The server closes the connection while the client is still sending. The client still reads the error sent before.
     */
    private static String refusal(BinaryClient client, String text) throws Exception {
        try {
            client.sendQuery("SELECT '" + text + "'");
        } catch (IOException e) {
            assertThat(e.toString()).containsAnyOf("ended", "reset", "Broken pipe", "SSLException");
        }
        ServerPacket.Err error = ServerPacket.Err.decode(client.read());
        return error.code() + " " + error.sqlState() + " " + error.message();
    }
}

package io.fanfold.it.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendConfig.ServerCompression;
import io.fanfold.execute.ClientConnection;
import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.execute.FanOutRequest;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Clients without compression, on compressed server connections. There the server continues the frames' sequence ids in
 * the packets. The client counts packets, and disconnects at an unexpected id.
 */
@AllServers
class CompressedServerIT {
    private static final long CAPABILITIES =
            BinaryClient.USUAL | Capability.LOCAL_FILES | Capability.MULTI_STATEMENTS | Capability.PS_MULTI_RESULTS;

    private final TestServer server;
    private final BlockingQueue<Object> replies = new LinkedBlockingQueue<>();

    CompressedServerIT(TestServer server) throws Exception {
        this.server = server;
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            admin.execute("CREATE USER IF NOT EXISTS '" + BinaryClient.USER + "'@'%' IDENTIFIED BY ''");
            admin.execute("GRANT ALL ON *.* TO '" + BinaryClient.USER + "'@'%'");
            admin.execute("SET GLOBAL local_infile = 1");
            admin.execute("SET GLOBAL max_allowed_packet = 67108864");
            admin.execute("DROP DATABASE IF EXISTS compressed_it");
            admin.execute("CREATE DATABASE compressed_it");
            admin.execute("CREATE TABLE compressed_it.t (a INT, b VARCHAR(200))");
            admin.execute("CREATE PROCEDURE compressed_it.several()"
                    + " BEGIN SELECT 1 UNION SELECT 2; SELECT 3; UPDATE compressed_it.t SET a = a; END");
        }
    }

    /** Runs a long preflight query for each pending statement, then passes it through. */
    private final class AskingSplitter implements FanOutDispatcher {
        @Override
        public Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema) {
            return new String(sql, offset, length, StandardCharsets.UTF_8).contains("held")
                    ? Optional.empty()
                    : Optional.of(Reason.NOT_A_SELECT);
        }

        @Override
        public void submit(FanOutRequest offer) {
            ClientConnection port = offer.client();
            byte[] question =
                    ("SELECT LENGTH('" + LongPacketsIT.filler(3_000_000) + "')").getBytes(StandardCharsets.US_ASCII);
            var unused = port.ask(List.of(new Command.ClientQuery(question), new Command.Prepare(question)))
                    .whenComplete((answers, failure) -> {
                        replies.add(failure == null ? answers : failure);
                        if (failure == null) {
                            port.passThrough();
                        }
                    });
        }

        @Override
        public void killed(long backendThreadId) {}
    }

    /** A client's actions. It records each packet that it receives, with its sequence id. */
    private interface Scenario {
        void run(BinaryClient client, List<String> seen) throws Exception;
    }

    private void assertSame(Scenario scenario) throws Exception {
        List<String> direct = seen(server.host(), server.port(), scenario);
        List<ServerCompression> ways = server.kind() == ServerFlavor.MYSQL
                ? List.of(ServerCompression.OFF, ServerCompression.ZLIB, ServerCompression.ZSTD)
                : List.of(ServerCompression.OFF, ServerCompression.ZLIB);
        for (ServerCompression way : ways) {
            try (PlainProxy proxy = PlainProxy.start(
                    PlainProxy.config(
                            PlainProxy.anyPort(), PlainProxy.before(server).withCompression(way)),
                    new AskingSplitter())) {
                assertThat(seen("127.0.0.1", proxy.port(), scenario))
                        .as("%s", way)
                        .isEqualTo(direct);
            }
        }
    }

    private static List<String> seen(String host, int port, Scenario scenario) throws Exception {
        List<String> seen = new ArrayList<>();
        try (BinaryClient client = new BinaryClient(host, port, CAPABILITIES)) {
            client.write(0, query("USE compressed_it"));
            note(client, seen);
            scenario.run(client, seen);
            client.write(0, new byte[] {CommandCode.PING});
            note(client, seen);
        }
        return seen;
    }

    private static byte[] query(String sql) {
        return ("\u0003" + sql).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] note(BinaryClient client, List<String> seen) throws Exception {
        byte[] packet = client.read();
        seen.add(client.sequence() + ": " + packet.length + " bytes, first " + (packet[0] & 0xff));
        return packet;
    }

    /** Records the packets of an answer, as many as the server sends directly. */
    private static void notes(BinaryClient client, List<String> seen, int packets) throws Exception {
        for (int i = 0; i < packets; i++) {
            note(client, seen);
        }
    }

    @Test
    void severalResults() throws Exception {
        assertSame((client, seen) -> {
            client.write(0, query("CALL several()"));
            // two results, each with definitions and rows, plus the procedure's own result
            notes(client, seen, 6 + 5 + 1);
            client.write(0, query("SELECT 1; DO 1; SELECT missing; SELECT 2"));
            notes(client, seen, 5 + 1 + 1);
        });
    }

    @Test
    void longCommands() throws Exception {
        assertSame((client, seen) -> {
            for (int length : List.of(200_000, 1_000_000, PacketCodec.MAX_PAYLOAD, PacketCodec.MAX_PAYLOAD + 9)) {
                String sql = "SELECT LENGTH('" + LongPacketsIT.filler(length - 18) + "')";
                client.write(0, query(sql));
                notes(client, seen, 5);
            }
        });
    }

    @Test
    void longAnswers() throws Exception {
        assertSame((client, seen) -> {
            for (int length : List.of(1_000_000, PacketCodec.MAX_PAYLOAD - 4, PacketCodec.MAX_PAYLOAD + 9)) {
                client.write(0, query("SELECT REPEAT('abcdefghij', " + length / 10 + ")"));
                notes(client, seen, 5);
            }
        });
    }

    @Test
    void filesOfTheClient() throws Exception {
        byte[] lines = "1\tsome text that is loaded\n".repeat(2_000).getBytes(StandardCharsets.US_ASCII);
        assertSame((client, seen) -> {
            client.write(0, query("TRUNCATE t"));
            note(client, seen);
            for (int count : List.of(0, 3, 20, 300)) {
                client.write(0, query("LOAD DATA LOCAL INFILE 'x' INTO TABLE t; SELECT COUNT(*) FROM t"));
                note(client, seen);
                for (int i = 0; i < count; i++) {
                    client.write(client.sequence() + 1 & 0xff, lines);
                }
                client.write(client.sequence() + 1 & 0xff, new byte[0]);
                notes(client, seen, 6);
            }
        });
    }

    /** Commands sent before the answers to earlier ones arrive. */
    @Test
    void pipelinedCommands() throws Exception {
        assertSame((client, seen) -> {
            for (int i = 0; i < 3; i++) {
                client.write(0, query("CALL several()"));
                client.write(0, new byte[] {CommandCode.PING});
                client.write(0, query("SELECT LENGTH('" + LongPacketsIT.filler(400_000) + "')"));
                client.write(0, new byte[] {CommandCode.PING});
            }
            notes(client, seen, 3 * (12 + 1 + 5 + 1));
        });
    }

    /** Answers to preflight queries have such ids too. */
    @Test
    void questionsOfTheProxy() throws Exception {
        assertSame((client, seen) -> {
            client.write(0, query("SELECT 'held', 2"));
            notes(client, seen, 6);
        });
        assertThat(replies)
                .hasSizeGreaterThan(1)
                .allSatisfy(reply -> assertThat(reply)
                        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                        .hasAtLeastOneElementOfType(Reply.Result.class)
                        .hasAtLeastOneElementOfType(Reply.Prepared.class));
    }
}

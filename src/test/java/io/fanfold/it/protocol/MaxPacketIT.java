package io.fanfold.it.protocol;

import static io.fanfold.it.support.client.SameInBinary.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;

/**
 * Servers with a small max_allowed_packet. The proxy must not send longer packets of its own, because that would end
 * the session.
 */
class MaxPacketIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_max_packet", "", SmallTable::create);

    private interface Body {
        void run(SameInBinary same) throws Exception;
    }

    /** Sessions opened while the server has that limit. */
    private static void with(TestServer server, int bytes, Body body) throws Exception {
        try (SameAsServer before = DATABASE.compared(server, 3);
                WireConnection admin = before.proxy().direct()) {
            String old = admin.query("SELECT @@global.max_allowed_packet")
                    .rows()
                    .get(0)
                    .ascii(0);
            admin.execute("SET GLOBAL max_allowed_packet = " + bytes);
            try (SameAsServer owner = DATABASE.compared(server, 3);
                    SameInBinary same = new SameInBinary(owner.proxy(), DATABASE.name())) {
                body.run(same);
            } finally {
                admin.execute("SET GLOBAL max_allowed_packet = " + old);
            }
        }
    }

    private static void query(SameInBinary same, String sql) throws Exception {
        SameInBinary.assertSameText(
                sql, same.direct().query(sql), same.proxied().query(sql));
    }

    private static String sum(int length) {
        String sql = "SELECT SUM(v) + 0 AS s, COUNT(*) FROM t WHERE id < 99 AND name <> '";
        return sql + "x".repeat(length - sql.length() - 1) + "'";
    }

    @AllServers
    void preflightQueriesForLongTextsAreNotTooLong(TestServer server) throws Exception {
        with(server, 32 << 10, same -> {
            for (int length : new int[] {20_000, 32_000}) {
                query(same, sum(length));
                assertThat(same.proxy().outcome().reason()).as("fanned out").isNull();
            }
            // the server accepts the text, but not after EXPLAIN
            for (int less : new int[] {2, 3, 10, 17, 20}) {
                query(same, sum((32 << 10) - less));
                assertThat(same.proxy().outcome().reason())
                        .as("%d bytes less", less)
                        .isNotNull();
            }
            query(same, sum(20_001));
            assertThat(same.proxy().outcome().reason()).as("fanned out").isNull();
        });
    }

    /** Returns the error for a text of the given length, even if the client cannot send all of it. */
    private static String refused(String host, int port, int length) throws Exception {
        try (BinaryClient client = new BinaryClient(host, port, BinaryClient.USUAL)) {
            try {
                client.sendQuery("SELECT '" + "x".repeat(length) + "'");
            } catch (IOException e) {
                // the other side has stopped reading
            }
            ServerPacket.Err error = ServerPacket.Err.decode(client.read());
            return error.code() + " " + error.sqlState() + " " + error.message();
        }
    }

    /** The server closes the connection while the client is still sending. The error sent before reaches the client. */
    @AllServers
    void commandsThatAreTooLongAreRefusedByTheServer(TestServer server) throws Exception {
        with(server, 1 << 20, same -> {
            for (int length : new int[] {1 << 20, 1_200_000, 5 << 20, 20 << 20}) {
                for (int i = 0; i < 5; i++) {
                    assertThat(refused("127.0.0.1", same.proxy().port(), length))
                            .as("%d bytes", length)
                            .isEqualTo(refused(
                                    same.proxy().server().host(),
                                    same.proxy().server().port(),
                                    length))
                            .startsWith("1153 08S01");
                }
            }
        });
    }

    @AllServers
    void valuesThatAreLongerAsLiterals(TestServer server) throws Exception {
        with(server, 32 << 10, same -> {
            String sql = "SELECT SUM(v), COUNT(*) FROM t WHERE name > ?";
            same.fansOut(sql, text("'".repeat(9_000)));
            same.passesThrough(Reason.PREPARE_FAILED, sql, text("'".repeat(18_000)));
            same.fansOut(sql, text("'".repeat(15_000)));
            same.longData(sql, 0, "'".repeat(12_000));
            same.longData(sql, 0, "'".repeat(12_000));
            same.passesThrough(Reason.PREPARE_FAILED, sql, new BinaryClient.Parameter(253, new byte[0]));
            same.fansOut(sql, text("n1"));
        });
    }

    @AllServers
    void withVeryShortPacketsNothingIsSplit(TestServer server) throws Exception {
        for (int bytes : new int[] {1 << 10, 15 << 10}) {
            with(server, bytes, same -> {
                for (int i = 0; i < 2; i++) {
                    query(same, "SELECT SUM(v), COUNT(*) FROM t");
                    assertThat(same.proxy().outcome().reason()).isEqualTo(Reason.NO_PARTITIONED_TABLE);
                }
            });
        }
    }
}

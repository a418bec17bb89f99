package io.fanfold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

class WireConnectionIT {
    private static final String MANY_ROWS =
            "WITH RECURSIVE d (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM d WHERE n < 9)"
                    + " SELECT a.n + 10*b.n + 100*c.n + 1000*e.n + 10000*f.n AS x, REPEAT('v', 100) AS v"
                    + " FROM d a, d b, d c, d e, d f";

    @AllServers
    void readsValuesAsTheServerPrintsThem(TestServer server) throws Exception {
        try (WireConnection admin = new RealServer(server).admin()) {
            assertThat(admin.identity().flavor().isMariaDb()).isEqualTo(server.name() != ServerName.MYSQL);
            assertThat(admin.identity().major()).isGreaterThan(8);
            Reply.Result result = admin.query("SELECT 1 AS one, -1.50 AS two, NULL AS three, 'ü€😀' AS four, x'00ff' AS"
                    + " five, '' AS six, DATE'2024-02-29' AS seven");
            assertThat(result.rows()).hasSize(1);
            Row row = result.rows().get(0);
            assertThat(row.toString()).startsWith("1|-1.50|NULL|ü€😀|").endsWith("||2024-02-29");
            assertThat(row.bytes(4)).containsExactly(0, 0xff);
            assertThat(result.columns())
                    .extracting(column -> column.name())
                    .containsExactly("one", "two", "three", "four", "five", "six", "seven");
            assertThat(result.columns().get(1).type()).isEqualTo(ColumnType.NEWDECIMAL);
            assertThat(result.columns().get(4).binaryString()).isTrue();
        }
    }

    @AllServers
    void refusesSeveralStatementsInOneText(TestServer server) throws Exception {
        try (WireConnection admin = new RealServer(server).admin()) {
            assertThatThrownBy(() -> admin.execute("SELECT 1; SELECT 2"))
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(1064));
            assertThat(admin.ping()).isTrue();
        }
    }

    @AllServers
    void pipelinesGoOnAfterAFailure(TestServer server) throws Exception {
        try (WireConnection admin = new RealServer(server).admin()) {
            List<String> sqls = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                sqls.add(i % 10 == 9 ? "SELECT nonsense" : "SELECT " + i + ", REPEAT('y', 2000)");
            }
            List<Reply> replies = admin.pipeline(sqls);
            assertThat(replies).hasSize(300);
            for (int i = 0; i < 300; i++) {
                if (i % 10 == 9) {
                    assertThat(replies.get(i))
                            .isInstanceOfSatisfying(
                                    Reply.Failed.class,
                                    failed -> assertThat(failed.errno()).isEqualTo(1054));
                } else {
                    assertThat(((Reply.Result) replies.get(i)).rows().get(0).ascii(0))
                            .isEqualTo(String.valueOf(i));
                }
            }
        }
    }

    @AllServers
    void preparesWithoutRunning(TestServer server) throws Exception {
        try (WireConnection admin = new RealServer(server).admin()) {
            Reply.Prepared prepared = admin.prepare("SELECT ? AS a, SLEEP(100) AS b, COUNT(*) AS c FROM"
                    + " information_schema.tables WHERE table_name = ?");
            assertThat(prepared.parameters()).isEqualTo(2);
            assertThat(prepared.columns()).extracting(column -> column.name()).containsExactly("a", "b", "c");
            assertThat(admin.prepare("DO 1").columns()).isEmpty();
            assertThatThrownBy(() -> admin.prepare("SELECT nonsense")).isInstanceOf(ServerException.class);
            assertThat(RealServer.value(admin, "SHOW SESSION STATUS LIKE 'Prepared_stmt_count'"))
                    .endsWith("|0");
        }
    }

    @AllServers
    void streamsManyRows(TestServer server) throws Exception {
        try (WireConnection admin = new RealServer(server).admin();
                RowStream stream = admin.stream(MANY_ROWS.getBytes(StandardCharsets.UTF_8))) {
            long rows = 0;
            long sum = 0;
            for (Row row = stream.next(); row != null; row = stream.next()) {
                rows++;
                sum += Long.parseLong(String.valueOf(row.ascii(0)));
                assertThat(row.length(1)).isEqualTo(100);
            }
            assertThat(rows).isEqualTo(100_000);
            assertThat(sum).isEqualTo(99_999L * 100_000 / 2);
        }
    }

    @OnServers(ServerName.MYSQL)
    void readsRowsOverSixteenMebibytes(TestServer server) throws Exception {
        try (WireConnection admin = new RealServer(server).admin()) {
            for (int length : List.of(0xffffff - 5, 0xffffff - 4, 0xffffff, 0xffffff + 1, 2 * 0xffffff)) {
                Row row = admin.query("SELECT REPEAT('z', " + length + "), 'end'")
                        .rows()
                        .get(0);
                assertThat(row.length(0)).isEqualTo(length);
                assertThat(row.ascii(1)).isEqualTo("end");
            }
            String longText = "SELECT LENGTH('" + "q".repeat(17_000_000) + "')";
            assertThat(RealServer.value(admin, longText)).isEqualTo("17000000");
        }
    }
}

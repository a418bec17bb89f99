package io.fanfold.it.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.load.Victim;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;

/**
 * What a session can read about its last statement (diagnostics area, FOUND_ROWS(), ROW_COUNT()), hints, and forms of
 * statements that are not split.
 */
class FoundRowsIT {
    private static final List<String> SPLIT = List.of(
            "SELECT SUM(v), COUNT(*) FROM t",
            "SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g HAVING SUM(v) > 5 ORDER BY 2 DESC, 1",
            "SELECT id, SUM(v) FROM t GROUP BY id ORDER BY id LIMIT 7",
            "SELECT g, SUM(v) FROM t WHERE v < 0 GROUP BY g");

    private static final String RUNNING = "SELECT ID FROM information_schema.PROCESSLIST"
            + " WHERE INFO LIKE '%SELECT SUM%it\\_slow.big%' AND ID <> CONNECTION_ID()";

    private static final List<String> PROBES = List.of(
            "SELECT FOUND_ROWS()",
            "SELECT ROW_COUNT()",
            "SHOW WARNINGS",
            "SHOW COUNT(*) WARNINGS",
            "SELECT @@warning_count, @@error_count",
            "SHOW ERRORS",
            "SELECT LAST_INSERT_ID()");

    private static final List<String> CHANGES = List.of(
            "INSERT INTO kept VALUES (7, 1), (8, 2)",
            "INSERT INTO kept VALUES (1, 1)",
            "INSERT IGNORE INTO kept VALUES (1, 1), (9, 9)",
            "INSERT INTO kept SET id = 9, v = 1",
            "INSERT INTO kept VALUES (1, 5) ON DUPLICATE KEY UPDATE v = 7",
            "INSERT INTO kept SELECT id + 10, v FROM t WHERE id < 4",
            "INSERT INTO nowhere VALUES (1)",
            "REPLACE INTO kept VALUES (1, 3)",
            "DELETE FROM kept WHERE v = 2",
            "DELETE FROM kept WHERE v = 77",
            "DELETE FROM kept ORDER BY id LIMIT 1",
            "DELETE FROM kept WHERE id IN (SELECT v FROM t WHERE v < 2)",
            "DELETE FROM kept USING kept JOIN t ON t.id = kept.id",
            "UPDATE kept SET v = 5",
            "UPDATE kept SET v = 5 WHERE id = 77",
            "TRUNCATE TABLE kept",
            "CREATE TABLE made (id INT)",
            "CREATE TABLE kept (id INT)",
            "CREATE TABLE IF NOT EXISTS kept (id INT)",
            "CREATE TABLE made AS SELECT * FROM t",
            "CREATE INDEX i ON kept (v)",
            "ALTER TABLE kept ADD COLUMN w INT",
            "DROP TABLE kept",
            "DROP TABLE IF EXISTS made",
            "DROP TABLE made");

    /**
     * Statements of other kinds. Each may run twice. Most leave FOUND_ROWS() unchanged on both servers, some on one of
     * them.
     */
    private static final List<String> OTHERS = List.of(
            "DO 1",
            "PREPARE other FROM 'SELECT 1'",
            "EXPLAIN SELECT * FROM kept",
            "DESCRIBE kept",
            "ANALYZE TABLE kept",
            "CHECK TABLE kept",
            "CHECKSUM TABLE kept",
            "FLUSH STATUS",
            "HANDLER kept OPEN",
            "XA RECOVER",
            "RENAME TABLE kept TO made, made TO kept",
            "SHOW WARNINGS",
            "SHOW ERRORS",
            "SHOW CREATE TABLE kept",
            "SHOW TABLES",
            "SHOW GRANTS",
            "SHOW PRIVILEGES",
            "HELP 'select'",
            "KILL QUERY 4294967295",
            "CREATE OR REPLACE VIEW seen AS SELECT 1 AS a",
            "INSERT INTO kept VALUES (5, 1), (6, 1) RETURNING id",
            "DELETE kept FROM kept JOIN t ON t.id = kept.id",
            "UPDATE kept JOIN t ON t.id = kept.id SET kept.v = 3",
            "VALUES ROW(1), ROW(2)",
            "/* a comment */ CHECK TABLE kept",
            "-- a comment\nFLUSH STATUS",
            "nonsense");

    private static final List<String> CHANGE_PROBES = List.of(
            "SELECT FOUND_ROWS()",
            "SELECT ROW_COUNT()",
            "SHOW WARNINGS",
            "SELECT @@warning_count, ROW_COUNT()",
            "EXECUTE ask");

    @AllServers
    void sessionKnowsItsLastStatement(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                SameAsServer same = new SameAsServer(proxy)) {
            same.onBoth("USE it_found");
            same.same("SELECT LAST_INSERT_ID(77)");
            for (String statement : SPLIT) {
                for (String probe : PROBES) {
                    same.same("SELECT CAST('no number' AS SIGNED)"); // raises a warning
                    same.fansOut(statement);
                    same.same(probe);
                    same.same(probe);
                }
            }
        }
    }

    @AllServers
    void sessionKnowsAnErrorToo(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                SameAsServer same = new SameAsServer(proxy)) {
            same.onBoth("USE it_found");
            for (String probe : PROBES) {
                for (String before : List.of(SPLIT.get(1), "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3")) {
                    same.same(before);
                    same.passesThrough("SELECT COUNT(nothing) FROM t", Reason.PREPARE_FAILED);
                    same.same(probe);
                    same.same(before);
                    same.same("SELECT SUM(v) FROM t WHERE v > (SELECT v FROM t)");
                    same.same(probe);
                    same.same(before);
                    same.passesThrough("SELECT SUM(v) FROM t WHERE id = 3", Reason.FEW_PARTITIONS);
                    same.same(probe);
                }
            }
        }
    }

    @AllServers
    void sessionKnowsThatItsStatementWasKilled(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                WireConnection killer = proxy.proxied()) {
            SlowTables.create(proxy);
            for (String probe : PROBES) {
                for (String before : List.of("SELECT g, COUNT(*) FROM it_found.t GROUP BY g", "SELECT 1")) {
                    List<String> told = new ArrayList<>();
                    for (WireConnection client : List.of(proxy.direct(), proxy.proxied())) {
                        client.query(before);
                        Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
                        await().until(() -> !killer.query(RUNNING).rows().isEmpty());
                        await().until(() -> {
                            Victim.kill(killer, client.threadId());
                            return reply.isDone();
                        });
                        assertThat(((Reply.Failed) reply.get()).errno()).isEqualTo(1317);
                        told.add(client.query(probe).rows().toString());
                        client.close();
                    }
                    assertThat(told.get(1)).as("%s after %s", probe, before).isEqualTo(told.get(0));
                }
            }
        }
    }

    /** Statements that change data. Most leave FOUND_ROWS() unchanged, and each sets its own row count and warnings. */
    @AllServers
    void sessionKnowsItsRowsAfterAChange(TestServer server) throws Exception {
        String split = "SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g";
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                WireConnection direct = proxy.direct();
                WireConnection proxied = proxy.proxied()) {
            for (WireConnection client : List.of(direct, proxied)) {
                client.execute("USE it_found");
                client.execute("PREPARE ask FROM 'SELECT ROW_COUNT()'");
            }
            for (String change : CHANGES) {
                for (String probe : CHANGE_PROBES) {
                    List<String> told = new ArrayList<>();
                    for (WireConnection client : List.of(direct, proxied)) {
                        client.execute("DROP TABLE IF EXISTS kept, made");
                        client.execute("CREATE TABLE kept (id INT PRIMARY KEY, v INT)");
                        client.execute("INSERT INTO kept VALUES (1, 1), (2, 2), (3, 2)");
                        proxy.forget();
                        client.query(split);
                        assertThat(client == direct || proxy.outcome().reason() == null)
                                .isTrue();
                        Reply changed = client.pipeline(List.of(change)).get(0);
                        told.add(changed + " " + client.query(probe).rows());
                    }
                    assertThat(told.get(1)).as("%s after %s", probe, change).isEqualTo(told.get(0));
                }
            }
        }
    }

    /** For statements that the proxy does not recognize, the server's FOUND_ROWS() is restored before they run. */
    @AllServers
    void sessionKnowsItsRowsAfterAnyStatement(TestServer server) throws Exception {
        Map<String, List<String>> before = Map.of(
                "a split", List.of("SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g"),
                "a split and a change",
                        List.of(
                                "SELECT g, COUNT(*), SUM(v) FROM t GROUP BY g",
                                "INSERT IGNORE INTO kept VALUES (1, 1), (9, 9)"),
                "a query and an error", List.of("SELECT 1 UNION SELECT 2 UNION SELECT 3", "SELECT SUM(nosuch) FROM t"));
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                WireConnection direct = proxy.direct();
                WireConnection proxied = proxy.proxied()) {
            direct.execute("CREATE TABLE it_found.kept (id INT PRIMARY KEY, v INT)");
            for (WireConnection client : List.of(direct, proxied)) {
                client.execute("USE it_found");
            }
            for (String other : OTHERS) {
                for (Map.Entry<String, List<String>> begin : before.entrySet()) {
                    List<String> told = new ArrayList<>();
                    for (WireConnection client : List.of(direct, proxied)) {
                        client.execute("DELETE FROM kept");
                        client.execute("INSERT INTO kept VALUES (1, 1), (2, 2), (3, 2)");
                        proxy.forget();
                        client.pipeline(begin.getValue().subList(0, 1));
                        if (client == proxied && !begin.getKey().endsWith("an error")) {
                            assertThat(proxy.outcome().reason()).isNull();
                        }
                        for (String next :
                                begin.getValue().subList(1, begin.getValue().size())) {
                            client.pipeline(List.of(next));
                        }
                        client.pipeline(List.of(other));
                        // the first query leaves the conditions that the second reads
                        String conditions = client.query("SHOW WARNINGS").rows().toString();
                        told.add(
                                conditions + client.query("SELECT FOUND_ROWS()").rows());
                        client.pipeline(List.of("HANDLER kept CLOSE"));
                    }
                    assertThat(told.get(1))
                            .as("%s after %s", other, begin.getKey())
                            .isEqualTo(told.get(0));
                }
            }
        }
    }

    /** An answer with more rows than one list of the restoring query holds. */
    @AllServers
    void sessionKnowsManyRowsToo(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                SameAsServer same = new SameAsServer(proxy)) {
            same.onBoth("USE it_found");
            for (String probe : PROBES) {
                same.fansOut("SELECT a.id, b.v FROM t a JOIN t b ON a.id < 77 AND b.v <> 5");
                same.same(probe);
                same.fansOut("SELECT a.id, b.v FROM t a JOIN t b ON a.id <> 3 ORDER BY a.id, b.v, b.id");
                same.same(probe);
            }
        }
    }

    @AllServers
    void sessionMayReadThemUnderANameToo(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                SameAsServer same = new SameAsServer(proxy);
                WireConnection admin = proxy.direct()) {
            admin.execute("CREATE PROCEDURE it_found.ask() SET @asked = FOUND_ROWS()");
            same.onBoth("USE it_found");
            same.onBoth("PREPARE ask FROM 'SELECT FOUND_ROWS()'");
            for (String statement : SPLIT) {
                same.fansOut(statement);
                same.same("EXECUTE ask");
                same.fansOut(statement);
                same.same("CALL ask()");
                same.same("SELECT @asked");
            }
        }
    }

    /** The last statement has a final query on a worker. */
    @AllServers
    void sessionKnowsThatJoinedTextsWereCut(TestServer server) throws Exception {
        String fits = "SELECT g, GROUP_CONCAT(v ORDER BY v) FROM t WHERE v < 12 GROUP BY g ORDER BY g";
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                SameAsServer same = new SameAsServer(proxy)) {
            same.onBoth("USE it_found");
            same.onBoth("SET SESSION group_concat_max_len = 4");
            for (String statement : List.of(
                    "SELECT GROUP_CONCAT(v ORDER BY v DESC) FROM t WHERE v > 5",
                    "SELECT g, GROUP_CONCAT(DISTINCT v ORDER BY v) FROM t WHERE v > 5 GROUP BY g ORDER BY g",
                    "SELECT x.g, x.c FROM (SELECT g, GROUP_CONCAT(v ORDER BY v) AS c FROM t WHERE v > 5 GROUP BY g) x",
                    "SELECT x.c, y.v FROM (SELECT g, GROUP_CONCAT(v ORDER BY v) AS c FROM t WHERE v > 5 GROUP BY g) x"
                            + " JOIN t y ON y.id = x.g ORDER BY x.g")) {
                cutWithWarnings(same, statement);
                same.fansOut(fits);
                same.same("SHOW WARNINGS");
            }
        }
    }

    @AllServers
    void sessionKnowsThatTextsOfWholeGroupsWereCut(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).approximate());
                SameAsServer same = new SameAsServer(proxy)) {
            same.onBoth("USE it_found");
            same.onBoth("SET SESSION group_concat_max_len = 4");
            cutWithWarnings(same, "SELECT id, GROUP_CONCAT(v, 'more') FROM t WHERE v < 30 GROUP BY id ORDER BY id");
            same.fansOut("SELECT id, GROUP_CONCAT(v, 'to') FROM t WHERE v < 30 GROUP BY id ORDER BY id");
            same.same("SHOW WARNINGS");
        }
    }

    private static void cutWithWarnings(SameAsServer same, String statement) throws Exception {
        same.passesThrough(statement, Reason.WARNINGS);
        same.same("SHOW WARNINGS");
        same.passesThrough(statement, Reason.WARNINGS);
        same.same("SHOW COUNT(*) WARNINGS");
    }

    @AllServers
    void hintsDecide(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                WireConnection client = proxy.proxied()) {
            client.execute("USE it_found");
            for (int degree : List.of(2, 4)) {
                proxy.forget();
                assertThat(client.query("SELECT /*+ PARALLEL(" + degree + ") */ SUM(v) FROM t")
                                .rows()
                                .toString())
                        .isEqualTo("[4950]");
                assertThat(proxy.outcome().degree()).isEqualTo(degree);
            }
            assertThat(client.query("SELECT /*+ NO_PARALLEL */ SUM(v) FROM t")
                            .rows()
                            .toString())
                    .isEqualTo("[4950]");
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.HINT);
        }
    }

    @AllServers
    void plainCountIsLeftToAServerThatCountsFast(TestServer server) throws Exception {
        String hinted = "SELECT /*+ PARALLEL(2) */ COUNT(*) FROM t";
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).plainCountsPass());
                SameAsServer same = new SameAsServer(proxy);
                WireConnection client = proxy.proxied()) {
            same.onBoth("USE it_found");
            if (server.kind() == ServerFlavor.MYSQL) {
                same.passesThrough("SELECT COUNT(*) FROM t", Reason.ALREADY_FAST);
            } else {
                same.fansOut("SELECT COUNT(*) FROM t");
            }
            same.fansOut("SELECT COUNT(*) FROM t WHERE v > 3");
            client.execute("USE it_found");
            proxy.forget();
            assertThat(client.query(hinted).rows().toString()).isEqualTo("[100]");
            assertThat(proxy.outcome().reason()).isNull();
        }
    }

    @AllServers
    void severalStatementsInOneCommandAreLeftToTheServer(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                Connection connection = jdbc(proxy, "&allowMultiQueries=true");
                Statement statement = connection.createStatement()) {
            proxy.forget();
            assertThat(statement.execute("SELECT SUM(v) FROM t; UPDATE t SET v = v + 1 WHERE id = 5; "
                            + "SELECT COUNT(*), SUM(v) FROM t; UPDATE t SET v = v - 1 WHERE id = 5"))
                    .isTrue();
            assertThat(rows(statement.getResultSet())).containsExactly("4950");
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(1);
            assertThat(statement.getMoreResults()).isTrue();
            assertThat(rows(statement.getResultSet())).containsExactly("100 4951");
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(1);
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.MULTI_STATEMENT);
            assertThat(proxy.lookedAtNothing()).isTrue();

            assertThat(rows(statement.executeQuery("SELECT SUM(v), COUNT(*) FROM t")))
                    .containsExactly("4950 100");
            assertThat(proxy.outcome().reason()).isNull();
        }
    }

    @AllServers
    void preparedStatementsAreSplitToo(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                Connection connection = jdbc(proxy, "&useServerPrepStmts=true");
                Statement plain = connection.createStatement();
                PreparedStatement whole = connection.prepareStatement("SELECT SUM(v), COUNT(*) FROM t");
                PreparedStatement part = connection.prepareStatement("SELECT SUM(v) FROM t WHERE id < ?")) {
            proxy.forget();
            for (int i = 1; i < 5; i++) {
                assertThat(rows(whole.executeQuery())).containsExactly("4950 100");
                assertThat(proxy.outcome().reason()).isNull();
                part.setInt(1, 10 * i);
                assertThat(rows(part.executeQuery())).containsExactly(String.valueOf(10 * i * (10 * i - 1) / 2));
                assertThat(proxy.outcome().reason()).isNull();
            }
            // between the two executions, the same connection splits a plain statement
            assertThat(rows(plain.executeQuery("SELECT SUM(v), COUNT(*) FROM t")))
                    .containsExactly("4950 100");
            assertThat(proxy.outcome().reason()).isNull();
            assertThat(rows(whole.executeQuery())).containsExactly("4950 100");
            assertThat(proxy.outcome().reason()).isNull();
        }
    }

    private static Connection jdbc(ProxiedServer proxy, String options) throws SQLException {
        TestServer server = proxy.server();
        return DriverManager.getConnection(
                server.jdbcUrl("127.0.0.1", proxy.port(), "it_found") + options,
                server.adminUser(),
                server.adminPassword());
    }

    private static List<String> rows(ResultSet rows) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (rows) {
            while (rows.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    values.add(rows.getString(i));
                }
                lines.add(String.join(" ", values));
            }
        }
        return lines;
    }

    private static ProxiedServer start(TestServer server, ProxySetup setup) throws Exception {
        ProxiedServer proxy = ProxiedServer.start(server, setup);
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS it_found");
            admin.execute("CREATE DATABASE it_found");
            admin.execute("USE it_found");
            admin.execute("CREATE TABLE t (id INT PRIMARY KEY, g INT, v INT) ENGINE=InnoDB"
                    + " PARTITION BY HASH (id) PARTITIONS 4");
            StringBuilder values = new StringBuilder("(0, 0, 0)");
            for (int i = 1; i < 100; i++) {
                values.append(", (%d, %d, %d)".formatted(i, i % 6, i));
            }
            admin.execute("INSERT INTO t VALUES " + values);
            admin.query("ANALYZE TABLE t");
        }
        proxy.tablesChanged();
        return proxy;
    }
}

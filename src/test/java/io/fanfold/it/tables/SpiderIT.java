package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.load.Transfers;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.SpiderServers;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;

/** Tables of MariaDB's Spider, whose partitions are on other servers, compared with an InnoDB copy on the head. */
class SpiderIT {
    private static final String COLUMNS = "id INT NOT NULL PRIMARY KEY, g INT NOT NULL, s VARCHAR(20) CHARACTER SET"
            + " utf8mb4 COLLATE utf8mb4_general_ci, n DECIMAL(10,2), d DATE NOT NULL, u BIGINT UNSIGNED NOT NULL,"
            + " at TIMESTAMP NOT NULL DEFAULT '2026-01-01 00:00:00', y YEAR NOT NULL DEFAULT 2025,"
            + " wide DECIMAL(40,10) NOT NULL DEFAULT 1.5";

    private static final String ALL_SORTED = "SELECT id, n FROM t WHERE id < 300 ORDER BY n, id";

    private static final List<String> STATEMENTS = List.of(
            "SELECT COUNT(*) FROM t",
            "SELECT COUNT(*), SUM(n), MIN(d), MAX(u), AVG(n), MIN(n), SUM(u) FROM t",
            "SELECT g, COUNT(*), SUM(n), AVG(n), MAX(d) FROM t GROUP BY g",
            "SELECT g, SUM(n) x FROM t WHERE d >= '2025-06-01' AND g IN (1, 2, 5) GROUP BY g ORDER BY x DESC",
            "SELECT g, COUNT(*) FROM t GROUP BY g WITH ROLLUP",
            "SELECT g, SUM(n) FROM t GROUP BY g HAVING SUM(n) > 60000",
            "SELECT s, COUNT(*), MAX(id) FROM t GROUP BY s",
            "SELECT MIN(s), MAX(s) FROM t WHERE id > 7",
            "SELECT COUNT(DISTINCT g), COUNT(DISTINCT s) FROM t",
            "SELECT COUNT(DISTINCT id) FROM t",
            "SELECT DISTINCT g FROM t WHERE n BETWEEN 10 AND 200",
            "SELECT g, d, COUNT(*) FROM t WHERE s LIKE 'a%' GROUP BY g, d",
            "SELECT SUM(CASE WHEN g = 3 THEN n ELSE 0 END), SUM(g = 2) FROM t",
            "SELECT g + 1, SUM(n * 2 - g) FROM t GROUP BY g + 1",
            "SELECT id, n, s FROM t WHERE g = 3 ORDER BY n DESC, id LIMIT 7",
            ALL_SORTED,
            "SELECT id, g, s, n, d, u FROM t WHERE g < 3",
            "SELECT d.name, COUNT(*), SUM(t.n) FROM t JOIN dim d ON d.g = t.g GROUP BY d.name",
            "SELECT d.name, t.g, MAX(t.d) FROM t LEFT JOIN dim d ON d.g = t.g GROUP BY d.name, t.g",
            "SELECT COUNT(*) FROM t WHERE g IN (SELECT g FROM dim WHERE name > 'g2')",
            "SELECT x.g, x.c, d.name FROM (SELECT g, COUNT(*) c FROM t GROUP BY g) x JOIN dim d ON d.g = x.g",
            "SELECT COUNT(*), SUM(n) FROM t PARTITION (p0, p3)",
            // no row, or none of some partitions, or only NULL
            "SELECT COUNT(*), SUM(n), MIN(s), AVG(n) FROM t WHERE g > 100",
            "SELECT g, COUNT(*) FROM t WHERE g > 100 GROUP BY g",
            "SELECT COUNT(*), SUM(n), MAX(s) FROM t WHERE id IN (4, 8, 13)",
            "SELECT COUNT(*), SUM(n), MIN(n), AVG(n), COUNT(DISTINCT n) FROM t WHERE n IS NULL",
            "SELECT s, COUNT(*) FROM t WHERE s = 'AB' GROUP BY s");

    private static final String ACCOUNT = "id INT NOT NULL PRIMARY KEY, v INT NOT NULL";

    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM account";

    /** The answers under load: {@code -Dfanfold.it.spider=10000}. */
    private static final int ANSWERS = Integer.getInteger("fanfold.it.spider", 30);

    /** Commits per second meanwhile. */
    private static final int PACE = Integer.getInteger("fanfold.it.spider.commits", 20);

    private static @Nullable SpiderServers started;

    @AfterAll
    static void stop() {
        if (started != null) {
            started.close();
        }
    }

    private static SpiderServers servers() throws Exception {
        SpiderServers known = started;
        if (known == null) {
            known = SpiderServers.start();
            started = known;
            fill(known);
        }
        return known;
    }

    private static void fill(SpiderServers servers) throws Exception {
        servers.createRemotely("t", COLUMNS);
        servers.createTable(servers.head(), "t", COLUMNS);
        servers.createRemotely("account", ACCOUNT);
        servers.createTable(servers.head(), "account", ACCOUNT);
        String schema = SpiderServers.SCHEMA;
        SpiderServers.on(
                servers.head(),
                "USE " + schema,
                "CREATE TABLE copy (" + COLUMNS
                        + ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 PARTITION BY HASH (id) PARTITIONS "
                        + SpiderServers.PARTITIONS,
                "INSERT INTO copy (id, g, s, n, d, u) SELECT seq, seq % 7, ELT(1 + seq % 5, 'a', 'Ab', 'b', 'C', NULL),"
                        + " IF(seq % 11, seq / 4, NULL), DATE '2025-01-01' + INTERVAL seq % 700 DAY,"
                        + " 18446744073709551615 - seq FROM seq_1_to_2000",
                "INSERT INTO t SELECT * FROM copy",
                "CREATE TABLE dim (g INT NOT NULL PRIMARY KEY, name VARCHAR(10) NOT NULL) ENGINE=InnoDB",
                "INSERT INTO dim SELECT seq, CONCAT('g', seq) FROM seq_0_to_4",
                "CREATE TABLE far (id INT NOT NULL PRIMARY KEY) ENGINE=SPIDER COMMENT='wrapper \"mysql\", srv \"b1\","
                        + " table \"t0\"'",
                "INSERT INTO account SELECT seq, 1000 FROM seq_0_to_63",
                "ANALYZE TABLE copy, dim");
    }

    /** The cores of the head say nothing about those of the servers that read. A number that the user sets counts. */
    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void aFoundDegreeHasAWorkerForEachServer(TestServer any) throws Exception {
        for (ProxySetup setup : List.of(ProxySetup.ofFoundDegree(1), ProxySetup.ofDegree(1))) {
            try (ProxiedServer proxy = proxy(setup.locking());
                    WireConnection proxied = in(proxy.proxied())) {
                for (String from : List.of("t", "copy")) {
                    proxy.forget();
                    proxied.query("SELECT SUM(n) FROM " + from);
                    boolean spider = from.equals("t") && setup.fanOut().autoDegree();
                    assertThat(proxy.outcome().degree())
                            .as("%s, degree %s", from, setup.fanOut().degreeText())
                            .isEqualTo(spider ? SpiderServers.BACKENDS : 1);
                }
            }
        }
    }

    private static ProxiedServer proxy(ProxySetup setup) throws Exception {
        ProxiedServer proxy = ProxiedServer.start(servers().head(), setup);
        proxy.tablesChanged();
        return proxy;
    }

    private static WireConnection in(WireConnection connection) throws Exception {
        connection.execute("USE " + SpiderServers.SCHEMA);
        return connection;
    }

    private static List<String> rows(WireConnection connection, String sql) throws Exception {
        Stream<String> rows = connection.query(sql).rows().stream().map(Row::toString);
        return sql.contains("ORDER BY") ? rows.toList() : rows.sorted().toList();
    }

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void answersAreThoseOfTheCopy(TestServer any) throws Exception {
        for (int degree : List.of(4, 1, 2, 7)) {
            try (ProxiedServer proxy = proxy(ProxySetup.ofDegree(degree).locking());
                    WireConnection proxied = in(proxy.proxied());
                    WireConnection direct = in(proxy.direct())) {
                SoftAssertions softly = new SoftAssertions();
                for (String sql : STATEMENTS) {
                    proxy.forget();
                    List<String> answer = rows(proxied, sql);
                    ProxiedServer.Outcome outcome = proxy.outcome();
                    // all rows in order need a worker for each partition
                    boolean few = degree < SpiderServers.PARTITIONS && sql.equals(ALL_SORTED);
                    softly.assertThat(outcome.reason())
                            .as("reason of %s", sql)
                            .isEqualTo(few ? Reason.POOL_BUSY : null);
                    softly.assertThat(few || "locked".equals(outcome.snapshot()))
                            .as(sql)
                            .isTrue();
                    softly.assertThat(few || outcome.partitions() > 1).as(sql).isTrue();
                    softly.assertThat(answer).as(sql).isEqualTo(rows(direct, onCopy(sql)));
                }
                softly.assertThat(rows(proxied, "EXPLAIN FORMAT=FANFOLD SELECT g, COUNT(*) FROM t GROUP BY g")
                                .toString())
                        .containsPattern("PARTITION \\(`p\\d`\\) GROUP BY 1")
                        .doesNotContain("ORDER BY NULL");
                softly.assertAll();
            }
        }
    }

    /** The two first queries go to different servers, although adjacent partitions are on one. */
    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void partitionsAreReadByTurnsOfTheServers(TestServer any) throws Exception {
        try (ProxiedServer proxy = proxy(ProxySetup.ofDegree(1).locking());
                WireConnection admin = in(admin(proxy.server()))) {
            admin.execute("DROP TABLE IF EXISTS turns");
            admin.execute(
                    "CREATE TABLE turns (" + COLUMNS + ") ENGINE=SPIDER DEFAULT CHARSET=utf8mb4"
                            + " COMMENT='wrapper \"mysql\"' PARTITION BY HASH (id) ("
                            + "PARTITION p0 COMMENT = 'srv \"b1\", table \"t0\"', PARTITION p1 COMMENT = 'srv \"b1\", table \"t0\"',"
                            + " PARTITION p2 COMMENT = 'srv \"b2\", table \"t0\"', PARTITION p3 COMMENT = 'srv \"b2\", table \"t0\"')");
            proxy.tablesChanged();
            admin.execute("SET GLOBAL log_output = 'TABLE'");
            admin.execute("TRUNCATE TABLE mysql.general_log");
            admin.execute("SET GLOBAL general_log = ON");
            try (WireConnection proxied = in(proxy.proxied())) {
                proxy.forget();
                proxied.query("SELECT SUM(n) FROM turns");
                assertThat(proxy.outcome().fannedOut()).isTrue();
            } finally {
                admin.execute("SET GLOBAL general_log = OFF");
            }
            List<String> asked = rows(
                    admin,
                    "SELECT REGEXP_SUBSTR(CONVERT(argument USING utf8mb4), 'p[0-3]`\\\\)') FROM mysql.general_log"
                            + " WHERE argument LIKE '%SUM(n)%PARTITION (`p%' AND argument NOT LIKE 'EXPLAIN%'"
                            + " AND command_type = 'Query' ORDER BY event_time, thread_id");
            assertThat(asked).hasSize(4);
            assertThat(asked.subList(0, 2).toString()).containsPattern("p[01]").containsPattern("p[23]");
        }
    }

    private static Connection connect(String host, int port, TestServer server) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://" + host + ":" + port + "/" + SpiderServers.SCHEMA
                        + "?sslMode=disable&useServerPrepStmts=true",
                server.adminUser(),
                server.adminPassword());
    }

    private static List<String> rows(PreparedStatement statement, int id) throws SQLException {
        statement.setInt(1, id);
        List<String> rows = new ArrayList<>();
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                rows.add(result.getString(1) + "|" + result.getString(2) + "|" + result.getString(3) + "|"
                        + result.getString(4));
            }
        }
        return rows;
    }

    private static String onCopy(String sql) {
        return sql.contains("PARTITION (")
                ? sql.replace("t PART", "copy PART")
                : sql.replace("FROM t", "FROM copy AS t");
    }

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void preparedStatementsHaveTheAnswersOfTheCopy(TestServer any) throws Exception {
        String sql = "SELECT g, COUNT(*), SUM(n), MIN(s) FROM t WHERE id > ? GROUP BY g ORDER BY g";
        try (ProxiedServer proxy = proxy(ProxySetup.ofDegree(4).locking());
                Connection proxied = connect("127.0.0.1", proxy.port(), proxy.server());
                Connection direct =
                        connect(proxy.server().host(), proxy.server().port(), proxy.server());
                PreparedStatement split = proxied.prepareStatement(sql);
                PreparedStatement whole = direct.prepareStatement(onCopy(sql))) {
            for (int id : List.of(100, 1990, 5000)) {
                proxy.forget();
                List<String> answer = rows(split, id);
                assertThat(proxy.outcome().fannedOut()).isTrue();
                assertThat(answer).isEqualTo(rows(whole, id));
            }
        }
    }

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void otherStatementsPassThrough(TestServer any) throws Exception {
        try (ProxiedServer proxy = proxy(ProxySetup.ofDegree(4).locking());
                WireConnection proxied = in(proxy.proxied())) {
            for (String sql : List.of(
                    "SELECT SUM(n) / 7 FROM t",
                    "SELECT YEAR(d), COUNT(*) FROM t GROUP BY YEAR(d)",
                    "SELECT MAX(at) FROM t",
                    "SELECT MIN(y) FROM t",
                    "SELECT MAX(wide - n) FROM t",
                    "SELECT COUNT(*) FROM t WHERE s LIKE 'a|_%' ESCAPE '|'",
                    "SELECT * FROM t WHERE g < 3",
                    "SELECT COUNT(*) FROM t WHERE d < NOW()",
                    "SELECT COUNT(*) FROM t x JOIN t y ON x.id = y.id",
                    "SELECT COUNT(*) FROM t JOIN far ON far.id = t.id",
                    "SELECT COUNT(*) FROM copy JOIN t ON copy.id = t.id")) {
                proxy.forget();
                proxied.query(sql);
                assertThat(proxy.outcome().reason()).as(sql).isEqualTo(Reason.ENGINE);
            }
            proxy.forget();
            proxied.query("SELECT COUNT(*) FROM t WHERE id = 8");
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.FEW_PARTITIONS);
            proxied.execute("BEGIN");
            proxy.forget();
            proxied.query(SUM);
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.IN_TRANSACTION);
        }
    }

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void theLockMustBeAllowed(TestServer any) throws Exception {
        String sql = "SELECT g, COUNT(*) FROM t GROUP BY g";
        try (ProxiedServer proxy = proxy(ProxySetup.ofDegree(4));
                WireConnection proxied = in(proxy.proxied())) {
            assertThat(rows(proxied, "EXPLAIN FORMAT=FANFOLD " + sql).toString())
                    .contains("set fan-out.table-locks: allow");
            proxy.forget();
            proxied.query(sql);
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.ENGINE);
        }
    }

    /** Money moves between the backends. */
    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void everySumIsRightWhileMoneyMoves(TestServer any) throws Exception {
        for (int degree : List.of(1, 4)) {
            try (ProxiedServer proxy = proxy(ProxySetup.ofDegree(degree).locking())) {
                sumsAreRight(proxy, proxy, PACE, ANSWERS);
            }
        }
    }

    /** The log of this head does not show what another head writes. */
    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void everySumIsRightWhileAnotherHeadMovesMoney(TestServer any) throws Exception {
        TestServer other = servers().newHead(30);
        servers().createTable(other, "account", ACCOUNT);
        try (ProxiedServer proxy = proxy(ProxySetup.ofDegree(4).locking());
                ProxiedServer second = ProxiedServer.start(other, 4)) {
            sumsAreRight(proxy, second, PACE / 4, ANSWERS / 6);
        }
    }

    /** Spider itself does not unlock the servers that it had locked before another one did not answer. */
    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void aLockThatFailsBlocksNoWriter(TestServer any) throws Exception {
        List<TestServer> backends = servers().backends();
        try (ProxiedServer proxy = proxy(ProxySetup.ofDegree(4).locking());
                WireConnection proxied = in(proxy.proxied());
                WireConnection blocker = admin(backends.get(1));
                WireConnection writer = admin(backends.get(0))) {
            blocker.execute("BEGIN");
            blocker.execute("UPDATE " + SpiderServers.SCHEMA + ".account0 SET v = v WHERE id = 1");
            proxy.forget();

            assertThat(rows(proxied, SUM).toString()).contains("64000");
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.SNAPSHOT);

            writer.execute("SET lock_wait_timeout = 2");
            for (TestServer backend : backends) {
                // a server may notice after a second that a client has gone
                await().untilAsserted(() -> assertThat(lockers(backend)).isZero());
            }
            writer.execute("UPDATE " + SpiderServers.SCHEMA + ".account0 SET v = v WHERE id = 0");
            blocker.execute("ROLLBACK");
            await().atMost(Duration.ofSeconds(30)).until(() -> isSplitAndRight(proxy, proxied));
        }
    }

    private static WireConnection admin(TestServer server) throws Exception {
        return ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword());
    }

    private static int lockers(TestServer server) throws Exception {
        try (WireConnection admin = admin(server)) {
            return admin.query("SELECT id FROM information_schema.processlist WHERE info LIKE 'lock tables%'")
                    .rows()
                    .size();
        }
    }

    private static void sumsAreRight(ProxiedServer proxy, ProxiedServer writers, int pace, int answers)
            throws Exception {
        try (WireConnection proxied = in(proxy.proxied());
                Transfers moves = Transfers.start(writers, SpiderServers.SCHEMA, pace, Transfers::inATransaction)) {
            AtomicInteger split = new AtomicInteger();
            await().atMost(Duration.ofSeconds(60 + 2 * answers))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> isSplitAndRight(proxy, proxied) && split.incrementAndGet() == answers);
            moves.end();
        }
    }

    /** Whether the next sum is split; it is then right. */
    private static boolean isSplitAndRight(ProxiedServer proxy, WireConnection proxied) throws Exception {
        proxy.forget();
        proxy.endLockPauses();
        String answer = rows(proxied, SUM).toString();
        if (!proxy.outcome().fannedOut()) {
            return false;
        }
        assertThat(answer).contains("64000");
        return true;
    }

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void aKilledBackendIsAnError(TestServer any) throws Exception {
        try (SpiderServers servers = SpiderServers.start()) {
            fill(servers);
            try (ProxiedServer proxy = ProxiedServer.start(
                            servers.head(), ProxySetup.ofDegree(4).locking());
                    WireConnection proxied = in(proxy.proxied())) {
                proxy.tablesChanged();
                String sql = "SELECT COUNT(*), SUM(n * u) FROM t";
                proxy.forget();
                List<String> right = rows(proxied, sql);
                assertThat(proxy.outcome().fannedOut()).isTrue();
                AtomicInteger asked = new AtomicInteger();
                Future<Integer> asking = Background.start(() -> {
                    while (true) {
                        assertThat(rows(proxied, sql)).isEqualTo(right);
                        asked.incrementAndGet();
                    }
                });
                await().until(() -> asked.get() >= 3);
                servers.kill(1);
                assertThatThrownBy(() -> asking.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(ServerException.class);
            }
        }
    }
}

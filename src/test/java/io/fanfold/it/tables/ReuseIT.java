package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.config.TablesText;
import io.fanfold.it.answers.SplitIT;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SplitTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxiedServer.Outcome;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.metrics.FanfoldMetrics.ReuseOutcome;
import io.fanfold.row.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Asks statements again after changes, and compares the answers with those of the server. */
class ReuseIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_reuse", "", admin -> {
        SplitTables.create(admin, Map.of("t_hash", "PARTITION BY HASH (p) PARTITIONS 8"));
        admin.execute("CREATE TABLE d (g INT PRIMARY KEY, name VARCHAR(10)) ENGINE=InnoDB");
        admin.execute("INSERT INTO d VALUES (1, 'one'), (2, 'two'), (3, 'three')");
        admin.execute("CREATE TABLE parent (g INT PRIMARY KEY) ENGINE=InnoDB");
        admin.execute("CREATE TABLE child (g INT, v INT, FOREIGN KEY (g) REFERENCES parent (g) ON UPDATE CASCADE)"
                + " ENGINE=InnoDB");
        admin.execute("CREATE TABLE large (id INT PRIMARY KEY, g INT, v INT) ENGINE=InnoDB"
                + " PARTITION BY HASH (id) PARTITIONS 8");
        admin.execute("INSERT INTO large WITH RECURSIVE n AS (SELECT 0 i UNION ALL SELECT i + 1 FROM n WHERE i < 999)"
                + " SELECT n.i * 16 + m.i, n.i % 7, m.i FROM n JOIN n m ON m.i < 16");
        admin.query("ANALYZE TABLE large");
        admin.execute("INSERT INTO parent SELECT g FROM d");
        admin.execute("INSERT INTO child SELECT g, 7 FROM parent");
        admin.execute("DROP USER IF EXISTS reuse_reports, reuse_app");
        admin.execute("CREATE USER reuse_reports IDENTIFIED BY 'pw', reuse_app IDENTIFIED BY 'pw'");
        admin.execute("GRANT SELECT ON it_reuse.* TO reuse_reports, reuse_app");
    });

    private static final String SUMS = "SELECT g, COUNT(*), SUM(tiny) FROM t_hash GROUP BY g ORDER BY g";
    private static final int PARTITIONS = 8;

    /** 1 for all statements of the corpus: {@code -Dfanfold.it.reuse.step=1}. */
    private static final int STEP = Integer.getInteger("fanfold.it.reuse.step", 5);

    /** How many different statements are asked with little memory: {@code -Dfanfold.it.reuse.statements=10000}. */
    private static final int STATEMENTS = Integer.getInteger("fanfold.it.reuse.statements", 40);

    private static ProxySetup setup() {
        return ProxySetup.ofDegree(3).reuses();
    }

    /** Runs a statement and returns how many of its partition queries were not run. */
    private static int reused(SameAsServer same, String sql) throws Exception {
        same.proxy().reuse(ReuseOutcome.REUSED);
        Outcome outcome = same.fansOut(sql);
        assertThat(outcome.fannedOut()).isTrue();
        return same.proxy().reuse(ReuseOutcome.REUSED);
    }

    /** How many of the partition queries are reused after a change in one partition: MariaDB's log names no partitions. */
    private static int othersThan(TestServer server, int changed) {
        return server.kind().isMariaDb() ? 0 : PARTITIONS - changed;
    }

    @AllServers
    void whatHasNotChangedIsNotReadAgain(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, setup());
                WireConnection admin = same.proxy().direct()) {
            same.proxy().awaitChangeStream();
            assertThat(reused(same, SUMS)).isZero();
            assertThat(reused(same, SUMS)).isEqualTo(PARTITIONS);
            admin.execute("UPDATE it_reuse.t_hash SET dec1 = 7 WHERE p = 8");
            assertThat(reused(same, SUMS)).isEqualTo(othersThan(server, 1));
            assertThat(reused(same, SUMS)).isEqualTo(PARTITIONS);
            admin.execute("UPDATE it_reuse.d SET name = 'zwei' WHERE g = 2");
            assertThat(reused(same, SUMS)).isEqualTo(PARTITIONS);
            admin.execute("ALTER TABLE it_reuse.t_hash COALESCE PARTITION 1");
            same.proxy().tablesChanged();
            assertThat(reused(same, SUMS)).isZero();
            admin.execute("ALTER TABLE it_reuse.t_hash ADD PARTITION PARTITIONS 1");
        }
    }

    /** All workers read the changed partition, and its ranges are reused until it changes again. */
    @AllServers
    void aChangedPartitionIsDivided(TestServer server) throws Exception {
        int degree = 2;
        for (String sums : List.of(
                "SELECT g, COUNT(*), SUM(v) FROM large GROUP BY g ORDER BY g",
                "SELECT g, MIN(id), AVG(v) a FROM large GROUP BY g ORDER BY a DESC, g LIMIT 3",
                "SELECT COUNT(DISTINCT v), SUM(IF(id < 0, v, NULL)) FROM large")) {
            ProxySetup setup = ProxySetup.ofDegree(degree).reuses().keyRanges();
            try (SameAsServer same = DATABASE.compared(server, setup);
                    WireConnection admin = same.proxy().direct()) {
                same.proxy().awaitChangeStream();
                assertThat(reused(same, sums)).isZero();
                change(admin, 8000);
                assertThat(reused(same, sums)).isEqualTo(othersThan(server, 1));
                int queries = same.fansOut(sums).partitions();
                assertThat(reused(same, sums)).as("of the same rows").isEqualTo(queries);
                if (server.kind().isMariaDb()) {
                    assertThat(queries).isEqualTo(PARTITIONS);
                } else {
                    int ranges = queries - othersThan(server, 1);
                    assertThat(ranges).as("ranges, degree %s", degree).isGreaterThan(degree);
                    // another partition is read, and the ranges of the first one are known
                    change(admin, 8001);
                    assertThat(reused(same, sums)).isEqualTo(othersThan(server, 2) + ranges);
                    assertThat(same.fansOut(sums).partitions()).isEqualTo(othersThan(server, 2) + 2 * ranges);
                    // with this change, the ranges of the first one are not
                    change(admin, 8000);
                    assertThat(reused(same, sums)).isEqualTo(othersThan(server, 2) + ranges);
                }
            }
            degree *= 2;
        }
    }

    private static void change(WireConnection admin, int id) throws Exception {
        admin.execute("UPDATE it_reuse.large SET v = v + 3 WHERE id = " + id);
    }

    @AllServers
    void onlyAccountsWithReuseUseRowsAgain(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        ProxySetup some =
                setup().withAccounts(TablesText.accounts("\"reuse_*\": {reuse: off}", "reuse_reports: {reuse: on}"));
        try (ProxiedServer proxy = ProxiedServer.start(server, some);
                WireConnection reports = proxy.proxied("reuse_reports", "pw");
                WireConnection app = proxy.proxied("reuse_app", "pw")) {
            proxy.tablesChanged();
            proxy.awaitChangeStream();
            String sums = SUMS.replace("t_hash", "it_reuse.t_hash");
            List<Row> answer = reports.query(sums).rows();
            for (int i = 0; i < 2; i++) {
                proxy.reuse(ReuseOutcome.REUSED);
                assertThat(app.query(sums).rows()).hasToString(answer.toString());
                assertThat(proxy.reuse(ReuseOutcome.REUSED)).isZero();
                assertThat(reports.query(sums).rows()).hasToString(answer.toString());
                assertThat(proxy.reuse(ReuseOutcome.REUSED)).isEqualTo(PARTITIONS);
            }
        }
    }

    @AllServers
    void otherLimitsAndOrdersShareTheRows(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, setup())) {
            same.proxy().awaitChangeStream();
            assertThat(reused(same, SUMS)).isZero();
            assertThat(reused(same, "SELECT g, COUNT(*), SUM(tiny) FROM t_hash GROUP BY g ORDER BY g DESC LIMIT 2"))
                    .isEqualTo(PARTITIONS);
        }
    }

    @AllServers
    void aChangedDimensionIsReadAgain(TestServer server) throws Exception {
        String join =
                "SELECT name, COUNT(*), SUM(tiny) FROM t_hash JOIN d ON t_hash.g = d.g GROUP BY name ORDER BY name";
        try (SameAsServer same = DATABASE.compared(server, setup());
                WireConnection admin = same.proxy().direct()) {
            same.proxy().awaitChangeStream();
            assertThat(reused(same, join)).isZero();
            assertThat(reused(same, join)).isEqualTo(PARTITIONS);
            admin.execute("UPDATE it_reuse.d SET name = 'deux' WHERE g = 2");
            assertThat(reused(same, join)).isZero();
        }
    }

    /** A partition query reads all partitions of the second one. */
    @AllServers
    void aTableThatIsReadTwiceIsReadAgainWhole(TestServer server) throws Exception {
        String twice = "SELECT COUNT(*), SUM(b.g) FROM t_hash a JOIN t_hash b ON a.id = b.id + 1";
        try (SameAsServer same = DATABASE.compared(server, setup());
                WireConnection admin = same.proxy().direct()) {
            same.proxy().awaitChangeStream();
            assertThat(reused(same, twice)).isZero();
            assertThat(reused(same, twice)).isEqualTo(PARTITIONS);
            admin.execute("UPDATE it_reuse.t_hash SET g = g + 1 WHERE p = 3");
            assertThat(reused(same, twice)).isZero();
        }
    }

    @AllServers
    void timesAreReadAgain(TestServer server) throws Exception {
        String times = "SELECT MAX(tm), COUNT(*) FROM t_hash";
        try (SameAsServer same = DATABASE.compared(server, setup())) {
            same.proxy().awaitChangeStream();
            assertThat(reused(same, times)).isZero();
            assertThat(reused(same, times)).isZero();
        }
    }

    @AllServers
    void aChildOfACascadeIsReadAgain(TestServer server) throws Exception {
        String join = "SELECT COUNT(*), SUM(c.v) FROM t_hash JOIN child c ON t_hash.g = c.g";
        try (SameAsServer same = DATABASE.compared(server, setup());
                WireConnection admin = same.proxy().direct()) {
            same.proxy().awaitChangeStream();
            assertThat(reused(same, join)).isZero();
            assertThat(reused(same, join)).isEqualTo(PARTITIONS);
            admin.execute("UPDATE it_reuse.parent SET g = 4 WHERE g = 3");
            assertThat(reused(same, join)).isZero();
        }
    }

    /** The rows depend on these too. */
    @AllServers
    void anotherSessionSettingOrTimeHasRowsOfItsOwn(TestServer server) throws Exception {
        String now = "SELECT COUNT(*) FROM t_hash WHERE tiny < UNIX_TIMESTAMP(NOW())";
        try (SameAsServer same = DATABASE.compared(server, setup())) {
            same.proxy().awaitChangeStream();
            assertThat(reused(same, SUMS)).isZero();
            same.onBoth("SET div_precision_increment = 7");
            assertThat(reused(same, SUMS)).isZero();
            assertThat(reused(same, SUMS)).isEqualTo(PARTITIONS);
            same.onBoth("SET div_precision_increment = 4");
            assertThat(reused(same, SUMS)).isEqualTo(PARTITIONS);
            assertThat(reused(same, now)).isZero();
            assertThat(reused(same, now)).isZero();
            same.fansOut(SUMS, SUMS.replace("SELECT", "SELECT /*+ NO_REUSE */"));
            assertThat(same.proxy().reuse(ReuseOutcome.REUSED)).isZero();
        }
    }

    @AllServers
    void explainShowAndPurgeKnowTheRows(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, setup());
                WireConnection client = same.proxy().proxied()) {
            client.execute("USE it_reuse");
            same.proxy().awaitChangeStream();
            assertThat(client.query("EXPLAIN FORMAT=FANFOLD " + SUMS).rows().toString())
                    .contains("reused queries|0");
            assertThat(reused(same, SUMS)).isZero();
            assertThat(client.query("EXPLAIN FORMAT=FANFOLD " + SUMS).rows().toString())
                    .contains("reused queries|" + PARTITIONS);
            assertThat(client.query("ANALYZE FORMAT=FANFOLD " + SUMS).rows().toString())
                    .contains(" ago")
                    .doesNotContain("connection");
            assertThat(client.query("SHOW FANFOLD REUSE").rows().toString())
                    .contains("CONNECTED")
                    .contains("|" + PARTITIONS + "|");
            client.execute("PURGE FANFOLD REUSE");
            assertThat(same.proxy().reuseBytes()).isZero();
            assertThat(reused(same, SUMS)).isZero();
        }
    }

    @AllServers
    void manyStatementsStayInTheirMemory(TestServer server) throws Exception {
        long limit = 40_000;
        ProxySetup small = setup().withLimits(setup().limits().withReuseMemoryBytes(limit));
        try (SameAsServer same = DATABASE.compared(server, small)) {
            same.proxy().awaitChangeStream();
            for (int i = 0; i < STATEMENTS; i++) {
                same.fansOut("SELECT id, tiny, COUNT(*) FROM t_hash WHERE id > " + i
                        + " GROUP BY id, tiny ORDER BY id, tiny");
                assertThat(same.proxy().reuseBytes()).isLessThanOrEqualTo(limit);
            }
            assertThat(same.proxy().reuseBytes()).isGreaterThan(limit / 2);
        }
    }

    /** Statements of the corpus, twice without and once after a change: each fifth one, or with another step. */
    @AllServers
    void everyStatementMayBeAskedAgain(TestServer server) throws Exception {
        List<String> corpus = SplitTables.statements("split-fans-out.sql");
        List<String> statements = new ArrayList<>();
        for (int i = 0; i < corpus.size(); i += STEP) {
            statements.add(SplitIT.on(corpus.get(i), "t_hash").replace("it_split.", "it_reuse."));
        }
        try (SameAsServer same = DATABASE.compared(server, setup().keyRanges());
                WireConnection admin = same.proxy().direct()) {
            same.proxy().awaitChangeStream();
            int reused = 0;
            for (String statement : statements) {
                same.same(statement);
                same.proxy().reuse(ReuseOutcome.REUSED);
                same.same(statement);
                reused += same.proxy().reuse(ReuseOutcome.REUSED) > 0 ? 1 : 0;
            }
            assertThat(reused).isGreaterThan(statements.size() / 2);
            admin.execute("UPDATE it_reuse.t_hash SET g = g + 1 WHERE p IN (2, 3)");
            for (String statement : statements) {
                same.same(statement);
            }
        }
    }
}

package io.fanfold.it.answers;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Partition-local groups: GROUP BY contains the partitioning column, and only complete groups give the answer. */
class WholeGroupsIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_whole", WholeGroupsIT::create);

    /**
     * Tables by name: the partitioning column and the clause. No other test's tables have these names. Otherwise the
     * first analysis, which does not know the session's database, might use theirs.
     */
    private static final Map<String, List<String>> TABLES = new TreeMap<>(Map.of(
            "w_hash", List.of("p", "PARTITION BY HASH (p) PARTITIONS 5"),
            "w_key", List.of("p", "PARTITION BY KEY (p) PARTITIONS 4"),
            "w_list",
                    List.of(
                            "p",
                            "PARTITION BY LIST (p) (PARTITION a VALUES IN (0,1,2,NULL), PARTITION b VALUES IN (3,4,5,6,7))"),
            "w_year",
                    List.of(
                            "d",
                            "PARTITION BY RANGE (YEAR(d)) (PARTITION a VALUES LESS THAN (2001),"
                                    + " PARTITION b VALUES LESS THAN (2003), PARTITION c VALUES LESS THAN MAXVALUE)"),
            "w_day",
                    List.of(
                            "d",
                            "PARTITION BY RANGE COLUMNS (d) (PARTITION a VALUES LESS THAN ('2001-03-01'),"
                                    + " PARTITION b VALUES LESS THAN (MAXVALUE))")));

    /** K stands for the partitioning column. */
    private static final List<String> STATEMENTS = List.of(
            "SELECT K, ROUND(AVG(v), 1), COUNT(*) FROM T GROUP BY K",
            "SELECT K AS k, AVG(v) * 2 AS m, SUM(v) FROM T GROUP BY k HAVING m > 100 ORDER BY SUM(v) DESC, k LIMIT 4",
            "SELECT K, g, FLOOR(AVG(v) / 3), COUNT(DISTINCT v) FROM T WHERE id > 20 GROUP BY g, K ORDER BY K DESC, g",
            "SELECT x.K, y.w, AVG(x.v) + y.w FROM T x JOIN other y ON x.g = y.k GROUP BY x.K, y.w ORDER BY x.K, y.w",
            "SELECT K, AVG(v) + 1, MIN(s), MAX(d) FROM T WHERE v > 99999 GROUP BY K");

    @AllServers
    void partitionLocalGroupsFanOutOnEveryScheme(TestServer server) throws Exception {
        for (int degree : List.of(1, 3)) {
            try (SameAsServer same = DATABASE.compared(server, degree)) {
                for (String table : TABLES.keySet()) {
                    for (String statement : STATEMENTS) {
                        same.fansOut(on(statement, table));
                    }
                }
            }
        }
    }

    @AllServers
    void aggregatesThatDependOnTheOrderOfRowsFanOut(TestServer server) throws Exception {
        try (SameAsServer same =
                DATABASE.compared(server, ProxySetup.ofDegree(2).approximate())) {
            same.fansOut("SELECT p, GROUP_CONCAT(id ORDER BY id DESC SEPARATOR '|') FROM w_hash GROUP BY p ORDER BY p");
        }
    }

    @AllServers
    void otherGroupsPassThrough(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 3)) {
            for (String statement : List.of(
                    "SELECT g, AVG(v) * 2 FROM w_hash GROUP BY g",
                    "SELECT p + 1, AVG(v) * 2 FROM w_hash GROUP BY p + 1",
                    "SELECT p, AVG(v) * 2 FROM w_hash GROUP BY p ORDER BY AVG(v)",
                    "SELECT YEAR(d), AVG(v) * 2 FROM w_year GROUP BY YEAR(d)",
                    "SELECT p, s, AVG(v) * 2 FROM w_hash GROUP BY p, s",
                    "SELECT p, AVG(v) * 2 FROM w_year GROUP BY p")) {
                same.passesThrough(statement, Reason.AVG_IN_EXPRESSION);
            }
        }
    }

    /** The catalog may be stale: the partitions have the same names, but hold other rows. */
    @AllServers
    void aRepartitionedTableIsNotTakenForTheOldOne(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 3);
                WireConnection admin = same.proxy().direct()) {
            same.fansOut("SELECT p, AVG(v) * 2 FROM w_hash GROUP BY p ORDER BY p");
            admin.execute("ALTER TABLE it_whole.w_hash PARTITION BY HASH (id) PARTITIONS 5");
            same.passesThrough("SELECT p, AVG(v) * 2 FROM w_hash GROUP BY p ORDER BY p", Reason.AVG_IN_EXPRESSION);
            same.fansOut("SELECT p, SUM(v), COUNT(*) FROM w_hash GROUP BY p ORDER BY p");
            same.fansOut("SELECT p, SUM(v), COUNT(*) FROM w_hash GROUP BY p");
            // while the table was partitioned by p, its distinct values could be added up
            same.fansOut("SELECT COUNT(DISTINCT p), SUM(DISTINCT p) FROM w_hash");
        }
    }

    private static String on(String statement, String table) {
        return statement
                .replaceAll("\\bT\\b", table)
                .replaceAll("\\bK\\b", TABLES.getOrDefault(table, List.of("p")).get(0));
    }

    private static void create(WireConnection admin) throws Exception {
        Random random = new Random(3);
        StringBuilder values = new StringBuilder();
        for (int id = 0; id < 400; id++) {
            String text = List.of("a", "A", "é", "E", "k", "zz", "", "n ").get(random.nextInt(8));
            values.append(id == 0 ? "" : ",")
                    .append("(" + id + "," + random.nextInt(8) + "," + random.nextInt(4) + ",")
                    .append(random.nextInt(5) == 0 ? "NULL" : random.nextInt(100_000) / 100.0)
                    .append(",'" + text + "','" + (1999 + random.nextInt(6)) + "-0" + (1 + random.nextInt(9))
                            + "-11')");
        }
        admin.execute("CREATE TABLE other (k INT PRIMARY KEY, w INT) ENGINE=InnoDB");
        admin.execute("INSERT INTO other VALUES (0, 5), (1, 6), (2, 5)");
        for (Map.Entry<String, List<String>> table : TABLES.entrySet()) {
            admin.execute(
                    "CREATE TABLE " + table.getKey() + " (id INT NOT NULL, p INT NOT NULL, g INT, v DECIMAL(10,2),"
                            + " s VARCHAR(10) NOT NULL, d DATE NOT NULL, KEY (g)) ENGINE=InnoDB "
                            + table.getValue().get(1));
            admin.execute("INSERT INTO " + table.getKey() + " VALUES " + values);
            admin.query("ANALYZE TABLE " + table.getKey());
        }
    }
}

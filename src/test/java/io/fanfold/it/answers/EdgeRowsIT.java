package io.fanfold.it.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Statements over unusual sets of rows, at every degree: tables without rows, rows in one partition only, NULL
 * everywhere, every row several times, and equal texts with different bytes.
 */
class EdgeRowsIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_edge", EdgeRowsIT::create);

    /** By table name prefix (tables end in _a and _b): the rows of both as (id, k, g, v, s). */
    private static final Map<String, String> ROWS = new LinkedHashMap<>();

    static {
        ROWS.put("empty", "");
        ROWS.put("lone", "(1,4,1,2.5,'x'),(2,8,1,2.5,'X'),(3,4,2,-1,'y')");
        ROWS.put("nothing", "(1,NULL,NULL,NULL,NULL),(2,NULL,NULL,NULL,NULL),(3,NULL,NULL,NULL,NULL)");
        ROWS.put("twice", "(1,1,1,1,'a'),(1,1,1,1,'a'),(1,1,1,1,'a'),(2,2,1,1,'a'),(2,2,1,1,'a'),(3,7,2,1,'a')");
        ROWS.put("equal", "(1,1,1,1,'é'),(2,2,1,2,'E'),(3,3,1,3,'e '),(4,5,1,NULL,'e'),(5,6,NULL,4,'É'),(6,7,2,5,'f')");
        ROWS.put(
                "mixed",
                "(1,NULL,1,1.25,'a'),(2,0,NULL,2,'A'),(3,-3,2,NULL,NULL),(4,5,2,1.25,'b'),(5,5,2,-9,'b'),(6,9,3,0,''),"
                        + "(7,-9223372036854775808,3,99999999.99,'z'),(8,9223372036854775807,1,0.01,'a')");
    }

    private static final List<String> STATEMENTS = List.of(
            // partition by partition
            "SELECT a.g, COUNT(*), SUM(b.v), MAX(b.v) FROM T_a a JOIN T_b b ON a.k = b.k GROUP BY a.g ORDER BY a.g",
            "SELECT COUNT(*), SUM(a.v * b.v), COUNT(DISTINCT a.g) FROM T_a a, T_b b WHERE b.k = a.k AND a.v < 100",
            "SELECT a.id, b.id FROM T_a a JOIN T_b b ON a.k = b.k WHERE b.id + 0 > 1 ORDER BY a.id DESC, b.id LIMIT 5",
            // distinct values that can be added up
            "SELECT COUNT(DISTINCT k), SUM(DISTINCT k), COUNT(*) FROM T_a",
            "SELECT g, COUNT(DISTINCT k), COUNT(DISTINCT v, k) FROM T_a GROUP BY g ORDER BY g",
            "SELECT k, COUNT(DISTINCT v), SUM(DISTINCT v) FROM T_a GROUP BY k ORDER BY k",
            // named windows
            "SELECT id, v, SUM(g) OVER w, ROW_NUMBER() OVER (w) FROM T_a WHERE id + 0 > 0"
                    + " WINDOW w AS (PARTITION BY g ORDER BY id, v, k) ORDER BY id, v, k",
            "SELECT g, COUNT(*), RANK() OVER w FROM T_a GROUP BY g WINDOW w AS (ORDER BY COUNT(*) DESC, g) ORDER BY g",
            // partition-local groups and merged groups
            "SELECT k, AVG(v) * 2, COUNT(*) FROM T_a GROUP BY k ORDER BY k",
            "SELECT s, COUNT(*), MIN(id), AVG(v) FROM T_a GROUP BY s ORDER BY s",
            "SELECT DISTINCT g, v FROM T_a ORDER BY g, v",
            "SELECT g, SUM(v), BIT_XOR(id) FROM T_a GROUP BY g WITH ROLLUP");

    @AllServers
    void haveTheServersAnswers(TestServer server) throws Exception {
        for (int degree : List.of(1, 2, 7)) {
            try (SameAsServer same = DATABASE.compared(server, degree)) {
                for (String table : ROWS.keySet()) {
                    for (String statement : STATEMENTS) {
                        same.fansOut(statement.replaceAll("\\bT_", table + "_"));
                    }
                }
            }
        }
    }

    /** With little work there is one worker, and one query reads several partitions. */
    @AllServers
    void oneWorkerHasTheServersAnswers(TestServer server) throws Exception {
        try (SameAsServer same = littleWork(server)) {
            for (String table : ROWS.keySet()) {
                for (String statement : STATEMENTS) {
                    String sql = statement.replaceAll("\\bT_", table + "_");
                    assertThat(same.fansOut(sql, hinted(sql)).degree()).as(sql).isEqualTo(1);
                }
            }
        }
    }

    /** A proxy that compares costs. All tables here have little work. */
    private static SameAsServer littleWork(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(7);
        return DATABASE.compared(server, setup.withFanOut(setup.fanOut().withMinRows(1)));
    }

    private static String hinted(String statement) {
        return statement.replaceFirst("SELECT", "SELECT /*+ PARALLEL */");
    }

    /** If only one partition remains there is nothing to split, and the server answers. */
    @AllServers
    void onePartitionIsLeftToTheServer(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            for (String condition : List.of("k = 4", "k IN (4, 8)", "k IS NULL")) {
                for (String table : ROWS.keySet()) {
                    same.passesThrough(
                            "SELECT g, COUNT(DISTINCT k), SUM(v) FROM " + table + "_a WHERE " + condition
                                    + " GROUP BY g ORDER BY g",
                            Reason.FEW_PARTITIONS);
                }
            }
        }
    }

    /** The partition query fails on a value that only one partition has. The client gets the server's error. */
    @AllServers
    void failWithTheServersError(TestServer server) throws Exception {
        for (int degree : List.of(1, 2, 7)) {
            try (SameAsServer same = DATABASE.compared(server, degree)) {
                failWithTheServersError(same);
            }
        }
        try (SameAsServer same = littleWork(server)) {
            failWithTheServersError(same);
        }
    }

    private static void failWithTheServersError(SameAsServer same) throws Exception {
        for (String statement : List.of(
                "SELECT COUNT(DISTINCT k), SUM(k + 1) FROM mixed_a",
                "SELECT a.g, SUM(a.k - 1) FROM mixed_a a JOIN mixed_b b ON a.k = b.k GROUP BY a.g",
                "SELECT id, COUNT(*) OVER w FROM mixed_a WHERE k - 1 < 5 WINDOW w AS (ORDER BY id)",
                "SELECT k, AVG(k - 1) + 1 FROM mixed_a GROUP BY k")) {
            same.passesThrough(hinted(statement), Reason.WORKER_ERROR);
            String right = "SELECT COUNT(DISTINCT k), SUM(g) FROM mixed_a";
            same.fansOut(right, hinted(right));
        }
    }

    private static void create(WireConnection admin) throws Exception {
        for (Map.Entry<String, String> rows : ROWS.entrySet()) {
            for (String table : List.of(rows.getKey() + "_a", rows.getKey() + "_b")) {
                admin.execute("CREATE TABLE " + table + " (id INT, k BIGINT, g INT, v DECIMAL(10,2),"
                        + " s VARCHAR(10)) ENGINE=InnoDB PARTITION BY HASH (k) PARTITIONS 4");
                if (!rows.getValue().isEmpty()) {
                    admin.execute("INSERT INTO " + table + " VALUES " + rows.getValue());
                }
                admin.query("ANALYZE TABLE " + table);
            }
        }
    }
}

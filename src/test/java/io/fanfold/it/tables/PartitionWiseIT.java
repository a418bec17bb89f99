package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.GeneralLog;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Co-partitioned tables that are joined on their partitioning columns are read partition by partition, for every
 * scheme. Other tables are read whole. The server's general log shows what partition queries read.
 */
class PartitionWiseIT {
    private static final int ROWS = 400;

    private static final List<String> STATEMENTS = List.of(
            "SELECT a.g, COUNT(*), SUM(b.w), MAX(b.s) FROM A a JOIN B b ON EQUAL GROUP BY a.g ORDER BY a.g",
            "SELECT b.w, COUNT(DISTINCT a.g) FROM B b, A a WHERE EQUAL AND a.g > 1 GROUP BY b.w ORDER BY b.w",
            "SELECT a.id, b.w FROM A a STRAIGHT_JOIN B b ON EQUAL WHERE b.w < 40",
            "SELECT COUNT(*), SUM(b.w) FROM dim JOIN A a ON a.g = dim.n JOIN B b ON EQUAL AND b.w > dim.n",
            "SELECT a.g, COUNT(*), COUNT(b.j), SUM(b.w) FROM A a LEFT JOIN B b ON EQUAL AND b.w < 50 GROUP BY a.g",
            "SELECT a.id, b.w FROM (B b JOIN dim ON b.w = dim.n) RIGHT JOIN A a ON EQUAL WHERE a.id > 5 ORDER BY a.id, b.id",
            "SELECT COUNT(*), SUM(a.id) FROM A a LEFT JOIN B b ON EQUAL WHERE b.j IS NULL",
            "SELECT COUNT(*), SUM(b.w) FROM A a LEFT JOIN B b ON a.id = b.id WHERE EQUAL",
            "SELECT MAX(x.n) FROM (SELECT b.s, COUNT(*) AS n FROM A a JOIN B b ON EQUAL GROUP BY b.s) x");

    /** The join conditions, by the partitioning schemes of tables A and B. */
    private static Map<List<String>, String> schemes() {
        Map<List<String>, String> schemes = new LinkedHashMap<>();
        schemes.put(List.of("HASH (k) PARTITIONS 5", "HASH (j) PARTITIONS 5"), "a.k = b.j");
        schemes.put(
                List.of("LINEAR HASH (k) PARTITIONS 3", "LINEAR HASH (j) (PARTITION x, PARTITION `y z`, PARTITION p0)"),
                "b.j = a.k");
        schemes.put(List.of("KEY (k) PARTITIONS 4", "KEY (j) PARTITIONS 4"), "(a.k = b.j)");
        schemes.put(List.of("KEY (k, d) PARTITIONS 4", "KEY (j, e) PARTITIONS 4"), "a.d = b.e AND a.k = b.j");
        schemes.put(
                List.of(
                        "RANGE (k) (PARTITION low VALUES LESS THAN (0), PARTITION mid VALUES LESS THAN (20),"
                                + " PARTITION high VALUES LESS THAN MAXVALUE)",
                        "RANGE (j) (PARTITION high VALUES LESS THAN (0), PARTITION low VALUES LESS THAN (20),"
                                + " PARTITION Größe VALUES LESS THAN MAXVALUE)"),
                "a.k = b.j");
        schemes.put(
                List.of(
                        "RANGE (YEAR(d)) (PARTITION p0 VALUES LESS THAN (2001), PARTITION p1 VALUES LESS THAN (2003),"
                                + " PARTITION p2 VALUES LESS THAN MAXVALUE)",
                        "RANGE (YEAR(e)) (PARTITION p0 VALUES LESS THAN (2001), PARTITION p1 VALUES LESS THAN (2003),"
                                + " PARTITION p2 VALUES LESS THAN MAXVALUE)"),
                "a.d = b.e");
        schemes.put(
                List.of(
                        "RANGE COLUMNS (d) (PARTITION p0 VALUES LESS THAN ('2001-05-05'),"
                                + " PARTITION p1 VALUES LESS THAN (MAXVALUE))",
                        "RANGE COLUMNS (e) (PARTITION p0 VALUES LESS THAN ('2001-05-05'),"
                                + " PARTITION p1 VALUES LESS THAN (MAXVALUE))"),
                "a.d = b.e");
        schemes.put(
                List.of(
                        "LIST (k % 3) (PARTITION p0 VALUES IN (0), PARTITION p1 VALUES IN (1, 2, -1, -2))",
                        "LIST (j % 3) (PARTITION p0 VALUES IN (0), PARTITION p1 VALUES IN (1, 2, -1, -2))"),
                "");
        return schemes;
    }

    @AllServers
    void coPartitionedTablesAreReadPartitionByPartition(TestServer server) throws Exception {
        for (Map.Entry<List<String>, String> scheme : schemes().entrySet()) {
            // expressions whose columns are unknown never make tables co-partitioned
            boolean alike = !scheme.getValue().isEmpty();
            String equal = alike ? scheme.getValue() : "a.k = b.j";
            try (ProxiedServer proxy = proxy(server)) {
                create(proxy, scheme.getKey().get(0), scheme.getKey().get(1));
                for (String statement : STATEMENTS) {
                    assertThat(readsBoth(proxy, on(statement, equal)))
                            .as("%s of %s", statement, scheme.getKey())
                            .isEqualTo(alike);
                }
            }
        }
    }

    /**
     * Another number of partitions, method or limits; other columns; an equality that does not hold for all rows, or
     * between other types.
     */
    @AllServers
    void othersAreReadWhole(TestServer server) throws Exception {
        String hash = "HASH (k) PARTITIONS 4";
        String ranges =
                "RANGE (COLUMN) (PARTITION p0 VALUES LESS THAN (LIMIT), PARTITION p1 VALUES LESS THAN MAXVALUE)";
        List<List<String>> cases = List.of(
                List.of(hash, "HASH (j) PARTITIONS 3", "a.k = b.j"),
                List.of(hash, "LINEAR HASH (j) PARTITIONS 4", "a.k = b.j"),
                List.of(hash, "KEY (j) PARTITIONS 4", "a.k = b.j"),
                List.of(hash, "HASH (big) PARTITIONS 4", "a.k = b.big"),
                List.of(hash, "HASH (j) PARTITIONS 4", "a.k = b.w"),
                List.of(hash, "HASH (j) PARTITIONS 4", "a.k = b.j + 0"),
                List.of(hash, "HASH (j) PARTITIONS 4", "(a.k = b.j OR a.id = b.id)"),
                List.of(hash, "HASH (j) PARTITIONS 4", "a.k <=> b.j"),
                List.of("KEY (k, d) PARTITIONS 4", "KEY (j, e) PARTITIONS 4", "a.k = b.j"),
                List.of("KEY (k, d) PARTITIONS 4", "KEY (e, j) PARTITIONS 4", "a.k = b.j AND a.d = b.e"),
                List.of(
                        ranges.replace("COLUMN", "k").replace("LIMIT", "10"),
                        ranges.replace("COLUMN", "j").replace("LIMIT", "11"),
                        "a.k = b.j"),
                List.of(
                        ranges.replace("COLUMN", "k").replace("LIMIT", "10"),
                        ranges.replace("COLUMN", "j")
                                .replace("LIMIT", "10")
                                .replace("p1", "p1 VALUES LESS THAN (20), PARTITION p2"),
                        "a.k = b.j"));
        for (List<String> one : cases) {
            try (ProxiedServer proxy = proxy(server)) {
                create(proxy, one.get(0), one.get(1));
                for (String statement : STATEMENTS) {
                    assertThat(readsBoth(proxy, on(statement, one.get(2))))
                            .as("%s of %s", statement, one)
                            .isFalse();
                }
            }
        }
    }

    /** A condition of an outer join about its outer table does not hold for rows without a match. */
    @AllServers
    void columnsOfUsingAreEqualAndThoseOfAnotherJoinAreNot(TestServer server) throws Exception {
        try (ProxiedServer proxy = proxy(server)) {
            create(proxy, "HASH (id) PARTITIONS 4", "HASH (id) PARTITIONS 4");
            for (String statement : List.of(
                    "SELECT a.g, COUNT(*), SUM(b.w) FROM a JOIN b USING (id) GROUP BY a.g",
                    "SELECT id, a.k, b.w FROM a LEFT JOIN b USING (id) WHERE a.k > 1",
                    "SELECT COUNT(*), COUNT(dim.n) FROM a JOIN b USING (id) LEFT JOIN dim ON dim.n = a.g")) {
                assertThat(readsBoth(proxy, statement)).as(statement).isTrue();
            }
            for (String statement : List.of(
                    "SELECT COUNT(*), COUNT(dim.n) FROM a JOIN b ON a.k = b.j LEFT JOIN dim ON a.id = b.id",
                    "SELECT COUNT(*), COUNT(dim.n) FROM (dim JOIN b ON b.w = dim.n) JOIN a ON a.k = b.j AND a.id <= b.id",
                    "SELECT COUNT(*), COUNT(a.k) FROM a JOIN dim ON a.g = dim.n LEFT JOIN b ON a.g = b.w")) {
                assertThat(readsBoth(proxy, statement)).as(statement).isFalse();
            }
        }
    }

    /** The catalog has not been refreshed. Only the definition in the workers' snapshot shows the change. */
    @AllServers
    void aRepartitionedTableIsReadWhole(TestServer server) throws Exception {
        try (ProxiedServer proxy = proxy(server)) {
            create(proxy, "HASH (k) PARTITIONS 4", "HASH (j) PARTITIONS 4");
            String statement = on(STATEMENTS.get(0), "a.k = b.j");
            assertThat(readsBoth(proxy, statement)).isTrue();
            for (String scheme : List.of("KEY (j) PARTITIONS 4", "HASH (w) PARTITIONS 4", "HASH (id) PARTITIONS 4")) {
                try (WireConnection admin = proxy.direct()) {
                    admin.execute("ALTER TABLE it_wise.b PARTITION BY " + scheme);
                }
                assertThat(readsBoth(proxy, statement)).as(scheme).isFalse();
            }
            try (WireConnection admin = proxy.direct()) {
                admin.execute("ALTER TABLE it_wise.b PARTITION BY HASH (j) PARTITIONS 4");
            }
            assertThat(readsBoth(proxy, statement)).isTrue();
        }
    }

    /** Errors and warnings of a table's other rows must appear. So no fewer partitions are read than by the server. */
    @AllServers
    void aPrunedTableLeavesTheOtherWhole(TestServer server) throws Exception {
        String ranges = "RANGE (COLUMN) (PARTITION p0 VALUES LESS THAN (0), PARTITION p1 VALUES LESS THAN (20),"
                + " PARTITION p2 VALUES LESS THAN MAXVALUE)";
        try (ProxiedServer proxy = proxy(server)) {
            create(proxy, ranges.replace("COLUMN", "k"), ranges.replace("COLUMN", "j"));
            String joined = " a JOIN b ON a.k = b.j";
            assertThat(readsBoth(proxy, "SELECT COUNT(*) FROM a PARTITION (p0, p1)" + joined))
                    .isFalse();
            // if the server prunes both tables
            assertThat(readsBoth(proxy, "SELECT COUNT(*) FROM a" + joined + " WHERE a.k < 15 AND b.j < 12"))
                    .isTrue();
        }
    }

    /** Keys of either table are filtered as those of any joined table. */
    @AllServers
    void coPartitionedTablesHaveFiltersToo(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 3)) {
            create(proxy, "HASH (k) PARTITIONS 5", "HASH (j) PARTITIONS 5");
            try (SameAsServer same = new SameAsServer(proxy)) {
                same.onBoth("USE it_wise");
                same.same("SELECT a.g, COUNT(*), SUM(b.w) FROM a a JOIN b b ON a.k = b.j WHERE b.w < 40 GROUP BY a.g");
                assertThat(proxy.outcome().filterKeys()).hasSize(1);
            }
        }
    }

    /** Checks that the test itself detects a missing PARTITION clause. */
    @Test
    void theLogIsReadRight() {
        assertThat(ofBoth("SELECT 1 FROM a PARTITION (`p0`) a JOIN b PARTITION (`x`) b ON a.k = b.j"))
                .isTrue();
        assertThat(ofBoth("SELECT 1 FROM a PARTITION (`p0`) a JOIN b b ON a.k = b.j"))
                .isFalse();
    }

    /** Starts a proxy without dynamic filters, because these skip partitions. */
    private static ProxiedServer proxy(TestServer server) throws Exception {
        return ProxiedServer.start(server, ProxySetup.ofDegree(3).withoutFilters());
    }

    /**
     * Whether each partition query names partitions of both tables. The statement must fan out with the same answer.
     */
    private static boolean readsBoth(ProxiedServer proxy, String statement) throws Exception {
        try (SameAsServer same = new SameAsServer(proxy);
                GeneralLog log = new GeneralLog(proxy)) {
            same.onBoth("USE it_wise");
            same.fansOut(statement);
            List<String> queries = log.statements().stream()
                    .map(GeneralLog.Entry::sql)
                    .filter(sql -> sql.contains("*/ SELECT ") && sql.contains(" PARTITION (`"))
                    .toList();
            assertThat(queries).as("partition queries of %s", statement).hasSizeGreaterThan(1);
            long both = queries.stream().filter(PartitionWiseIT::ofBoth).count();
            assertThat(both).isIn(0L, (long) queries.size());
            return both > 0;
        }
    }

    private static boolean ofBoth(String query) {
        return query.contains("a PARTITION (`") && query.contains("b PARTITION (`");
    }

    private static String on(String statement, String equal) {
        return statement.replace("EQUAL", equal).replaceAll("\\bA\\b", "a").replaceAll("\\bB\\b", "b");
    }

    private static void create(ProxiedServer proxy, String schemeOfA, String schemeOfB) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS it_wise");
            admin.execute("CREATE DATABASE it_wise");
            admin.execute("USE it_wise");
            admin.execute("CREATE TABLE dim (n INT PRIMARY KEY)");
            admin.execute("INSERT INTO dim VALUES (0), (1), (2), (3)");
            admin.execute("CREATE TABLE a (id INT, k INT NOT NULL, d DATE NOT NULL, g INT) ENGINE=InnoDB PARTITION BY "
                    + schemeOfA);
            admin.execute("CREATE TABLE b (id INT, j INT NOT NULL, e DATE NOT NULL, w INT, s VARCHAR(9),"
                    + " big BIGINT NOT NULL) ENGINE=InnoDB PARTITION BY " + schemeOfB);
            List<String> left = new ArrayList<>();
            List<String> right = new ArrayList<>();
            for (int i = 0; i < ROWS; i++) {
                String day = "'200" + i % 5 + "-0" + (1 + i % 9) + "-1" + i % 3 + "'";
                left.add("(" + i + "," + (i * 7 % 60 - 20) + "," + day + "," + (i % 11 == 0 ? "NULL" : i % 6) + ")");
                if (i % 2 == 0) {
                    int j = i * 3 % 50 - 15;
                    right.add("(" + i + "," + j + "," + day + "," + i % 70 + ",'s" + i % 4 + "'," + j + ")");
                }
            }
            admin.execute("INSERT INTO a VALUES " + String.join(",", left));
            admin.execute("INSERT INTO b VALUES " + String.join(",", right));
            admin.query("ANALYZE TABLE a, b, dim");
        }
        proxy.tablesChanged();
    }
}

package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Statements fan out over all partitions they read, for every partitioning scheme and every kind of partition name. */
class PartitionSchemesIT {
    private static final int ROWS = 600;
    private static final int MOST_PARTITIONS = 8192;

    private static final List<String> STATEMENTS = List.of(
            "SELECT g, COUNT(*), SUM(id), MIN(d), MAX(s) FROM T GROUP BY g ORDER BY g",
            "SELECT s, COUNT(DISTINCT p), AVG(p) FROM T GROUP BY s",
            "SELECT id, p, d, s FROM T ORDER BY p DESC, id LIMIT 5, 70",
            "SELECT COUNT(*), MIN(id), MAX(p) FROM T");

    private static Map<String, String> schemes(ServerFlavor kind) {
        Map<String, String> schemes = new LinkedHashMap<>();
        String ranges = "(PARTITION p0 VALUES LESS THAN (3), PARTITION none VALUES LESS THAN (4),"
                + " PARTITION p1 VALUES LESS THAN (8), PARTITION p2 VALUES LESS THAN MAXVALUE)";
        String lists = "(PARTITION p0 VALUES IN (0,1,2), PARTITION p1 VALUES IN (3), PARTITION p2 VALUES IN (4,5,6,7),"
                + " PARTITION p3 VALUES IN (8,9,10,11))";
        schemes.put("s_range", "RANGE (p) " + ranges);
        schemes.put(
                "s_range_year",
                "RANGE (YEAR(d)) "
                        + ranges.replace("(3)", "(2001)")
                                .replace("(4)", "(2002)")
                                .replace("(8)", "(2004)"));
        schemes.put("s_list", "LIST (p) " + lists);
        schemes.put("s_hash", "HASH (p) PARTITIONS 5");
        schemes.put("s_hash_of", "HASH (p * 3 + id) PARTITIONS 4");
        schemes.put("s_linear_hash", "LINEAR HASH (p) PARTITIONS 6");
        schemes.put("s_key", "KEY (p) PARTITIONS 3");
        schemes.put("s_key_strings", "KEY (s, d) PARTITIONS 4");
        schemes.put("s_key_of_none", "KEY () PARTITIONS 4");
        schemes.put("s_key_old", "KEY ALGORITHM=1 (p) PARTITIONS 3");
        schemes.put("s_linear_key", "LINEAR KEY (p) PARTITIONS 5");
        schemes.put("s_linear_key_of_none", "LINEAR KEY () PARTITIONS 5");
        schemes.put(
                "s_range_columns",
                "RANGE COLUMNS (s) (PARTITION p0 VALUES LESS THAN ('b'),"
                        + " PARTITION p1 VALUES LESS THAN ('c'), PARTITION p2 VALUES LESS THAN (MAXVALUE))");
        schemes.put(
                "s_range_two_columns",
                "RANGE COLUMNS (d, p) (PARTITION p0 VALUES LESS THAN ('2001-01-01', 5),"
                        + " PARTITION p1 VALUES LESS THAN ('2002-01-01', MAXVALUE),"
                        + " PARTITION p2 VALUES LESS THAN (MAXVALUE, MAXVALUE))");
        schemes.put(
                "s_list_columns",
                "LIST COLUMNS (s) (PARTITION p0 VALUES IN ('a', 'c'),"
                        + " PARTITION p1 VALUES IN ('b'), PARTITION p2 VALUES IN ('d', 'e'))");
        schemes.put("s_sub_hash", "RANGE (p) SUBPARTITION BY HASH (id) SUBPARTITIONS 3 " + ranges);
        schemes.put("s_sub_linear_hash", "LIST (p) SUBPARTITION BY LINEAR HASH (id) SUBPARTITIONS 2 " + lists);
        schemes.put("s_sub_key", "RANGE (p) SUBPARTITION BY KEY (s) SUBPARTITIONS 2 " + ranges);
        schemes.put("s_sub_linear_key", "RANGE (p) SUBPARTITION BY LINEAR KEY (s) SUBPARTITIONS 2 " + ranges);
        schemes.put("s_sub_columns", "LIST COLUMNS (p) SUBPARTITION BY KEY (id) SUBPARTITIONS 2 " + lists);
        schemes.put(
                "s_sub_names",
                "RANGE (p) SUBPARTITION BY HASH (id) (PARTITION p_0 VALUES LESS THAN (6)"
                        + " (SUBPARTITION `a b`, SUBPARTITION `x_1`), PARTITION p1 VALUES LESS THAN MAXVALUE"
                        + " (SUBPARTITION `c-d`, SUBPARTITION `Größe`))");
        schemes.put(
                "s_odd_names",
                "LIST (p) "
                        + named(List.of(
                                "p-1", "p`q", "p\"q", "p 'q'", "Größe", "日本", "select", "P_Upper", "a;b", "1", "p)--",
                                "\\n")));
        if (kind == ServerFlavor.MARIADB) {
            schemes.put("s_list_default", "LIST (p) (PARTITION p0 VALUES IN (0,1,2), PARTITION p1 DEFAULT)");
            schemes.put(
                    "s_list_columns_default",
                    "LIST COLUMNS (s) (PARTITION p0 VALUES IN ('a'),"
                            + " PARTITION p1 VALUES IN ('b', 'e'), PARTITION `default` DEFAULT)");
            schemes.put(
                    "s_sub_default",
                    "LIST (p) SUBPARTITION BY KEY (s) SUBPARTITIONS 2"
                            + " (PARTITION p0 VALUES IN (0,1,2), PARTITION p1 DEFAULT)");
        }
        return schemes;
    }

    private static String named(List<String> names) {
        return IntStream.range(0, names.size())
                .mapToObj(i -> "PARTITION `" + names.get(i).replace("`", "``") + "` VALUES IN (" + i + ")")
                .collect(Collectors.joining(", ", "(", ")"));
    }

    @AllServers
    void everySchemeFansOutOverAllItsPartitions(TestServer server) throws Exception {
        Map<String, String> schemes = schemes(server.kind());
        try (ProxiedServer proxy = ProxiedServer.start(server, 3);
                SameAsServer same = new SameAsServer(proxy)) {
            create(proxy, schemes);
            same.onBoth("USE it_schemes");
            for (String table : schemes.keySet()) {
                for (String statement : STATEMENTS) {
                    assertThat(same.fansOut(on(statement, table)).partitions())
                            .as("partitions of %s", table)
                            .isEqualTo(partitions(proxy, table));
                }
            }
        }
    }

    @AllServers
    void prunedPartitionsAreNotRead(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 3);
                SameAsServer same = new SameAsServer(proxy)) {
            create(proxy, schemes(server.kind()));
            same.onBoth("USE it_schemes");
            String sum = "SELECT g, SUM(id), COUNT(*) FROM T WHERE CONDITION GROUP BY g ORDER BY g";
            for (Map.Entry<String, String> pruned : Map.of(
                            "s_range", "p BETWEEN 2 AND 5",
                            "s_list", "p IN (1, 3, 5)",
                            "s_list_columns", "s IN ('a', 'b')",
                            "s_odd_names", "p < 3")
                    .entrySet()) {
                ProxiedServer.Outcome outcome =
                        same.fansOut(on(sum, pruned.getKey()).replace("CONDITION", pruned.getValue()));
                assertThat(outcome.partitions())
                        .as("partitions of %s", pruned)
                        .isLessThan(partitions(proxy, pruned.getKey()));
            }
            assertThat(same.fansOut(on(sum, "s_sub_hash").replace("CONDITION", "p < 3"))
                            .partitions())
                    .isEqualTo(3);
            same.passesThrough(on(sum, "s_range").replace("CONDITION", "p = 5"), Reason.FEW_PARTITIONS);
        }
    }

    /** The statement's own PARTITION clause, including subpartitions, combined with pruning by conditions. */
    @AllServers
    void onlyPartitionsThatTheStatementNamesAreRead(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 3);
                SameAsServer same = new SameAsServer(proxy)) {
            create(proxy, schemes(server.kind()));
            try (WireConnection admin = proxy.direct()) {
                admin.execute("CREATE VIEW it_schemes.v_range AS SELECT * FROM it_schemes.s_range");
            }
            same.onBoth("USE it_schemes");
            Map<String, Integer> reads = new LinkedHashMap<>();
            reads.put("SELECT g, COUNT(*), SUM(id) FROM s_range PARTITION (p0, p2) GROUP BY g ORDER BY g", 2);
            reads.put("SELECT COUNT(*), MAX(x.d) FROM s_range PARTITION (P1, p0, P0) AS x WHERE x.id > 7", 2);
            reads.put("SELECT COUNT(*) FROM it_schemes.s_range PARTITION(p0,none,p1,p2) x WHERE x.p IN (1, 5)", 2);
            reads.put("SELECT id, p FROM s_hash PARTITION (p0, p3, p4) ORDER BY p, id LIMIT 20", 3);
            reads.put("SELECT g, COUNT(*) FROM s_key_of_none PARTITION (p1, p2) GROUP BY g ORDER BY 2, 1", 2);
            reads.put("SELECT COUNT(DISTINCT s) FROM s_sub_hash PARTITION (p0, p2)", 6);
            reads.put("SELECT COUNT(*), SUM(p) FROM s_sub_hash PARTITION (p1sp0, p2sp2)", 2);
            reads.put("SELECT COUNT(*), SUM(p) FROM s_sub_hash PARTITION (p1, p2sp2)", 4);
            reads.put("SELECT COUNT(*), SUM(p) FROM s_sub_names PARTITION (p_0)", 2);
            reads.put("SELECT COUNT(*), SUM(p) FROM s_sub_names PARTITION (`x_1`, `Größe`)", 2);
            reads.put("SELECT s, COUNT(*) FROM s_odd_names PARTITION (`p-1`, `日本`, `select`, p_upper) GROUP BY s", 4);
            reads.put(
                    "SELECT a.g, COUNT(*) FROM s_hash PARTITION (p1, p2) a JOIN s_one_key PARTITION (p0) b"
                            + " ON a.id = b.id GROUP BY a.g",
                    2);
            reads.put(
                    "SELECT a.g, SUM(b.p) FROM s_hash a JOIN s_one_key PARTITION (p0) b ON a.id = b.id GROUP BY a.g",
                    5);
            reads.put("SELECT x.g, COUNT(*) FROM (SELECT g FROM s_hash PARTITION (p1, p2)) x GROUP BY x.g", 2);
            reads.put("SELECT MAX(x.n) FROM (SELECT g, COUNT(*) AS n FROM s_hash PARTITION (p1, p2) GROUP BY g) x", 2);
            reads.put("SELECT COUNT(*) FROM s_hash WHERE id IN (SELECT id FROM s_list PARTITION (p0, p2))", 5);
            create(proxy, "s_one_key", "KEY (p) PARTITIONS 1");
            proxy.tablesChanged();
            for (Map.Entry<String, Integer> read : reads.entrySet()) {
                assertThat(same.fansOut(read.getKey()).partitions())
                        .as("partitions of %s", read.getKey())
                        .isEqualTo(read.getValue());
            }
            // the server's message uses the alias under which the table was last opened; here there was none
            same.passesThrough("SELECT SUM(id) FROM s_linear_hash PARTITION (p0, p6)", Reason.PREPARE_FAILED);
            same.passesThrough("SELECT SUM(id) FROM s_range PARTITION (p2, none) WHERE p > 9", Reason.FEW_PARTITIONS);
            same.passesThrough("SELECT SUM(a.id) FROM s_hash a, v_range PARTITION (p0) b", Reason.VIEW);
        }
    }

    /**
     * A comma in a partition name is ambiguous in EXPLAIN. A single partition cannot be split. Tables without
     * transactions have no snapshot.
     */
    @AllServers
    void statementsWithoutProofOrGainPassThrough(TestServer server) throws Exception {
        Map<String, String> schemes = new LinkedHashMap<>();
        schemes.put(
                "s_comma",
                "LIST (p) (PARTITION `a` VALUES IN (0,1,2,3,4), PARTITION `b` VALUES IN (5,6,7),"
                        + " PARTITION `a,b` VALUES IN (8,9,10,11))");
        schemes.put("s_one", "RANGE (p) (PARTITION only_one VALUES LESS THAN MAXVALUE)");
        schemes.put("s_one_key", "KEY ()");
        try (ProxiedServer proxy = ProxiedServer.start(server, 3);
                SameAsServer same = new SameAsServer(proxy)) {
            create(proxy, schemes);
            same.onBoth("USE it_schemes");
            same.passesThrough(on(STATEMENTS.get(0), "s_comma"), Reason.PARTITIONS);
            same.passesThrough(on(STATEMENTS.get(0), "s_one"), Reason.FEW_PARTITIONS);
            same.passesThrough(on(STATEMENTS.get(0), "s_one_key"), Reason.FEW_PARTITIONS);
            if (server.kind() == ServerFlavor.MARIADB) {
                for (String scheme : List.of(
                        "SYSTEM_TIME LIMIT 50 (PARTITION old1 HISTORY, PARTITION old2 HISTORY, PARTITION now_p CURRENT)",
                        "HASH (p) PARTITIONS 3")) {
                    try (WireConnection admin = proxy.direct()) {
                        admin.execute("CREATE OR REPLACE TABLE it_schemes.s_versions (id INT, g INT, p INT, d DATE,"
                                + " s VARCHAR(5)) ENGINE=InnoDB WITH SYSTEM VERSIONING PARTITION BY " + scheme);
                        admin.execute("INSERT INTO it_schemes.s_versions SELECT id, g, p, d, s FROM it_schemes.s_one");
                        admin.execute("DELETE FROM it_schemes.s_versions WHERE g = 1");
                    }
                    proxy.tablesChanged();
                    same.passesThrough(on(STATEMENTS.get(0), "s_versions"), Reason.ENGINE);
                }
            }
        }
    }

    /**
     * The maximum number of partitions, in little memory and with far fewer queries than partitions, because every
     * query opens all partitions.
     */
    @AllServers
    void thousandsOfPartitionsAreReadTogether(TestServer server) throws Exception {
        ProxySetup little = ProxySetup.ofDegree(3).withQueryMemory(200_000);
        try (ProxiedServer proxy = ProxiedServer.start(server, little)) {
            create(proxy, Map.of("s_most", "HASH (id) PARTITIONS " + MOST_PARTITIONS));
            try (SameAsServer same = new SameAsServer(proxy)) {
                same.onBoth("USE it_schemes");
                for (String statement : STATEMENTS) {
                    long before = selects(proxy);
                    assertThat(same.fansOut(on(statement, "s_most")).partitions())
                            .isEqualTo(MOST_PARTITIONS);
                    // a concurrent catalog refresh may add an EXPLAIN for each partition of other tables
                    assertThat(selects(proxy) - before).as("queries").isBetween(20L, MOST_PARTITIONS / 4L);
                    await().until(() -> proxy.heldMemoryBytes() == 0);
                }
                assertThat(same.fansOut("SELECT g, COUNT(*) FROM s_most WHERE id IN (5, 6, 7, 8000) GROUP BY g")
                                .partitions())
                        .isEqualTo(4);
            } finally {
                try (WireConnection admin = proxy.direct()) {
                    admin.execute("DROP DATABASE it_schemes");
                }
            }
        }
    }

    private static long selects(ProxiedServer proxy) throws Exception {
        return number(proxy, "SHOW GLOBAL STATUS LIKE 'Com_select'", 1);
    }

    private static int partitions(ProxiedServer proxy, String table) throws Exception {
        return Math.toIntExact(number(
                proxy,
                "SELECT COUNT(*) FROM INFORMATION_SCHEMA.PARTITIONS WHERE TABLE_SCHEMA = 'it_schemes' AND TABLE_NAME = '"
                        + table + "'",
                0));
    }

    private static long number(ProxiedServer proxy, String sql, int column) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            return Long.parseLong(String.valueOf(admin.query(sql).rows().get(0).utf8(column)));
        }
    }

    private static String on(String statement, String table) {
        return statement.replaceAll("\\bT\\b", table);
    }

    private static void create(ProxiedServer proxy, Map<String, String> schemes) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS it_schemes");
            admin.execute("CREATE DATABASE it_schemes");
        }
        for (Map.Entry<String, String> scheme : schemes.entrySet()) {
            create(proxy, scheme.getKey(), scheme.getValue());
        }
        proxy.tablesChanged();
    }

    private static void create(ProxiedServer proxy, String table, String scheme) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("USE it_schemes");
            admin.execute("CREATE TABLE " + table + " (id INT NOT NULL, g INT, p INT NOT NULL,"
                    + " d DATE NOT NULL, s VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,"
                    + (table.equals("s_most") ? " PRIMARY KEY (id)" : " PRIMARY KEY (id, p, d, s)")
                    + ") ENGINE=InnoDB PARTITION BY " + scheme);
            admin.execute("INSERT INTO " + table + " VALUES " + rows());
            admin.query("ANALYZE TABLE " + table);
        }
    }

    /** The partition that holds only 3 stays empty, and so do some ranges of years. */
    private static String rows() {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            int p = i * 7 % 12;
            rows.add("(" + i + "," + (i % 9 == 0 ? "NULL" : String.valueOf(i % 7)) + "," + (p == 3 ? 2 : p) + ",'200"
                    + (i % 5 == 1 ? 0 : i % 5) + "-0" + (1 + i % 9) + "-11','" + "abcde".charAt(i % 5) + "')");
        }
        return String.join(",", rows);
    }
}

package io.fanfold.it.support.load;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.ProxiedServer;
import java.util.List;
import java.util.Map;

/**
 * Tables of 2000 rows that cycle through a few states: {@code t} by changes of its partitions, {@code r} by renaming it
 * and {@code r_other}, {@code s} by renaming it and the view {@code s_view}, {@code e} by exchanging its partition
 * {@code p1} with {@code e_other}.
 */
public final class ChangingTables {
    public static final String SCHEMA = "it_storm";

    /** Statements, and all answers that are right at some moment. */
    public static final Map<String, List<String>> LEGAL = Map.of(
            "SELECT SUM(v), COUNT(*) FROM it_storm.t",
            List.of("[4000|2000]", "[3000|1500]"),
            "SELECT COUNT(DISTINCT p), MAX(id) FROM it_storm.t WHERE p < 30",
            List.of("[30|1989]"),
            "SELECT SUM(v), COUNT(*) FROM it_storm.r",
            List.of("[4000|2000]", "[6000|2000]"),
            "SELECT SUM(v), COUNT(*) FROM it_storm.s",
            List.of("[4000|2000]", "[10000|2000]"),
            "SELECT SUM(v), MIN(v) FROM it_storm.e",
            List.of("[4000|2]", "[5000|2]"),
            "SELECT v, COUNT(*) FROM it_storm.e WHERE id >= 0 GROUP BY v ORDER BY v",
            List.of("[2|2000]", "[2|1500, 4|500]"),
            "SELECT x.n + y.n FROM (SELECT COUNT(*) AS n FROM it_storm.r) x, (SELECT COUNT(*) AS n FROM it_storm.s) y",
            List.of("[4000]"));

    /** Changes of partitions of {@code t}, after which it is as before. Its rows are removed and added by partition. */
    public static final List<String> PARTITIONS = List.of(
            "ALTER TABLE t REORGANIZE PARTITION p0, p1 INTO (PARTITION p01 VALUES LESS THAN (20))",
            "ALTER TABLE t ADD PARTITION (PARTITION p9 VALUES LESS THAN (50))",
            "ALTER TABLE t TRUNCATE PARTITION px",
            "INSERT INTO t SELECT id, p, v FROM copy WHERE p >= 30",
            "ALTER TABLE t REORGANIZE PARTITION p01 INTO"
                    + " (PARTITION p0 VALUES LESS THAN (7), PARTITION p1 VALUES LESS THAN (20))",
            "ALTER TABLE t DROP PARTITION p9");

    private ChangingTables() {}

    /** Recreates the tables in their initial state. */
    public static void create(ProxiedServer proxy) throws Exception {
        String columns = " (id INT NOT NULL, p INT NOT NULL, v INT NOT NULL, PRIMARY KEY (id, p)) ENGINE=InnoDB";
        String ranges =
                " PARTITION BY RANGE (p) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20),"
                        + " PARTITION p2 VALUES LESS THAN (30), PARTITION px VALUES LESS THAN (40))";
        StringBuilder values = new StringBuilder("(0, 0, 2)");
        for (int i = 1; i < 2000; i++) {
            values.append(", (%d, %d, 2)".formatted(i, i % 40));
        }
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS " + SCHEMA);
            admin.execute("CREATE DATABASE " + SCHEMA);
            admin.execute("USE " + SCHEMA);
            admin.execute("CREATE TABLE copy" + columns);
            admin.execute("INSERT INTO copy VALUES " + values);
            for (String table : List.of("t", "r", "s", "e")) {
                admin.execute("CREATE TABLE " + table + columns + ranges);
                admin.execute("INSERT INTO " + table + " SELECT * FROM copy");
            }
            admin.execute("CREATE TABLE r_other" + columns + " PARTITION BY HASH (id) PARTITIONS 7");
            admin.execute("INSERT INTO r_other SELECT id, p, 3 FROM copy");
            admin.execute("CREATE VIEW s_view AS SELECT id, p, v + 3 AS v FROM copy");
            admin.execute("CREATE TABLE e_other" + columns);
            admin.execute("INSERT INTO e_other SELECT id, p, 4 FROM copy WHERE p BETWEEN 10 AND 19");
            admin.query("ANALYZE TABLE t, r, s, e, r_other");
        }
        proxy.tablesChanged();
    }
}

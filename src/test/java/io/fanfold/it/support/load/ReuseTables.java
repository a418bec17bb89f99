package io.fanfold.it.support.load;

import io.fanfold.client.RealServer;
import io.fanfold.client.WireConnection;
import java.util.List;
import java.util.Random;

/**
 * The tables of a {@link ReuseStorm} in the schema it_storm, its queries, and the changes of its writers. Immutable.
 *
 * @param file a file on the server with rows of {@code t}
 */
record ReuseTables(String file) {
    private static final int IDS = 200;
    private static final String COLUMNS =
            " (id INT NOT NULL, p INT NOT NULL, g INT, v INT, PRIMARY KEY (id, p)) ENGINE=InnoDB";

    static final List<String> QUERIES = List.of(
            "SELECT SUM(v), COUNT(*), SUM(v * id) FROM it_storm.t",
            "SELECT g, SUM(v), COUNT(*) FROM it_storm.t GROUP BY g ORDER BY g",
            "SELECT g, MAX(v), MIN(id) FROM it_storm.t WHERE p <> 3 GROUP BY g ORDER BY g DESC",
            "SELECT d.name, SUM(t.v), COUNT(*) FROM it_storm.t JOIN it_storm.d ON t.g = d.g GROUP BY d.name ORDER BY 1",
            "SELECT COUNT(*), SUM(c.v) FROM it_storm.t JOIN it_storm.child c ON t.g = c.g",
            "SELECT COUNT(DISTINCT v) FROM it_storm.t PARTITION (p0, p1, p2)",
            "SELECT SUM(v), COUNT(*), SUM(v * id) FROM it_storm.r",
            "SELECT g, COUNT(*), MAX(id) FROM it_storm.r WHERE id >= 80 GROUP BY g ORDER BY g",
            "SELECT SUM(r.v * t.v), COUNT(*) FROM it_storm.r JOIN it_storm.t ON r.id = t.id",
            "SELECT SUM(v), COUNT(*) FROM it_storm.flat");

    /** Reads a table that the writers leave alone. It has a row in each of its 6 partitions. */
    static final String MARKS = "SELECT SUM(v), COUNT(*) FROM it_storm.mark";

    static final int MARKS_ROWS = 6;

    /** Recreates the tables. Sums differ between servers whose rows have different values. */
    static ReuseTables create(WireConnection admin, int value) throws Exception {
        admin.execute("DROP DATABASE IF EXISTS it_storm");
        admin.execute("CREATE DATABASE it_storm");
        admin.execute("USE it_storm");
        admin.execute("CREATE TABLE t" + COLUMNS + " PARTITION BY HASH (p) PARTITIONS 6");
        admin.execute("CREATE TABLE other" + COLUMNS);
        admin.execute("CREATE TABLE flat" + COLUMNS);
        admin.execute("CREATE TABLE r" + COLUMNS + " PARTITION BY RANGE (id) (PARTITION r0 VALUES LESS THAN (40),"
                + " PARTITION r1 VALUES LESS THAN (80), PARTITION r2 VALUES LESS THAN (140),"
                + " PARTITION r3 VALUES LESS THAN (1000), PARTITION r4 VALUES LESS THAN MAXVALUE)");
        admin.execute("CREATE TABLE mark" + COLUMNS + " PARTITION BY HASH (p) PARTITIONS 6");
        admin.execute("CREATE TABLE d (g INT PRIMARY KEY, name VARCHAR(10)) ENGINE=InnoDB");
        admin.execute("INSERT INTO d VALUES (0, 'a'), (1, 'b'), (2, 'a'), (3, 'c')");
        admin.execute("CREATE TABLE parent (g INT PRIMARY KEY) ENGINE=InnoDB");
        admin.execute("INSERT INTO parent SELECT g FROM d");
        admin.execute("CREATE TABLE child (g INT, v INT, FOREIGN KEY (g) REFERENCES parent (g) ON DELETE CASCADE"
                + " ON UPDATE CASCADE) ENGINE=InnoDB");
        admin.execute("INSERT INTO child SELECT g, 7 FROM parent");
        StringBuilder rows = new StringBuilder();
        for (int id = 0; id < IDS; id++) {
            rows.append(id == 0 ? "" : ", ").append("(%d, %d, %d, %d)".formatted(id, id % 6, id % 4, value));
        }
        admin.execute("INSERT INTO flat VALUES " + rows);
        admin.execute("INSERT INTO t SELECT * FROM flat");
        admin.execute("INSERT INTO r SELECT * FROM flat");
        admin.execute("INSERT INTO mark SELECT * FROM flat WHERE id < " + MARKS_ROWS);
        admin.execute("INSERT INTO other SELECT id + 1000, 0, g, v FROM flat WHERE id % 6 = 0");
        admin.query("ANALYZE TABLE t, r, flat, mark, d, child");
        String folder = RealServer.value(admin, "SELECT COALESCE(NULLIF(@@secure_file_priv, ''), @@datadir)");
        String file = folder + "it_storm_" + System.nanoTime();
        admin.execute("SELECT id, p, g, v INTO OUTFILE '" + file + "' FROM flat WHERE id % 20 < 2");
        return new ReuseTables(file);
    }

    /** Returns the statements of one change. The writer's name is that of its XA transactions. */
    List<String> change(Random random, String writer) {
        int id = random.nextInt(IDS);
        int next = random.nextInt(IDS);
        String add = "UPDATE t SET v = v + 1 WHERE id = " + id;
        String subtract = "UPDATE t SET v = v - 1 WHERE id = " + next;
        return switch (random.nextInt(26)) {
            case 0, 1 -> List.of(add);
            case 2 -> List.of("BEGIN", add, subtract, "COMMIT");
            case 3 -> List.of("UPDATE t SET p = (p + 1) % 6 WHERE id = " + id);
            case 4 -> List.of("UPDATE t SET p = (p + 1) % 6 WHERE g = " + id % 4);
            case 5 -> List.of("DELETE FROM t WHERE id = " + id);
            case 6 -> List.of("REPLACE INTO t VALUES (" + id + ", " + id % 6 + ", " + next % 4 + ", 50)");
            case 7 -> List.of("BEGIN", add, "SAVEPOINT s", subtract, "ROLLBACK TO SAVEPOINT s", "COMMIT");
            case 8 -> List.of("BEGIN", add, "ROLLBACK");
            case 9 ->
                List.of(
                        "XA START " + writer,
                        add,
                        subtract,
                        "XA END " + writer,
                        "XA PREPARE " + writer,
                        "XA COMMIT " + writer);
            case 10 -> List.of("XA START " + writer, add, "XA END " + writer, "XA COMMIT " + writer + " ONE PHASE");
            case 11 -> List.of("ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE other");
            case 12 -> List.of("ALTER TABLE t TRUNCATE PARTITION p5");
            case 13 -> List.of("ALTER TABLE t COALESCE PARTITION 1", "ALTER TABLE t ADD PARTITION PARTITIONS 1");
            case 14 -> List.of("UPDATE d SET name = '" + id % 3 + "' WHERE g = " + next % 4);
            case 15 ->
                List.of("UPDATE parent SET g = g + 10 WHERE g = " + id % 4, "UPDATE parent SET g = g - 10 WHERE g > 4");
            case 16 -> List.of("SET binlog_format = STATEMENT", add, "SET binlog_format = ROW");
            case 17 -> List.of("UPDATE flat SET v = v + 1 WHERE id = " + id);
            case 18 -> List.of("INSERT INTO t SELECT id + " + IDS + ", p, g, v FROM flat WHERE id = " + id);
            case 19 -> List.of("CREATE TABLE IF NOT EXISTS made (a INT)", "DROP TABLE IF EXISTS made");
            case 20, 21 ->
                List.of("LOAD DATA INFILE '" + file + "' REPLACE INTO TABLE t (id, p, g, @v) SET v = @v + " + next);
            case 22 -> List.of("ALTER TABLE r REORGANIZE PARTITION r0, r1 INTO (PARTITION r01 VALUES LESS THAN (80))");
            case 23 ->
                List.of("ALTER TABLE r REORGANIZE PARTITION r01 INTO (PARTITION r0 VALUES LESS THAN (" + (1 + id % 79)
                        + "), PARTITION r1 VALUES LESS THAN (80))");
            case 24 -> List.of("UPDATE r SET v = v + 1 WHERE id % 50 = " + id % 50);
            // moves them to the last partition, and back the next time
            default -> List.of("UPDATE r SET id = IF(id < 1000, id + 1000, id - 1000) WHERE id % 10 = " + id % 10);
        };
    }
}

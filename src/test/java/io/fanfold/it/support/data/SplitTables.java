package io.fanfold.it.support.data;

import io.fanfold.client.WireConnection;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One table of unusual values for each partitioning scheme, small tables next to them, and statements over these. */
public final class SplitTables {
    /** The number of rows in each table. */
    public static final int ROWS = 1200;

    /** The partitioning clause of each table, by name. */
    public static final Map<String, String> SCHEMES = Collections.unmodifiableMap(new TreeMap<>(Map.of(
            "t_hash", "PARTITION BY HASH (p) PARTITIONS 5",
            "t_linear", "PARTITION BY LINEAR HASH (p) PARTITIONS 6",
            "t_key", "PARTITION BY KEY (p) PARTITIONS 4",
            "t_range",
                    "PARTITION BY RANGE (p) (PARTITION p0 VALUES LESS THAN (4), PARTITION empty1 VALUES LESS THAN (5),"
                            + " PARTITION `odd name` VALUES LESS THAN (8), PARTITION pmax VALUES LESS THAN MAXVALUE)",
            "t_range_columns",
                    "PARTITION BY RANGE COLUMNS (p) (PARTITION p0 VALUES LESS THAN (3), PARTITION p1 VALUES LESS THAN (6),"
                            + " PARTITION p2 VALUES LESS THAN (MAXVALUE))",
            "t_list",
                    "PARTITION BY LIST (p) (PARTITION p0 VALUES IN (0,1,2), PARTITION p1 VALUES IN (3,4,5),"
                            + " PARTITION p2 VALUES IN (6,7,8,9,10,11))",
            "t_list_columns",
                    "PARTITION BY LIST COLUMNS (p) (PARTITION p0 VALUES IN (0,1,2,3), PARTITION p1 VALUES IN (4,5,6,7),"
                            + " PARTITION p2 VALUES IN (8,9,10,11))",
            "t_sub",
                    "PARTITION BY RANGE (p) SUBPARTITION BY HASH (id) SUBPARTITIONS 2"
                            + " (PARTITION p0 VALUES LESS THAN (6), PARTITION p1 VALUES LESS THAN MAXVALUE)")));

    /** FLOATs, some of which have the same six-digit text. */
    private static final String[] ALIKE = {
        "0.1", "0.1000001", "0.10000009", "16777216", "16777218", "-1e-40", "3.4e38", "NULL", "-2.5"
    };

    private static final String[] ZERO_DATES = {
        "'0000-00-00'", "'2001-00-00'", "'2001-01-00'", "'2001-01-01'", "'1999-12-31'"
    };

    private SplitTables() {}

    /** Creates the tables in the default database. */
    public static void create(WireConnection admin) throws Exception {
        create(admin, SCHEMES);
    }

    /**
     * Creates tables in the default database.
     *
     * @param schemes the text after the columns of each table, by name: a partitioning clause, or nothing
     */
    public static void create(WireConnection admin, Map<String, String> schemes) throws Exception {
        admin.execute("SET sql_mode = ''");
        String definition = String.join("\n", lines("split-schema.sql")).replace(";", "");
        for (Map.Entry<String, String> scheme : schemes.entrySet()) {
            admin.execute(definition.replace("NAME", scheme.getKey()).replace("SCHEME", scheme.getValue()));
            for (String insert : inserts(scheme.getKey())) {
                admin.execute(insert);
            }
            admin.query("ANALYZE TABLE " + scheme.getKey());
        }
        admin.execute("CREATE TABLE dim (k INT PRIMARY KEY, name VARCHAR(10), w INT) ENGINE=InnoDB");
        admin.execute("INSERT INTO dim VALUES (1,'one',5),(2,'two',15),(3,'three',25),(4,'four',35)");
        // equal names of different keys, and equal keys with different prefixes
        String text = " (k VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci NOT NULL,"
                + " name VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, w INT, PRIMARY KEY (k%s))"
                + " ENGINE=InnoDB";
        admin.execute("CREATE TABLE dim_text" + text.formatted(""));
        admin.execute("INSERT INTO dim_text VALUES ('ss','A',2),('t','a',3),('u','B',4)");
        admin.execute("CREATE TABLE dim_prefix" + text.formatted("(1)"));
        admin.execute("INSERT INTO dim_prefix VALUES ('ss','A',2),('\u00df','b',3),('u','B',4)");
        admin.execute("CREATE TABLE dim_g (g INT PRIMARY KEY, w INT) ENGINE=InnoDB");
        admin.execute("INSERT INTO dim_g SELECT k, w FROM dim WHERE k > 1");
        admin.execute(
                "CREATE VIEW v AS SELECT * FROM " + schemes.keySet().iterator().next());
    }

    /**
     * Rows with NULLs, duplicates, equal strings that differ in case and trailing blanks, and the least and largest
     * value of every type.
     */
    private static List<String> inserts(String table) {
        String[] words = {
            "Alpha", "alpha", "ALPHA ", "beta", "Beta", "b\u00e9ta", "gamma", "", " ", "Z", "z  ", "\u00df"
        };
        List<String> inserts = new ArrayList<>();
        StringBuilder values = new StringBuilder();
        for (int i = 0; i < ROWS; i++) {
            int p = i % 13 == 0 ? 4 - 4 * (i % 2) : i * 7 % 12;
            p = p == 4 ? 3 : p; // the range partition that holds only 4 stays empty
            String word = words[i * 5 % words.length];
            values.append(values.isEmpty() ? "" : ",")
                    .append("(")
                    .append(String.join(
                            ",",
                            String.valueOf(i - 20),
                            String.valueOf(p),
                            i % 9 == 0 ? "NULL" : String.valueOf(i % 7),
                            i % 5 == 0 ? "NULL" : String.valueOf(i % 11 - 5),
                            i % 17 == 0 ? "18446744073709551615" : String.valueOf(i * 1_000_003L),
                            i % 6 == 0 ? "NULL" : (i % 2 == 0 ? "-" : "") + i * 31 % 997 + "." + (1000 + i * 7 % 9000),
                            i % 8 == 0
                                    ? "NULL"
                                    : (i % 3 == 0 ? "-" : "") + "98765432109876543210" + i
                                            + ".000000000000000000000000000001",
                            i % 4 == 0 ? "NULL" : i % 10 == 0 ? "0e0" : i + "e-3",
                            String.valueOf(i % 5 + 0.25),
                            i % 11 == 0 ? "NULL" : "'" + word + "'",
                            i % 12 == 0 ? "NULL" : "'" + word + "'",
                            i % 7 == 0 ? "NULL" : "'" + word + "'",
                            i % 10 == 0 ? "NULL" : "x'" + "00ff".substring(0, 2 * (i % 3)) + "'",
                            "'" + word + "text'",
                            i % 14 == 0 ? "NULL" : "'200" + i % 6 + "-0" + (1 + i % 9) + "-1" + i % 10 + "'",
                            i % 15 == 0 ? "NULL" : "'201" + i % 9 + "-01-02 03:04:05." + (100000 + i % 50) + "'",
                            i % 16 == 0
                                    ? "NULL"
                                    : (i % 3 == 0 ? "'-" : "'") + (i % 4 == 0 ? "838" : "1" + i % 10) + ":59:0" + i % 9
                                            + ".25'",
                            i % 18 == 0 ? "NULL" : i % 19 == 0 ? "0" : String.valueOf(1970 + i % 60),
                            "'" + "zam".charAt(i % 3) + "'",
                            i % 4 == 0 ? "NULL" : i % 6 + ".5",
                            i % 8 == 0 ? "NULL" : String.valueOf(i % 4),
                            i % 10 == 0 ? "NULL" : String.valueOf(i % 8),
                            i % 11 == 0 ? "NULL" : String.valueOf(i * 37 % 1024),
                            i % 3 == 0 ? "18446744073709551615" : i % 3 == 1 ? "9007199254740993" : "9007199254740992",
                            ALIKE[i % ALIKE.length],
                            i % 5 == 0 ? "NULL" : i % 7 * 1000 + ".005",
                            i % 13 == 0 ? "NULL" : ZERO_DATES[i % ZERO_DATES.length],
                            i % 13 == 0 ? "NULL" : ZERO_DATES[i % ZERO_DATES.length],
                            i % 3 == 0 ? "CONCAT(REPEAT('x', 1100), " + i % 4 + ")" : "'" + word + "'",
                            i % 4 == 0 ? "CONCAT(REPEAT('y', 1100), " + i % 3 + ")" : "'" + i % 3 + "'"))
                    .append(")");
            if (i % 200 == 199) {
                inserts.add("INSERT INTO " + table + " VALUES " + values);
                values.setLength(0);
            }
        }
        return inserts;
    }

    /** Reads statements from a resource, one per line. A line that starts with FROM continues the previous one. */
    public static List<String> statements(String resource) throws IOException {
        List<String> statements = new ArrayList<>();
        for (String line : lines(resource)) {
            if (!statements.isEmpty() && line.startsWith("FROM ")) {
                statements.set(statements.size() - 1, statements.get(statements.size() - 1) + "\n" + line);
            } else {
                statements.add(line);
            }
        }
        return statements;
    }

    private static List<String> lines(String resource) throws IOException {
        try (InputStream in = SplitTables.class.getResourceAsStream("/it/" + resource)) {
            if (in == null) {
                throw new IOException("no resource " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("--") && !line.isBlank())
                    .toList();
        }
    }
}

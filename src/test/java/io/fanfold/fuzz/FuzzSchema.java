package io.fanfold.fuzz;

import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;

/**
 * The tables: the same columns and values with every partitioning scheme and without partitions, and small tables to
 * join with. Always the same for one kind of server. Immutable.
 */
final class FuzzSchema {
    private static final List<String> SELDOM = List.of("t_one", "t_void", "t_comma", "r_text", "r_void", "r_single");
    private static final String OPTIONS = " ENGINE=InnoDB STATS_PERSISTENT=1 STATS_AUTO_RECALC=0 ";

    private final List<FuzzColumn> columns;
    private final List<FuzzTable> partitioned = new ArrayList<>();
    private final List<FuzzTable> dimensions = new ArrayList<>();
    private final List<FuzzTable> stars = new StarTables(OPTIONS).tables();
    private final FuzzTable base;

    /**
     * @param ranges whether the tables that statements are made for are split by ranges of a key, not by partitions
     */
    FuzzSchema(ServerFlavor flavor, boolean ranges) {
        columns = new FuzzColumns(flavor).all();
        List<String> fill = new ArrayList<>();
        fill.add(create("u_base", "PRIMARY KEY (id)", ""));
        fill.addAll(new FuzzRows(columns).inserts("u_base"));
        base = new FuzzTable("u_base", columns, "id", fill);
        if (ranges) {
            ranged();
        } else {
            partitioned();
        }
        dimensions();
    }

    /** Tables without partitions with keys of several kinds, and tables of few or unequal partitions. */
    private void ranged() {
        add("r_id", 1000, "PRIMARY KEY (id, p)", "");
        add("r_p", 800, "PRIMARY KEY (p, id)", "");
        add("r_day", 700, "PRIMARY KEY (pd, id)", "");
        add("r_second", 900, "PRIMARY KEY (id), KEY kg (g), KEY kd (d, g), KEY ki (i4)", "");
        add("r_secondary", 600, "UNIQUE KEY ku (id), KEY kg (g)", "");
        add("r_text", 400, "PRIMARY KEY (ps, id), KEY kg (g)", "");
        add("r_void", 0, "PRIMARY KEY (id)", "");
        add("r_single", 1, "PRIMARY KEY (id)", "");
        add("r_one", 500, "PRIMARY KEY (id, p)", "PARTITION BY HASH (p) PARTITIONS 1");
        add(
                "r_skewed",
                900,
                "PRIMARY KEY (id, p)",
                "PARTITION BY RANGE (p) (PARTITION most VALUES LESS THAN (11), PARTITION rest VALUES LESS THAN MAXVALUE)");
    }

    private void partitioned() {
        add("t_hash", 1000, "PRIMARY KEY (id, p)", "PARTITION BY HASH (p) PARTITIONS 5");
        add("t_linear", 700, "PRIMARY KEY (id, p), KEY kg (g)", "PARTITION BY LINEAR HASH (p) PARTITIONS 6");
        add("t_key", 600, "PRIMARY KEY (p, id)", "PARTITION BY KEY (p) PARTITIONS 4");
        add("t_lkey", 500, "PRIMARY KEY (id), KEY kd (d, g)", "PARTITION BY LINEAR KEY (id) PARTITIONS 3");
        add(
                "t_range",
                1000,
                "PRIMARY KEY (id, p)",
                "PARTITION BY RANGE (p) (PARTITION p0 VALUES LESS THAN (4), PARTITION nothing VALUES LESS THAN (5),"
                        + " PARTITION `odd name` VALUES LESS THAN (8), PARTITION pmax VALUES LESS THAN MAXVALUE)");
        add(
                "t_rcol",
                800,
                "PRIMARY KEY (id, pd, p), KEY kv (v_gen)",
                "PARTITION BY RANGE COLUMNS (pd, p) (PARTITION a VALUES LESS THAN ('2002-01-01', 6),"
                        + " PARTITION b VALUES LESS THAN ('2004-01-01', MAXVALUE),"
                        + " PARTITION c VALUES LESS THAN (MAXVALUE, MAXVALUE))");
        add(
                "t_list",
                600,
                "PRIMARY KEY (id, p)",
                "PARTITION BY LIST (p) (PARTITION `a-b` VALUES IN (0,1,2), PARTITION `c.d` VALUES IN (3,5),"
                        + " PARTITION `e``f` VALUES IN (6,7,8), PARTITION `select` VALUES IN (4,9,10,11))");
        add(
                "t_lcol",
                600,
                "PRIMARY KEY (ps, id)",
                "PARTITION BY LIST COLUMNS (ps) (PARTITION la VALUES IN ('k0','k1','k2'),"
                        + " PARTITION lb VALUES IN ('k3','k4'), PARTITION lc VALUES IN ('k5','k6','k7'))");
        add(
                "t_sub",
                700,
                "PRIMARY KEY (id, p)",
                "PARTITION BY RANGE (p) SUBPARTITION BY HASH (id) SUBPARTITIONS 2"
                        + " (PARTITION p0 VALUES LESS THAN (6), PARTITION p1 VALUES LESS THAN MAXVALUE)");
        add(
                "t_sublist",
                500,
                "PRIMARY KEY (id, p)",
                "PARTITION BY LIST (p) SUBPARTITION BY KEY (id) SUBPARTITIONS 3"
                        + " (PARTITION q0 VALUES IN (0,1,2,3,4,5), PARTITION q1 VALUES IN (6,7,8,9,10,11))");
        add("t_one", 300, "PRIMARY KEY (id, p)", "PARTITION BY HASH (p) PARTITIONS 1");
        add("t_many", 500, "PRIMARY KEY (id)", "PARTITION BY HASH (id) PARTITIONS 40");
        add(
                "t_year",
                600,
                "PRIMARY KEY (id, pd), KEY kk (v_clean)",
                "PARTITION BY RANGE (YEAR(pd)) (PARTITION y1 VALUES LESS THAN (2001),"
                        + " PARTITION y2 VALUES LESS THAN (2003), PARTITION y9 VALUES LESS THAN MAXVALUE)");
        add(
                "t_comma",
                300,
                "PRIMARY KEY (id, p)",
                "PARTITION BY LIST (p) (PARTITION `a,b` VALUES IN (0,1,2,3,4,5),"
                        + " PARTITION `c` VALUES IN (6,7,8,9,10,11))");
        add("t_void", 0, "PRIMARY KEY (id, p)", "PARTITION BY HASH (p) PARTITIONS 3");
        add("t_nokey", 600, "KEY ki (i4), KEY kt (tx(4)), KEY ku (v_uni(2), g)", "PARTITION BY HASH (p) PARTITIONS 3");
        add(
                "t_text",
                500,
                "KEY kv (v_clean, g)",
                "PARTITION BY RANGE COLUMNS (v_clean) (PARTITION v1 VALUES LESS THAN ('c'),"
                        + " PARTITION v2 VALUES LESS THAN ('k3'), PARTITION v3 VALUES LESS THAN (MAXVALUE))");
        add("`t odd-name`", 400, "PRIMARY KEY (id, p)", "PARTITION BY KEY () PARTITIONS 3");
    }

    private void add(String name, int rows, String keys, String scheme) {
        List<String> ddl = new ArrayList<>();
        ddl.add(create(name, keys, scheme));
        ddl.add("INSERT INTO " + name + " SELECT * FROM u_base WHERE id < " + (rows - FuzzRows.FIRST_ID));
        partitioned.add(new FuzzTable(name, columns, "id", ddl));
    }

    private String create(String name, String keys, String scheme) {
        return "CREATE TABLE " + name + " (" + FuzzColumn.definitions(columns) + ", " + keys + ")" + OPTIONS + scheme;
    }

    private void dimensions() {
        ValueType number = ValueType.of(Family.INT);
        ValueType name = new ValueType(Family.TEXT, "utf8mb4_general_ci", true);
        dimensions.add(new FuzzTable(
                "dim",
                List.of(
                        new FuzzColumn("k", "", number, 3),
                        new FuzzColumn("label", "", name, 4),
                        new FuzzColumn("w", "", number, 4)),
                "k",
                List.of(
                        "CREATE TABLE dim (k INT PRIMARY KEY, label VARCHAR(10) CHARACTER SET utf8mb4"
                                + " COLLATE utf8mb4_general_ci NULL, w INT NULL)" + OPTIONS,
                        "INSERT INTO dim VALUES (0,'none',NULL),(1,'one',5),(2,'two',15),(3,'three',25),(4,NULL,35),"
                                + "(5,'five',15),(9,'nine',-1)")));
        dimensions.add(new FuzzTable(
                "dim_text",
                List.of(
                        new FuzzColumn("code", "", name, 3),
                        new FuzzColumn("cost", "", ValueType.of(Family.DEC), 4),
                        new FuzzColumn("since", "", ValueType.of(Family.DATE), 2)),
                "code",
                List.of(
                        "CREATE TABLE dim_text (code VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY,"
                                + " cost DECIMAL(9,3) NULL, since DATE NULL)" + OPTIONS,
                        "INSERT INTO dim_text VALUES ('k0',1.5,'2001-01-01'),('k1',-2.250,NULL),('k2',NULL,'2002-02-02'),"
                                + "('k5',1.5,'2003-03-03'),('zz',0,'2004-02-29')")));
    }

    List<FuzzTable> partitionedTables() {
        return partitioned;
    }

    /** The weight of each of them; those that can hardly be split are rare. */
    int[] weights() {
        return partitioned.stream()
                .mapToInt(table -> SELDOM.contains(table.name()) ? 1 : 4)
                .toArray();
    }

    List<FuzzTable> dimensionTables() {
        return dimensions;
    }

    /** The table with the same rows but without partitions. */
    FuzzTable unpartitioned() {
        return base;
    }

    /** Returns the table with this name. */
    FuzzTable table(String name) {
        return tables().stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no table " + name));
    }

    /** Returns all tables, in an order in which they can be created. */
    List<FuzzTable> tables() {
        List<FuzzTable> all = new ArrayList<>();
        all.add(base);
        all.addAll(partitioned);
        all.addAll(dimensions);
        all.addAll(stars);
        return all;
    }
}

package io.fanfold.fuzz;

import java.util.ArrayList;
import java.util.List;

/**
 * The dimensions of star joins, and the columns on which the wide tables are joined with them. Their keys are integers
 * of every width and sign, dates, strings and numbers of other types. They contain NULLs, extremes, values that no wide
 * table has, and duplicates if the key is not the primary key. Always the same. Immutable.
 */
final class StarTables {
    /** Pairs of integer columns. */
    static final List<Pair> NUMBERS = List.of(
            new Pair("i1", "star", "k1", true),
            new Pair("u1", "star", "n1", false),
            new Pair("i2", "star", "k2", false),
            new Pair("u2", "star", "n2", false),
            new Pair("i3", "star", "k3", false),
            new Pair("u3", "star", "n3", false),
            new Pair("i4", "star", "k4", false),
            new Pair("u4", "star", "n4", false),
            new Pair("i8", "star", "k8", false),
            new Pair("u8", "star", "n8", false),
            new Pair("i8", "star", "x8", false),
            new Pair("g", "star", "kg", true),
            new Pair("id", "star", "sid", false),
            new Pair("i2", "star", "sid", false),
            new Pair("g", "star_key", "k", false),
            new Pair("p", "star_key", "k", false),
            new Pair("i1", "star_key", "k", false),
            new Pair("u1", "star_key", "k", false),
            new Pair("i2", "star_key", "k", false),
            new Pair("u2", "star_key", "k", false),
            new Pair("i4", "star_key", "k", false),
            new Pair("u4", "star_key", "k", false),
            new Pair("i8", "star_key", "k", false),
            new Pair("u8", "star_key", "k", false),
            new Pair("id", "star_key", "k", false),
            new Pair("g", "dim", "k", false),
            new Pair("p", "dim", "k", false),
            new Pair("u1", "dim", "k", false),
            new Pair("i4", "u_base", "id", false));

    /** Pairs of date columns. */
    static final List<Pair> DATES = List.of(
            new Pair("pd", "star_day", "day", false),
            new Pair("pd", "star_day", "day", false),
            new Pair("d", "star_day", "day", false),
            new Pair("d", "star", "kd", false),
            new Pair("dz", "star", "kz", true),
            new Pair("pd", "dim_text", "since", false));

    /** Pairs of string columns. */
    static final List<Pair> STRINGS = List.of(
            new Pair("ps", "dim_text", "code", false),
            new Pair("v_few", "dim_text", "code", false),
            new Pair("v_few", "star", "kb", true),
            new Pair("v_gen", "star", "ks", true),
            new Pair("v_clean", "star", "label", true));

    /** Pairs whose columns the server compares as a type that neither has. */
    static final List<Pair> MIXED = List.of(
            new Pair("dec_s", "star", "kc", false),
            new Pair("g", "star", "kc", false),
            new Pair("dec_i", "star_key", "k", false),
            new Pair("dec_s", "star_key", "k", false),
            new Pair("dbl", "star_key", "k", false),
            new Pair("dt0", "star", "km", false),
            new Pair("d", "star", "km", false),
            new Pair("dt0", "star_day", "day", false),
            new Pair("y", "star_day", "y", true));

    private final List<FuzzTable> tables = new ArrayList<>();
    private final String options;

    /**
     * Two columns that a join compares.
     *
     * @param fact the column of the wide table
     * @param table the dimension
     * @param key the dimension's column
     * @param many whether many rows of the dimension have the same key
     */
    record Pair(String fact, String table, String key, boolean many) {}

    /** @param options the table options of each CREATE TABLE, such as its engine and collation */
    StarTables(String options) {
        this.options = options;
        star();
        keys();
        days();
        snowflake();
    }

    List<FuzzTable> tables() {
        return tables;
    }

    private void star() {
        add(
                "star",
                "sid",
                List.of(
                        column("sid", "INT PRIMARY KEY", Family.INT, 2),
                        column("k1", "SMALLINT NULL", Family.INT, 2),
                        column("n1", "BIGINT UNSIGNED NULL", Family.INT, 0),
                        column("k2", "INT UNSIGNED NULL", Family.INT, 1),
                        column("n2", "SMALLINT UNSIGNED NULL", Family.INT, 1),
                        column("k3", "BIGINT NULL", Family.INT, 0),
                        column("n3", "INT NULL", Family.INT, 1),
                        column("k4", "INT NULL", Family.INT, 1),
                        column("n4", "BIGINT NULL", Family.INT, 0),
                        column("k8", "BIGINT NULL", Family.INT, 0),
                        column("n8", "BIGINT UNSIGNED NULL", Family.INT, 0),
                        column("x8", "BIGINT UNSIGNED NULL", Family.INT, 0),
                        column("kg", "TINYINT UNSIGNED NULL", Family.INT, 2),
                        column("kd", "DATE NULL", Family.DATE, 2),
                        column("kz", "DATE NULL", Family.DATE, 1),
                        column("km", "DATETIME NULL", Family.DATETIME, 1),
                        column("kc", "DECIMAL(12,2) NULL", Family.DEC, 1),
                        string("ks", "NULL", "utf8mb4_general_ci", false, 1),
                        string("kb", "NULL", "utf8mb4_bin", true, 2),
                        string("label", "NOT NULL", "utf8mb4_general_ci", true, 5),
                        column("w", "INT NULL", Family.INT, 6),
                        column("price", "DECIMAL(8,2) NULL", Family.DEC, 3),
                        column("since", "DATE NULL", Family.DATE, 2),
                        column("flake", "SMALLINT NULL", Family.INT, 2)),
                "SELECT id, i1, u1, i2, u2, i3, u3, i4, u4, i8, u8, i8, g, d, dz, dt0, dec_s, v_gen, v_few, v_clean, u1,"
                        + " dec_s, pd, g FROM u_base WHERE id % 13 = 5");
    }

    private void keys() {
        List<String> rows = new ArrayList<>();
        for (int k = 0; k < 32; k++) {
            rows.add(row(Integer.toString(k), k));
        }
        int n = rows.size();
        for (String k : List.of(
                "127",
                "128",
                "255",
                "500",
                "65535",
                "16777215",
                "2147483647",
                "4294967295",
                "9223372036854775807",
                "9223372036854775808",
                "18446744073709551615")) {
            rows.add(row(k, n++));
        }
        add(
                "star_key",
                "k",
                List.of(
                        column("k", "BIGINT UNSIGNED PRIMARY KEY", Family.INT, 0),
                        string("label", "NULL", "utf8mb4_general_ci", true, 5),
                        column("w", "INT NULL", Family.INT, 6),
                        column("flake", "BIGINT NULL", Family.INT, 2)),
                "VALUES " + String.join(",", rows));
    }

    private static String row(String key, int n) {
        String label = n % 9 == 4
                ? "NULL"
                : "'" + List.of("alpha", "beta", "k1", "one", "two").get(n % 5) + "'";
        return "(" + key + "," + label + "," + (n % 7 == 3 ? "NULL" : n % 12 * 5 - 5) + ","
                + (n % 8 == 5 ? "NULL" : n % 6) + ")";
    }

    private void days() {
        add(
                "star_day",
                "day",
                List.of(
                        column("day", "DATE PRIMARY KEY", Family.DATE, 4),
                        column("y", "INT NOT NULL", Family.INT, 4),
                        column("m", "TINYINT UNSIGNED NULL", Family.INT, 4),
                        string("label", "NULL", "utf8mb4_general_ci", true, 3)),
                "SELECT v, YEAR(v), NULLIF(MONTH(v), 4), IF(DAY(v) < 15, 'early', NULL) FROM (SELECT pd AS v FROM u_base"
                        + " UNION SELECT d FROM u_base WHERE d IS NOT NULL AND id % 3 = 0) AS days");
    }

    private void snowflake() {
        add(
                "flake",
                "fid",
                List.of(
                        column("fid", "INT UNSIGNED PRIMARY KEY", Family.INT, 2),
                        string("label", "NULL", "utf8mb4_general_ci", true, 4),
                        column("w", "INT NULL", Family.INT, 4)),
                "VALUES (0,'alpha',5),(1,'beta',15),(2,NULL,0),(3,'alpha',NULL),(4,'k1',25),(6,'one',-5),(9,'two',5)");
    }

    private static FuzzColumn column(String name, String definition, Family family, int weight) {
        return new FuzzColumn(name, definition, ValueType.of(family), weight);
    }

    private static FuzzColumn string(String name, String nulls, String collation, boolean clean, int weight) {
        String definition = "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE " + collation + " " + nulls;
        return new FuzzColumn(name, definition, new ValueType(Family.TEXT, collation, clean), weight);
    }

    private void add(String name, String unique, List<FuzzColumn> columns, String rows) {
        String create = "CREATE TABLE " + name + " (" + FuzzColumn.definitions(columns) + ")" + options;
        tables.add(new FuzzTable(name, columns, unique, List.of(create, "INSERT INTO " + name + " " + rows)));
    }
}

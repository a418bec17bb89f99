package io.fanfold.fuzz;

import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;

/** The columns of the wide tables: every type, several collations, clean and odd strings. Not thread-safe. */
final class FuzzColumns {
    private final List<FuzzColumn> columns = new ArrayList<>();
    private final ServerFlavor flavor;

    FuzzColumns(ServerFlavor flavor) {
        this.flavor = flavor;
    }

    List<FuzzColumn> all() {
        add("id", "INT NOT NULL", Family.INT, 3);
        add("p", "INT NOT NULL", Family.INT, 3);
        add("pd", "DATE NOT NULL", Family.DATE, 3);
        clean("ps", "VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL", "utf8mb4_bin", 3);
        add("g", "INT NULL", Family.INT, 8);
        add("i1", "TINYINT NULL", Family.INT, 5);
        add("u1", "TINYINT UNSIGNED NULL", Family.INT, 2);
        add("i2", "SMALLINT NULL", Family.INT, 3);
        add("u2", "SMALLINT UNSIGNED NULL", Family.INT, 1);
        add("i3", "MEDIUMINT NULL", Family.INT, 2);
        add("u3", "MEDIUMINT UNSIGNED NULL", Family.INT, 1);
        add("i4", "INT NULL", Family.INT, 4);
        add("u4", "INT UNSIGNED NULL", Family.INT, 1);
        add("i8", "BIGINT NULL", Family.INT, 1);
        add("u8", "BIGINT UNSIGNED NULL", Family.INT, 1);
        // not clean: zero is shown as 0 or as 0000
        columns.add(new FuzzColumn("y", "YEAR NULL", new ValueType(Family.INT, "", false), 3));
        add("dec_s", "DECIMAL(8,2) NULL", Family.DEC, 6);
        add("dec_m", "DECIMAL(12,4) NULL", Family.DEC, 5);
        add("dec_x", "DECIMAL(65,30) NULL", Family.DEC, 2);
        add("dec_i", "DECIMAL(20,0) NULL", Family.DEC, 2);
        add("dec_u", "DECIMAL(10,3) UNSIGNED NULL", Family.DEC, 2);
        add("dbl", "DOUBLE NULL", Family.DBL, 3);
        add("d", "DATE NULL", Family.DATE, 6);
        add("dz", "DATE NULL", Family.DATE, 1);
        add("dt", "DATETIME(6) NULL", Family.DATETIME, 4);
        add("dt0", "DATETIME NULL", Family.DATETIME, 3);
        add("ts", "TIMESTAMP(6) NULL", Family.DATETIME, 2);
        add("tm", "TIME(3) NULL", Family.TIME, 3);
        add("tm0", "TIME NULL", Family.TIME, 3);
        strings();
        add("vb", "VARBINARY(20) NULL", Family.BYTES, 3);
        add("b4", "BINARY(4) NULL", Family.BYTES, 2);
        add("bl", "BLOB NULL", Family.BYTES, 1);
        add("f", "FLOAT NULL", Family.ODD, 1);
        add("dfix", "DOUBLE(10,2) NULL", Family.ODD, 1);
        add("zf", "INT(6) ZEROFILL NULL", Family.ODD, 1);
        add("b1", "BIT(1) NULL", Family.ODD, 1);
        add("b10", "BIT(10) NULL", Family.ODD, 1);
        add("e", "ENUM('z','a','m') NULL", Family.ODD, 2);
        add("s", "SET('x','y','w') NULL", Family.ODD, 1);
        add("j", "JSON NULL", Family.JSON, 1);
        if (flavor.isMariaDb()) {
            add("uu", "UUID NULL", Family.ODD, 1);
            add("a4", "INET4 NULL", Family.ODD, 1);
            add("a6", "INET6 NULL", Family.ODD, 2);
        }
        return List.copyOf(columns);
    }

    private void strings() {
        clean("v_clean", text("VARCHAR(20)", "utf8mb4_general_ci") + " NOT NULL", "utf8mb4_general_ci", 8);
        clean("v_few", text("VARCHAR(20)", "utf8mb4_bin") + " NULL", "utf8mb4_bin", 6);
        odd("c_gen", "CHAR(12)", "utf8mb4_general_ci", 2);
        odd("v_gen", "VARCHAR(20)", "utf8mb4_general_ci", 4);
        odd("v_bin", "VARCHAR(20)", "utf8mb4_bin", 3);
        odd("v_uni", "VARCHAR(20)", "utf8mb4_unicode_ci", 2);
        odd("v_new", "VARCHAR(20)", flavor.isMariaDb() ? "utf8mb4_uca1400_ai_ci" : "utf8mb4_0900_ai_ci", 3);
        odd("v_nopad", "VARCHAR(20)", flavor.isMariaDb() ? "utf8mb4_nopad_bin" : "utf8mb4_0900_as_cs", 2);
        if (flavor.isMariaDb()) {
            odd("v_uca", "VARCHAR(20)", "utf8mb4_uca1400_as_cs", 2);
            odd("v_swe", "VARCHAR(20)", "utf8mb4_uca1400_swedish_nopad_as_ci", 2);
        } else {
            odd("v_gb", "VARCHAR(20)", "gb18030_chinese_ci", 2);
        }
        odd("v_l1", "VARCHAR(20)", "latin1_swedish_ci", 2);
        odd("v_asc", "VARCHAR(20)", "ascii_general_ci", 2);
        odd("tx", "TEXT", "utf8mb4_unicode_ci", 2);
    }

    private void add(String name, String definition, Family family, int weight) {
        columns.add(new FuzzColumn(name, definition, ValueType.of(family), weight));
    }

    private void clean(String name, String definition, String collation, int weight) {
        columns.add(new FuzzColumn(name, definition, new ValueType(Family.TEXT, collation, true), weight));
    }

    private void odd(String name, String type, String collation, int weight) {
        columns.add(new FuzzColumn(
                name, text(type, collation) + " NULL", new ValueType(Family.TEXT, collation, false), weight));
    }

    private static String text(String type, String collation) {
        String charset = collation.substring(0, collation.indexOf('_'));
        return type + " CHARACTER SET " + charset + " COLLATE " + collation;
    }
}

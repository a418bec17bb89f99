package io.fanfold.fuzz;

import java.util.ArrayList;
import java.util.List;

/**
 * The rows of the wide tables, always the same. They contain NULLs, duplicates, equal strings of different case and
 * trailing blanks, and extremes of every type. Immutable.
 *
 * @param columns in the order of the table
 */
record FuzzRows(List<FuzzColumn> columns) {
    /** The ids begin this far below zero. */
    static final int FIRST_ID = 20;

    private static final int ROWS = 1000;
    private static final int TOGETHER = 250;

    private static final String[] WORDS = {
        "Alpha", "alpha", "ALPHA ", "beta", "Beta", "gamma", "", " ", "Z", "z  ", "a\tb", "12", "k3", "K3", "a_b"
    };
    private static final String[] ACCENTED = {"b\u00e9ta", "\u00df", "ss", "\u00c9", "\u00e9"};

    /** Strings that collations of different languages and versions treat differently. */
    private static final String[] TAILORED = {
        "o", "\u00f8", "\u00d8", "O", "i", "\u0131", "\u00fc", "y", "v", "w", "\u00e4", "\u00e9"
    };

    /** Addresses whose order as bytes differs from the order of their texts. */
    private static final String[] ADDRESSES = {
        "::", "::1", "::ffff:1.2.3.4", "2001:db8::1", "2001:db8::a", "fe80::9", "fe80::10", "a::", "9::"
    };

    private static final String[] CLEAN = {"alpha", "b", "beta", "gamma", "k1", "k2", "k3", "zeta", "12", "x y"};

    List<String> inserts(String table) {
        List<String> inserts = new ArrayList<>();
        StringBuilder values = new StringBuilder();
        for (int i = 0; i < ROWS; i++) {
            values.append(values.isEmpty() ? "" : ",").append('(');
            for (int c = 0; c < columns.size(); c++) {
                values.append(c == 0 ? "" : ",").append(value(columns.get(c).name(), i, c));
            }
            values.append(')');
            if ((i + 1) % TOGETHER == 0 || i + 1 == ROWS) {
                inserts.add("INSERT INTO " + table + " VALUES " + values);
                values.setLength(0);
            }
        }
        return inserts;
    }

    /** Spreads numbers so that the columns are independent. */
    private static int mixed(int i, int column, int below) {
        int hash = (i * 31 + column) * 0x9E3779B1;
        hash ^= hash >>> 15;
        hash *= 0x85EBCA6B;
        return Math.floorMod(hash ^ hash >>> 13, below);
    }

    private static String value(String name, int i, int c) {
        boolean required = List.of("id", "p", "pd", "ps", "v_clean").contains(name);
        if (!required && mixed(i, c + 100, 9) == 0) {
            return "NULL";
        }
        int n = mixed(i, c, 1000);
        return switch (name) {
            case "id" -> Integer.toString(i - FIRST_ID);
            case "p" -> Integer.toString(n % 12 == 4 ? 3 : n % 12); // the range partition that holds only 4 stays empty
            case "pd" -> "'" + (2000 + n % 6) + "-0" + (1 + n % 9) + "-1" + n % 10 + "'";
            case "ps" -> "'k" + n % 8 + "'";
            case "g" -> Integer.toString(n % 7);
            case "i1" -> n % 50 == 0 ? n % 100 == 0 ? "-128" : "127" : Integer.toString(n % 21 - 10);
            case "u1" -> n % 40 == 0 ? "255" : Integer.toString(n % 30);
            case "i2" -> n % 60 == 0 ? "-32768" : Integer.toString(n - 500);
            case "u2" -> n % 60 == 0 ? "65535" : Integer.toString(n);
            case "i3" -> n % 60 == 0 ? "8388607" : Integer.toString(n * 13 - 6000);
            case "u3" -> n % 60 == 0 ? "16777215" : Integer.toString(n * 7);
            case "i4" -> n % 100 == 0 ? "-2147483648" : Integer.toString(n * 11 - 5000);
            case "u4" -> n % 60 == 0 ? "4294967295" : Integer.toString(n * 17);
            case "i8" ->
                n % 30 == 0
                        ? n % 60 == 0 ? "-9223372036854775808" : "9223372036854775807"
                        : Long.toString(n * 1_000_000_007L);
            case "u8" -> n % 30 == 0 ? "18446744073709551615" : Long.toString(n * 999_999_937L);
            case "y" -> n % 25 == 0 ? "0" : Integer.toString(1995 + n % 20);
            case "dec_s" -> (n % 2 == 0 ? "-" : "") + n % 100 + "." + n % 4 * 25;
            case "dec_m" -> (n % 3 == 0 ? "-" : "") + n + "." + (1000 + n * 7 % 9000);
            case "dec_x" ->
                n % 20 == 0
                        ? (n % 40 == 0 ? "-" : "") + "9".repeat(35) + "." + "9".repeat(30)
                        : (n % 3 == 0 ? "-" : "") + "98765432109876543210" + n + ".000000000000000000000000000001";
            case "dec_i" -> n % 40 == 0 ? "99999999999999999999" : Long.toString(n * 1_234_567_890_123L);
            case "dec_u" -> n % 50 + "." + (100 + n % 900);
            case "dbl" -> n % 20 == 0 ? n % 40 == 0 ? "-0e0" : "0e0" : n % 90 == 0 ? "1.5e300" : n % 40 - 20 + "e-1";
            case "f", "dfix" -> n % 40 + ".3";
            case "d" -> "'" + (2000 + n % 7) + "-" + (1 + n % 12) + "-" + (1 + n % 28) + "'";
            case "dz" -> n % 4 == 0 ? "'0000-00-00'" : n % 4 == 1 ? "'2004-02-00'" : "'9999-12-" + (10 + n % 20) + "'";
            case "dt" -> "'200" + n % 9 + "-01-02 0" + n % 5 + ":04:05." + (100000 + n % 50) + "'";
            case "dt0" ->
                n % 30 == 0 ? "'1000-01-01 00:00:00'" : "'2003-0" + (1 + n % 3) + "-02 1" + n % 10 + ":00:00'";
            case "ts" -> "'2010-0" + (1 + n % 9) + "-03 03:04:05." + n % 7 + "'";
            case "tm" -> (n % 3 == 0 ? "'-" : "'") + (n % 4 == 0 ? "838" : "1" + n % 10) + ":59:0" + n % 9 + ".25'";
            case "tm0" -> (n % 2 == 0 ? "'-" : "'") + n % 30 + ":0" + n % 6 + ":00'";
            case "v_clean" -> quoted(CLEAN[n % CLEAN.length]);
            case "v_few" -> "'k" + n % 5 + "'";
            case "c_gen", "v_gen", "v_bin", "v_uni", "v_nopad", "tx" ->
                quoted(n % 4 == 0 ? ACCENTED[n % ACCENTED.length] : WORDS[n % WORDS.length]);
            case "v_new", "v_uca", "v_swe", "v_gb" ->
                quoted(n % 3 == 0 ? TAILORED[n % TAILORED.length] : WORDS[n % WORDS.length]);
            case "v_l1" -> quoted(n % 5 == 0 ? ACCENTED[n % ACCENTED.length] : WORDS[n % WORDS.length]);
            case "v_asc" -> quoted(WORDS[n % WORDS.length]);
            case "vb" -> "x'" + "00ff41".substring(0, 2 * (n % 4)) + "'";
            case "b4" -> "x'" + "6100ff".substring(0, 2 * (n % 4)) + "'";
            case "bl" -> "x'" + (n % 2 == 0 ? "e9" : "") + "4" + n % 7 + "'";
            case "zf" -> Integer.toString(n % 30);
            case "b1" -> Integer.toString(n % 2);
            case "b10" -> Integer.toString(n % 5 == 0 ? 1023 : n % 7);
            case "e" -> "'" + "zam".charAt(n % 3) + "'";
            case "s" -> "'" + new String[] {"", "x", "x,y", "w", "x,y,w"}[n % 5] + "'";
            case "j" -> "'{\"a\": " + n % 4 + ", \"b\": [\"" + CLEAN[n % CLEAN.length] + "\", null]}'";
            case "uu" -> "'" + n % 10 + "23e4567-e89b-" + n % 7 + "2d3-" + n % 3 + "456-42661417400" + n % 10 + "'";
            case "a4" -> "'" + n % 12 + "." + n % 11 * 20 + "." + n % 3 + ".1'";
            case "a6" -> quoted(ADDRESSES[n % ADDRESSES.length]);
            default -> throw new IllegalStateException("no values for column " + name);
        };
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}

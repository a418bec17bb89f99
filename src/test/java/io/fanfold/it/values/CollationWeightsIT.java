package io.fanfold.it.values;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.operator.KeyEncoder;
import io.fanfold.operator.MergeException;
import io.fanfold.plan.SortKey;
import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Checks for every collation of a server that its weight strings compare as the collation does, in the form in which
 * the merge uses them. {@code -Dfanfold.it.collations.characters=65536} checks that many characters instead of some
 * hundred, for a new server version. This takes ten minutes for MySQL and an hour for MariaDB.
 *
 * <p>NUL is excluded: in some collations without padding, MariaDB 10.11.5 does not find the empty string less than NUL;
 * 10.11.18 does.
 *
 * <p>The strings are sorted by weight, then the server compares each with the next. The server's comparison is an order
 * too, so this proves all pairs.
 */
class CollationWeightsIT {
    private static final String DATABASE = "it_weights";
    private static final int CHARACTERS = Integer.getInteger("fanfold.it.collations.characters", 0x180);
    private static final int ROWS_OF_AN_INSERT = 4000;

    /** Characters that some collations ignore, expand, contract or treat as equal to others. */
    private static final List<String> SIGNS = List.of(
            "", " ", "  ", "a", "A", "á", "ä", "ae", "æ", "ß", "ss", "ẞ", "č", "ch", "dž", "ǆ", "e", "ﬀ", "ff", "i",
            "ı", "İ", "ø", "oe", "œ", "z", "ž", "0", "９", "-", "\t", "\u00ad", "\u00a0", "\u0001", "\u0300", "\u0301",
            "\u0308", "\u0344", "\u200b", "日", "本", "に", "ニ", "ﾆ", "ー", "ア", "ｱ", "한", "국", "가", "각", "건", "걵", "Ω",
            "ω", "ς", "σ", "я", "ё", "½", "ﷺ", "เ", "ก", "丂", "銀", "龍", "😀", "🍣", "\uffff", "\ufffd");

    @AllServers
    void compareAsTheCollationsDo(TestServer server) throws Exception {
        List<String> disagreeing = new ArrayList<>();
        try (WireConnection connection =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            connection.execute("DROP DATABASE IF EXISTS " + DATABASE);
            connection.execute("CREATE DATABASE " + DATABASE);
            connection.execute("USE " + DATABASE);
            connection.execute("SET sql_mode = ''");
            connection.execute("CREATE TABLE original (id INT PRIMARY KEY, s VARCHAR(20) CHARACTER SET utf8mb4)");
            fill(connection);
            String charset = "";
            for (Row collation : connection.query(collations(server.kind())).rows()) {
                String name = Objects.requireNonNull(collation.utf8(0));
                if (name.equals("binary") || CollationSweepIT.refused(name, server.kind())) {
                    continue;
                }
                if (!charset.equals(collation.utf8(1))) {
                    charset = Objects.requireNonNull(collation.utf8(1));
                    convert(connection, charset);
                }
                String first = disagreement(connection, name, charset);
                disagreeing.addAll(first.isEmpty() ? List.of() : List.of(name + ": " + first));
            }
            connection.execute("DROP DATABASE " + DATABASE);
        }
        assertThat(disagreeing).isEmpty();
    }

    /** Returns the query of the collations, grouped by character set. */
    private static String collations(ServerFlavor kind) {
        return kind == ServerFlavor.MARIADB
                ? "SELECT FULL_COLLATION_NAME, CHARACTER_SET_NAME"
                        + " FROM INFORMATION_SCHEMA.COLLATION_CHARACTER_SET_APPLICABILITY ORDER BY 2, 1"
                : "SELECT COLLATION_NAME, CHARACTER_SET_NAME FROM INFORMATION_SCHEMA.COLLATIONS ORDER BY 2, 1";
    }

    private static void fill(WireConnection connection) throws Exception {
        Set<String> strings = new LinkedHashSet<>(SIGNS);
        for (String one : SIGNS) {
            for (String other : SIGNS.subList(0, 12)) {
                strings.add(one + other);
                strings.add(other + one);
            }
        }
        for (int character = 1; character < CHARACTERS; character++) {
            if (character < Character.MIN_SURROGATE || character > Character.MAX_SURROGATE) {
                strings.add(Character.toString(character));
            }
        }
        List<String> rows = new ArrayList<>();
        for (String string : strings) {
            String hex = HexFormat.of().formatHex(string.getBytes(StandardCharsets.UTF_8));
            rows.add("(" + rows.size() + ",_utf8mb4 x'" + hex + "')");
        }
        insert(connection, "original", rows);
    }

    private static void insert(WireConnection connection, String table, List<String> rows) throws Exception {
        for (int i = 0; i < rows.size(); i += ROWS_OF_AN_INSERT) {
            List<String> some = rows.subList(i, Math.min(rows.size(), i + ROWS_OF_AN_INSERT));
            connection.execute("INSERT INTO " + table + " VALUES " + String.join(",", some));
        }
    }

    /** Inserts the strings that a character set can hold. */
    private static void convert(WireConnection connection, String charset) throws Exception {
        connection.execute("DROP TABLE IF EXISTS converted");
        connection.execute("CREATE TABLE converted (id INT PRIMARY KEY, s VARCHAR(20) CHARACTER SET " + charset + ")");
        connection.execute("INSERT IGNORE INTO converted SELECT id, s FROM original");
        connection.execute("DELETE converted FROM converted JOIN original USING (id)"
                + " WHERE CAST(CONVERT(converted.s USING utf8mb4) AS BINARY) <> CAST(original.s AS BINARY)");
    }

    /** A string of the table, by its row number. */
    private record Weighed(String id, byte[] key) {}

    /** Returns the first two neighbors that compare differently, in hex; "" if there are none. */
    private static String disagreement(WireConnection connection, String name, String charset) throws Exception {
        Row blank = connection
                .query("SELECT WEIGHT_STRING(CONVERT(_utf8mb4 x'20' USING " + charset + ") COLLATE " + name
                        + "), CONVERT(_utf8mb4 x'61' USING " + charset + ") COLLATE " + name
                        + " = CONVERT(_utf8mb4 x'6120' USING " + charset + ")")
                .rows()
                .get(0);
        SortKey key = "1".equals(blank.utf8(1))
                ? new SortKey(1, KeyComparison.WEIGHT_PAD, Objects.requireNonNull(blank.bytes(0)), false)
                : new SortKey(1, KeyComparison.WEIGHT, new byte[0], false);
        KeyEncoder encoder = KeyEncoder.forOrder(List.of(key));
        List<Weighed> strings = new ArrayList<>();
        try {
            for (Row row : connection
                    .query("SELECT id, WEIGHT_STRING(s COLLATE " + name + ") FROM converted")
                    .rows()) {
                encoder.encode(row);
                strings.add(new Weighed(Objects.requireNonNull(row.utf8(0)), encoder.toBytes()));
            }
        } catch (MergeException e) {
            return String.valueOf(e.getMessage());
        }
        strings.sort(Comparator.comparing(Weighed::key, Arrays::compareUnsigned));
        List<String> ranked = new ArrayList<>();
        for (int i = 0; i < strings.size(); i++) {
            boolean same = i > 0
                    && Arrays.equals(strings.get(i - 1).key(), strings.get(i).key());
            ranked.add("(" + i + "," + strings.get(i).id() + "," + (same ? 1 : 0) + ")");
        }
        connection.execute("DROP TABLE IF EXISTS ranked");
        connection.execute("CREATE TABLE ranked (place INT PRIMARY KEY, id INT, same INT) ENGINE = MEMORY");
        insert(connection, "ranked", ranked);
        String left = "a.s COLLATE " + name;
        String right = "b.s COLLATE " + name;
        List<Row> found = connection
                .query("SELECT HEX(a.s), HEX(b.s), y.same FROM ranked x JOIN converted a ON a.id = x.id"
                        + " JOIN ranked y ON y.place = x.place + 1 JOIN converted b ON b.id = y.id"
                        + " WHERE NOT IF(y.same, " + left + " = " + right + ", " + left + " < " + right
                        + ") ORDER BY x.place LIMIT 1")
                .rows();
        return found.isEmpty() ? "" : found.get(0).toString();
    }
}

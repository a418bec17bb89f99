package io.fanfold.it.values;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Groups, distinct values, filters, sorts and ranks under every collation of the server, direct and through the proxy.
 * Every statement is split, or refused because of its collation. This class lists the refused collations.
 *
 * <p>With {@code -Dfanfold.it.collations=all} the strings are all characters of the Basic Multilingual Plane and some
 * beyond, alone and partly in pairs, instead of about 300, and each collation has all statements instead of every third.
 * Use it for a new server version.
 */
class CollationSweepIT {
    private static final String NAME = "it_collations";
    private static final boolean ALL = "all".equals(System.getProperty("fanfold.it.collations", "some"));

    /** Columns of one table, each with a collation of its own. */
    private static final int COLUMNS = 25;

    private static final TestDatabase DATABASE = new TestDatabase(NAME, admin -> {});

    /** The results depend only on equality and order, not on which of several equal strings the server returns. */
    private static final List<String> STATEMENTS = List.of(
            "SELECT COUNT(*), MIN(id) AS first, SUM(id) FROM %2$s GROUP BY %1$s ORDER BY first",
            "SELECT COUNT(DISTINCT %1$s), COUNT(%1$s) FROM %2$s",
            "SELECT MIN(id) AS first FROM %2$s GROUP BY %1$s HAVING %1$s > 'o' ORDER BY first",
            "SELECT MIN(id), COUNT(*) FROM %2$s GROUP BY %1$s ORDER BY %1$s DESC",
            "SELECT MIN(id), RANK() OVER (ORDER BY %1$s) AS place FROM %2$s GROUP BY %1$s ORDER BY place",
            "SELECT id FROM %2$s WHERE id + 0 > 0 ORDER BY %1$s, id LIMIT 20000");

    /**
     * Why a statement may be refused under a supported collation: MySQL warns about the final query, because the
     * character set is deprecated.
     */
    private static final Set<Reason> OTHER_REASONS = Set.of(Reason.WARNINGS);

    /** A collation of the server. */
    private record Collation(String name, String charset) {}

    @AllServers
    void everyCollationComparesAsDirect(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, ProxySetup.ofDegree(3))) {
            same.onBoth("SET NAMES utf8mb4");
            List<Collation> collations = fill(same.proxy());
            Set<String> refused = new TreeSet<>();
            List<String> wrong = new ArrayList<>();
            int split = 0;
            int usable = 0;
            for (int i = 0; i < collations.size(); i++) {
                String collation = collations.get(i).name();
                for (String statement : statements(i)) {
                    usable += refused(collation, server.kind()) ? 0 : 1;
                    String sql = String.format(Locale.ROOT, statement, "c" + i % COLUMNS, "t" + i / COLUMNS);
                    boolean equal = isSame(same, sql);
                    Reason reason = same.proxy().outcome().reason();
                    if (reason == null) {
                        split++;
                    } else if (reason == Reason.COLLATION) {
                        refused.add(collation);
                    } else if (!OTHER_REASONS.contains(reason)) {
                        wrong.add(collation + ": " + reason + ": " + sql);
                    }
                    // under big5_chinese_ci and tis620_thai_ci, even the passed-through statement has another order at
                    // each run
                    if (!equal && reason == null) {
                        wrong.add(collation + ": " + sql);
                    }
                }
            }
            assertThat(wrong).isEmpty();
            List<String> expected = collations.stream()
                    .map(Collation::name)
                    .filter(name -> refused(name, server.kind()))
                    .toList();
            assertThat(refused).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(split).as("statements that were split").isGreaterThan(usable * 5 / 6);
        }
    }

    /** The statements of the collation with a number. */
    private static List<String> statements(int collation) {
        return IntStream.range(0, STATEMENTS.size())
                .filter(i -> ALL || i % 3 == collation % 3)
                .mapToObj(STATEMENTS::get)
                .toList();
    }

    private static boolean isSame(SameAsServer same, String sql) throws Exception {
        try {
            same.same(sql);
            return true;
        } catch (AssertionError e) {
            return false;
        }
    }

    /** Whether the collation's weights differ from its comparisons, or are not known to agree. */
    static boolean refused(String name, ServerFlavor kind) {
        if (name.equals("latin2_czech_cs") || name.startsWith("big5_") || name.startsWith("tis620_")) {
            return true;
        }
        if (name.startsWith("latin7_")) {
            return true;
        }
        if (Set.of("cp1250_czech_cs", "cp1250_general_ci", "cp1251_ukrainian_ci", "koi8u_general_ci")
                .contains(name)) {
            return true;
        }
        if (kind == ServerFlavor.MYSQL) {
            return name.equals("gb18030_chinese_ci") || name.equals("euckr_korean_ci");
        }
        if (name.endsWith("_thai_520_w2") || name.contains("_vietnamese_") && name.contains("_as_c")) {
            return true;
        }
        return name.contains("_ai_cs") || name.contains("_as_c") && !name.contains("_nopad_");
    }

    /** Creates tables with the same strings under every collation, as far as their character sets support them. */
    private static List<Collation> fill(ProxiedServer proxy) throws Exception {
        List<Collation> collations = new ArrayList<>();
        try (WireConnection admin = proxy.direct()) {
            admin.execute("SET NAMES utf8mb4");
            admin.execute("SET sql_mode = ''");
            admin.execute("USE " + NAME);
            String query = proxy.server().kind() == ServerFlavor.MARIADB
                    ? "SELECT FULL_COLLATION_NAME, CHARACTER_SET_NAME"
                            + " FROM INFORMATION_SCHEMA.COLLATION_CHARACTER_SET_APPLICABILITY ORDER BY ID"
                    : "SELECT COLLATION_NAME, CHARACTER_SET_NAME FROM INFORMATION_SCHEMA.COLLATIONS ORDER BY ID";
            for (Row row : admin.query(query).rows()) {
                String name = Objects.requireNonNull(row.utf8(0));
                if (!name.equals("binary")) {
                    collations.add(new Collation(name, Objects.requireNonNull(row.utf8(1))));
                }
            }
            insertStrings(admin);
            for (int from = 0; from < collations.size(); from += COLUMNS) {
                create(admin, from / COLUMNS, collations.subList(from, Math.min(from + COLUMNS, collations.size())));
            }
        }
        proxy.tablesChanged();
        return collations;
    }

    private static void create(WireConnection admin, int number, List<Collation> collations) throws Exception {
        Map<String, String> columns = new LinkedHashMap<>();
        for (int i = 0; i < collations.size(); i++) {
            Collation collation = collations.get(i);
            String converted = "CONVERT(s USING " + collation.charset() + ")";
            columns.put(
                    "c" + i + " VARCHAR(6) CHARACTER SET " + collation.charset() + " COLLATE " + collation.name(),
                    // a character that the character set lacks would become a question mark
                    "IF(CONVERT(" + converted + " USING utf8mb4) COLLATE utf8mb4_bin = s, " + converted + ", NULL)");
        }
        admin.execute("CREATE TABLE t" + number + " (id INT PRIMARY KEY, " + String.join(", ", columns.keySet())
                + ") ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
        admin.execute(
                "INSERT INTO t" + number + " SELECT id, " + String.join(", ", columns.values()) + " FROM strings");
    }

    private static void insertStrings(WireConnection admin) throws Exception {
        admin.execute("CREATE TABLE strings (id INT AUTO_INCREMENT PRIMARY KEY,"
                + " s VARCHAR(6) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)");
        List<String> strings = strings();
        for (int from = 0; from < strings.size(); from += 1000) {
            StringBuilder sql = new StringBuilder("INSERT INTO strings (s) VALUES ");
            for (String string : strings.subList(from, Math.min(from + 1000, strings.size()))) {
                sql.append("(_utf8mb4 x'")
                        .append(HexFormat.of().formatHex(string.getBytes(StandardCharsets.UTF_8)))
                        .append("'),");
            }
            admin.execute(sql.substring(0, sql.length() - 1));
        }
    }

    private static List<String> strings() {
        List<String> strings = new ArrayList<>(List.of(
                "",
                " ",
                "  ",
                "a ",
                "A ",
                "a  ",
                "ss",
                "SS",
                "ae",
                "oe",
                "ij",
                "ch",
                "cz",
                "ll",
                "nj",
                "a\u0301",
                "A\u030a",
                "o\u0308",
                "\uac00\u11a8",
                "ab",
                "a b",
                "a-b",
                "aB",
                "Ab",
                "10",
                "2",
                "1",
                "\ud83d\ude00",
                "\ud83d\ude01",
                "\ud801\udc00",
                "\ud801\udc28",
                "\u0e40\u0e01",
                "\u0e01\u0e40",
                "b ",
                "B"));
        int[][] ranges = ALL
                ? new int[][] {{0, 0xd7ff}, {0xe000, 0xffff}, {0x10400, 0x104ff}, {0x1f300, 0x1f6ff}, {0x20000, 0x20400}
                }
                : new int[][] {
                    {0x23, 0x5b},
                    {0x5d, 0x7e},
                    {0xa1, 0xff},
                    {0x100, 0x180},
                    {0x391, 0x3a9},
                    {0x410, 0x45f},
                    {0x5d0, 0x5d5},
                    {0x627, 0x630},
                    {0xe01, 0xe2e},
                    {0x1e9e, 0x1ea1},
                    {0x2460, 0x2465},
                    {0x3041, 0x304a},
                    {0x30a1, 0x30aa},
                    {0x4e00, 0x4e08},
                    {0xac00, 0xac04},
                    {0xff21, 0xff24}
                };
        for (int[] range : ranges) {
            for (int c = range[0]; c <= range[1]; c++) {
                strings.add(Character.toString(c));
            }
        }
        return strings;
    }
}

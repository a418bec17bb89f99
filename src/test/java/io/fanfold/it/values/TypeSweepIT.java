package io.fanfold.it.values;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.BinaryClient.Parameter;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import io.fanfold.wire.Capability;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Counts, groups, filters, sorts, and takes MIN and MAX of a column of every type that the server has. Each statement
 * runs direct and through the proxy, as text and prepared. The table below states for each type and statement whether
 * it is split. Fails if the server has a type that is not listed.
 */
class TypeSweepIT {
    private static final String NAME = "it_types";

    private static final TestDatabase DATABASE = new TestDatabase(NAME, admin -> {});

    /** MariaDB derives the types and lengths of MIN and MAX of TEXT, BLOB and BOOL from its plan. */
    private static final String MIN_AND_MAX = "SELECT n, MIN(v), MAX(v) FROM %s GROUP BY n ORDER BY n";

    /** Statements over the column v of the table %s. */
    private static final List<String> STATEMENTS = List.of(
            "SELECT COUNT(v), COUNT(*) FROM %s",
            "SELECT COUNT(DISTINCT v) FROM %s",
            "SELECT MIN(v) FROM %s",
            "SELECT MAX(v) FROM %s",
            "SELECT v, COUNT(*) FROM %s GROUP BY v",
            MIN_AND_MAX,
            "SELECT v, COUNT(*) FROM %s GROUP BY v HAVING v IS NOT NULL AND COUNT(*) > 0",
            "SELECT v, COUNT(*) AS many FROM %s GROUP BY v ORDER BY v DESC LIMIT 3",
            "SELECT id, v FROM %s WHERE n >= 0 ORDER BY v, id LIMIT 7",
            "SELECT DISTINCT v FROM %s",
            "SELECT MIN(d.x), COUNT(DISTINCT d.x) FROM (SELECT v AS x, COUNT(*) FROM %s GROUP BY v) d",
            "SELECT d.n, COUNT(*) FROM (SELECT n, MAX(v) AS x FROM %s GROUP BY n) d WHERE d.x IS NOT NULL"
                    + " GROUP BY d.n ORDER BY MIN(d.x), d.n",
            "SELECT n, COUNT(DISTINCT v) FROM %s GROUP BY n",
            "SELECT n, COUNT(*) FROM %s WHERE v IS NOT NULL GROUP BY n",
            "SELECT id, RANK() OVER (ORDER BY v) FROM %s WHERE id < 9 ORDER BY id",
            "SELECT id, v FROM %s WHERE n >= 0");

    /**
     * A column type with its expectations.
     *
     * @param split one character for each of {@link #STATEMENTS}, as text: plus if it is split, minus if not
     * @param prepared the same for prepared statements; a point if it is not prepared
     * @param values literals, all distinct
     */
    private record Listed(String split, String prepared, List<String> values) {
        static Listed of(String split, String... values) {
            int minMaxes = STATEMENTS.indexOf(MIN_AND_MAX);
            String prepared = split.substring(0, minMaxes) + "." + split.substring(minMaxes + 1);
            return new Listed(split, prepared, List.of(values));
        }
    }

    private static final int VAR_STRING = 253;
    private static final String[] NUMBERS = {"0", "1", "9", "10", "100", "2"};
    private static final String[] TEXTS = {"'a'", "'b'", "''", "'10'", "'9'", "'c'"};

    @AllServers
    void everyTypeIsAnsweredAsDirect(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, ProxySetup.ofDegree(3));
                SameInBinary binary = new SameInBinary(same.proxy(), NAME)) {
            Map<String, Listed> types = types(server.kind());
            List<String> wrong = new ArrayList<>();
            for (Map.Entry<String, Listed> type : types.entrySet()) {
                String table = table(type.getKey());
                create(same.proxy(), table, type.getKey(), type.getValue().values());
                StringBuilder split = new StringBuilder();
                StringBuilder prepared = new StringBuilder();
                for (String statement : STATEMENTS) {
                    String sql = String.format(Locale.ROOT, statement, table);
                    try {
                        if (statement.equals(MIN_AND_MAX)) {
                            same.sameValues(sql);
                        } else {
                            same.same(sql);
                        }
                        split.append(same.proxy().outcome().fannedOut() ? '+' : '-');
                        prepared.append(prepared(statement, type.getKey(), server.kind()) ? sign(binary, sql) : '.');
                    } catch (AssertionError e) {
                        wrong.add(sql + " of " + type.getKey() + ": " + e.getMessage());
                    }
                }
                if (!split.toString().equals(type.getValue().split())
                        || !prepared.toString().equals(type.getValue().prepared())) {
                    wrong.add("\"" + type.getKey() + "\", Listed.of(\"" + split + "\", \"" + prepared + "\"");
                }
            }
            assertThat(wrong).isEmpty();
        }
    }

    private static char sign(SameInBinary binary, String sql) throws Exception {
        return binary.outcomeOnce(sql).fannedOut() ? '+' : '-';
    }

    /** Whether the statement can be prepared, with definitions that do not depend on the server's plan. */
    private static boolean prepared(String statement, String type, ServerFlavor kind) {
        boolean minMax = statement.contains("MIN(") || statement.contains("MAX(");
        boolean refused = kind == ServerFlavor.MYSQL && type.startsWith("VECTOR") && minMax;
        return !statement.equals(MIN_AND_MAX) && !refused;
    }

    @AllServers
    void everyTypeOfTheServerIsListed(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, ProxySetup.ofDegree(1));
                WireConnection admin = same.proxy().direct()) {
            Set<String> listed = new TreeSet<>(OTHER_TOPICS);
            for (String type : types(server.kind()).keySet()) {
                listed.add(type.replaceAll("[( ].*", ""));
            }
            Set<String> there = new TreeSet<>();
            for (Row row : admin.query("SELECT t.name FROM mysql.help_topic t JOIN mysql.help_category c"
                            + " USING (help_category_id) WHERE c.name = 'Data Types'")
                    .rows()) {
                there.add(Objects.requireNonNull(row.utf8(0)).replaceAll("(?i) data type$", ""));
            }
            if (server.kind() == ServerFlavor.MARIADB) {
                for (Row row : admin.query("SELECT PLUGIN_NAME FROM INFORMATION_SCHEMA.PLUGINS"
                                + " WHERE PLUGIN_TYPE = 'DATA TYPE'")
                        .rows()) {
                    there.add(Objects.requireNonNull(row.utf8(0)).toUpperCase(Locale.ROOT));
                }
            }
            // MariaDB's image has no help tables, MySQL's no type plugins
            assertThat(there).isNotEmpty();
            assertThat(listed).containsAll(there);
            for (String type : List.of("GEOMETRY", "POINT", "MULTIPOLYGON")) {
                Reply reply = admin.pipeline(List.of("CREATE TABLE " + NAME + ".g (id INT PRIMARY KEY, v " + type
                                + ") PARTITION BY HASH (id) PARTITIONS 2"))
                        .get(0);
                assertThat(reply).as("a partitioned table with %s", type).isInstanceOf(Reply.Failed.class);
            }
        }
    }

    /** Help topics that are not types, or are synonyms of a listed type. */
    private static final Set<String> OTHER_TOPICS = Set.of(
            "AUTO_INCREMENT",
            "BLOB and TEXT Data Types",
            "BLOB DATA TYPE",
            "BOOLEAN",
            "CHAR BYTE",
            "DEC",
            "DOUBLE PRECISION",
            "Floating-point Accuracy",
            "INTEGER",
            "Numeric Data Type Overview",
            "ROW");

    @AllServers
    void expressionsOfNamedTypesAreSplitOnlyWhereBytesProveTheirOrder(TestServer server) throws Exception {
        if (server.kind() != ServerFlavor.MARIADB) {
            return;
        }
        try (SameAsServer same = DATABASE.compared(server, ProxySetup.ofDegree(3))) {
            create(same.proxy(), "a6", "INET6", SIX);
            create(same.proxy(), "a4", "INET4", FOUR);
            create(same.proxy(), "au", "UUID", UUIDS);
            // in the server's order, although there is no ORDER BY
            same.fansOutInTheOrderOfTheServer("SELECT v, COUNT(*) FROM a6 GROUP BY v");
            same.fansOutInTheOrderOfTheServer("SELECT v, COUNT(*) FROM a4 GROUP BY v");
            same.fansOut("SELECT MIN(v), MAX(v), MIN(DISTINCT v) FROM a6");
            same.fansOut("SELECT MIN(v), MAX(v) FROM a4");
            same.fansOut("SELECT a6.v, COUNT(*) FROM a6 JOIN a4 ON a6.id = a4.id GROUP BY a6.v ORDER BY a6.v");
            same.fansOut("SELECT CONCAT(v) AS k, COUNT(*) FROM a6 GROUP BY k");
            same.fansOut("SELECT CAST(v AS CHAR(40)) AS k, COUNT(*) FROM au GROUP BY k ORDER BY k");
            same.fansOut("SELECT n, COUNT(DISTINCT v) FROM au GROUP BY n");
            for (String table : List.of("a6", "a4", "au")) {
                String least = table.equals("a6") ? "'::'" : table.equals("a4") ? "'0.0.0.0'" : "v";
                for (String expression : List.of(
                        "COALESCE(v, " + least + ")",
                        "IFNULL(v, " + least + ")",
                        "IF(n > 3, v, v)",
                        "CASE WHEN n > 3 THEN v ELSE v END",
                        "NULLIF(v, v)",
                        "GREATEST(v, v)")) {
                    for (String statement : List.of(
                            "SELECT %s AS k, COUNT(*) FROM %s GROUP BY k",
                            "SELECT MIN(%s) AS k FROM %s",
                            "SELECT COUNT(DISTINCT %s) AS k FROM %s",
                            "SELECT id, %s AS k FROM %s WHERE n > 0 ORDER BY k, id LIMIT 5")) {
                        same.same(String.format(Locale.ROOT, statement, expression, table));
                        assertThat(same.proxy().outcome().fannedOut())
                                .as("%s of %s", statement, expression)
                                .isFalse();
                    }
                }
                for (String sql : List.of(
                        "SELECT v, COUNT(*) FROM %s GROUP BY v HAVING v > " + (least.equals("v") ? "n" : least),
                        "SELECT n, MIN(v) AS m FROM %s GROUP BY n ORDER BY m, n",
                        "SELECT n, MIN(v) AS m FROM %s GROUP BY n HAVING m IS NOT NULL",
                        "SELECT MAX(d.m) FROM (SELECT MIN(v) AS m FROM %s GROUP BY n) d",
                        "SELECT d.v FROM (SELECT v, COUNT(*) AS c FROM %s GROUP BY v) d ORDER BY d.v",
                        "SELECT v FROM %1$s GROUP BY v UNION SELECT v FROM %1$s GROUP BY v ORDER BY 1",
                        "SELECT v, RANK() OVER (ORDER BY v) FROM %s ORDER BY 2",
                        "SELECT v, LAG(v) OVER (ORDER BY v) FROM %s GROUP BY v",
                        "SELECT v, COUNT(*) FROM %s GROUP BY v WITH ROLLUP",
                        "SELECT GROUP_CONCAT(DISTINCT v ORDER BY v) FROM %s",
                        "SELECT CONCAT(MIN(v)) FROM %s")) {
                    same.same(String.format(Locale.ROOT, sql, table));
                }
            }
            same.passesThrough("SELECT MIN(v) FROM au", Reason.ARGUMENT_TYPE);
            same.passesThrough("SELECT v, COUNT(*) FROM au GROUP BY v", Reason.KEY_TYPE);
            same.passesThrough("SELECT id, v FROM au WHERE n >= 0 ORDER BY v LIMIT 3", Reason.KEY_TYPE);
        }
    }

    @AllServers
    void parametersBesideNamedTypesAreComparedAsDirect(TestServer server) throws Exception {
        if (server.kind() != ServerFlavor.MARIADB) {
            return;
        }
        try (SameAsServer same = DATABASE.compared(server, ProxySetup.ofDegree(3))) {
            create(same.proxy(), "a6", "INET6", SIX);
            create(same.proxy(), "a4", "INET4", FOUR);
            create(same.proxy(), "au", "UUID", UUIDS);
            for (long capabilities : List.of(
                    BinaryClient.USUAL,
                    BinaryClient.USUAL & ~Capability.CLIENT_MYSQL | Capability.MARIADB_EXTENDED_METADATA)) {
                try (SameInBinary binary = new SameInBinary(same.proxy(), NAME, capabilities)) {
                    for (String table : List.of("a6", "a4", "au")) {
                        for (String value :
                                List.of("::1", "1.2.3.4", "01890A5DAC96774BBCCEB302099A8057", "none", "1", "")) {
                            for (String sign : List.of("=", ">", "<=>", "IN", "LIKE")) {
                                String sql = "SELECT COUNT(*), COUNT(DISTINCT v) FROM " + table + " WHERE v " + sign
                                        + " (?) AND n >= 0";
                                binary.outcomeOnce(
                                        sql, new Parameter(VAR_STRING, value.getBytes(StandardCharsets.UTF_8)));
                            }
                        }
                    }
                }
            }
        }
    }

    private static final List<String> SIX =
            List.of("'::1'", "'::ffff:1.2.3.4'", "'::'", "'2001:db8::1'", "'2001:db8::a'", "'f::'", "'10::'");
    private static final List<String> FOUR =
            List.of("'1.2.3.4'", "'9.0.0.1'", "'10.0.0.1'", "'200.0.0.1'", "'0.0.0.0'", "'255.255.255.255'");
    private static final List<String> UUIDS = List.of(
            "'00000001-0000-0000-0000-000000000002'",
            "'00000002-0000-0000-0000-000000000001'",
            "'f0000000-0000-1000-8000-000000000001'",
            "'01890a5d-ac96-774b-bcce-b302099a8057'",
            "'01890a5d-ac96-474b-8cce-b302099a8056'");

    /** The types that a column of a partitioned table may have, by declaration. */
    private static Map<String, Listed> types(ServerFlavor kind) {
        Map<String, Listed> types = new TreeMap<>();
        ServerFlavor flavor = kind;
        String all = "++++++++++++++++";
        // MySQL sorts groups with MIN and MAX of dates in temporary tables
        String dates = flavor.isMariaDb() ? all : "+++++-+++++-++++";
        // RANK of long strings, and of values that also need an exact form, is left to the server
        String ranked = "++++++++++++++-+";
        for (String type : List.of(
                "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "BIGINT UNSIGNED", "DECIMAL(20,3)", "BOOL")) {
            types.put(type, Listed.of(all, NUMBERS));
        }
        types.put("DOUBLE", Listed.of("++++++++++--++++", NUMBERS));
        types.put("FLOAT", new Listed("++++++-+++--++-+", "++---.------++--", List.of(NUMBERS)));
        types.put("DOUBLE(10,2)", new Listed("++++++-+++--++-+", "++---.------++--", List.of(NUMBERS)));
        types.put("BIT(7)", Listed.of("++------+---++-+", NUMBERS));
        types.put("INT ZEROFILL", Listed.of("+------------+-+", NUMBERS));
        types.put("YEAR", Listed.of(all, "1999", "2000", "1901", "2155", "2011", "2001"));
        for (String type : List.of("CHAR(5)", "VARCHAR(20)", "TINYTEXT")) {
            types.put(type, Listed.of(all, TEXTS));
        }
        for (String type : List.of(
                "TEXT",
                "MEDIUMTEXT",
                "LONGTEXT",
                "BINARY(3)",
                "VARBINARY(20)",
                "TINYBLOB",
                "BLOB",
                "MEDIUMBLOB",
                "LONGBLOB")) {
            types.put(type, Listed.of(ranked, TEXTS));
        }
        types.put("ENUM('z','b','a')", Listed.of("++--+--+++--++-+", "'z'", "'b'", "'a'"));
        types.put("SET('z','b','a')", Listed.of("++--+--+++--++-+", "'z'", "'b'", "'a'", "'z,a'", "''"));
        types.put("DATE", Listed.of(dates, "'2001-02-03'", "'1999-12-31'", "'2010-01-01'"));
        types.put("TIME(2)", Listed.of(all, "'10:00:00.5'", "'-01:00:00'", "'100:00:00'", "'9:00:00'"));
        types.put("DATETIME(3)", Listed.of(all, "'2001-02-03 04:05:06.789'", "'1999-12-31'", "'2010-01-01'"));
        types.put("TIMESTAMP NULL", Listed.of(dates, "'2001-02-03 04:05:06'", "'1999-12-31'", "'2010-01-01'"));
        // on MariaDB a text type with a check, on MySQL a type of its own
        types.put(
                "JSON",
                Listed.of(
                        flavor.isMariaDb() ? "++++++-+++--++-+" : "+------------+-+",
                        "'1'",
                        "'10'",
                        "'9'",
                        "'\"a\"'",
                        "'[1]'",
                        "'{\"a\": 1}'"));
        if (flavor.isMariaDb()) {
            types.put("INET4", Listed.of("++++++-+++--++-+", FOUR.toArray(String[]::new)));
            types.put("INET6", Listed.of("++++++-+++--++-+", SIX.toArray(String[]::new)));
            types.put("UUID", Listed.of("++----------++-+", UUIDS.toArray(String[]::new)));
        } else {
            types.put(
                    "VECTOR(2)",
                    new Listed(
                            "+------------+-+",
                            "+-..-.----..-+-+",
                            List.of("TO_VECTOR('[1,2]')", "TO_VECTOR('[-1,2]')")));
        }
        return types;
    }

    private static String table(String type) {
        return "t_" + type.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_");
    }

    private static void create(ProxiedServer proxy, String table, String type, List<String> values) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("SET sql_mode = ''");
            admin.execute("USE " + NAME);
            admin.execute("CREATE TABLE " + table + " (id INT PRIMARY KEY, n INT NOT NULL, v " + type
                    + ") ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
            List<String> rows = new ArrayList<>();
            for (int id = 0; id < 60; id++) {
                String value = id % 11 == 7 ? "NULL" : values.get(id * 7 % 13 % values.size());
                rows.add("(" + id + ", " + id % 5 + ", " + value + ")");
            }
            admin.execute("INSERT INTO " + table + " VALUES " + String.join(", ", rows));
        }
        proxy.tablesChanged();
    }
}

package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.config.FilterConfig;
import io.fanfold.config.FilterConfig.Dynamic;
import io.fanfold.demo.DemoQuery;
import io.fanfold.demo.SsbQueries;
import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.HandlerReads;
import io.fanfold.it.support.data.SsbTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Dynamic filters: partition queries of a join are restricted to the join keys that a dimension's conditions select.
 * The answer equals the server's, and the server reads fewer rows.
 */
class DynamicFiltersIT {
    private static final int ROWS = 3000;
    private static final int DIMENSION = 200;

    /** More rows than two dimensions of the Star Schema Benchmark have at its smallest scale. */
    private static final int DIMENSIONS = 6000;

    /** The type, least value and largest value of each integer column. */
    private static final Map<String, List<String>> NUMBERS = numbers();

    private static final TestDatabase DATABASE = new TestDatabase("it_filters", DynamicFiltersIT::create);

    private static Map<String, List<String>> numbers() {
        Map<String, List<String>> numbers = new LinkedHashMap<>();
        numbers.put("s8", List.of("TINYINT", "-128", "127"));
        numbers.put("u8", List.of("TINYINT UNSIGNED", "0", "255"));
        numbers.put("s16", List.of("SMALLINT", "-32768", "32767"));
        numbers.put("u16", List.of("SMALLINT UNSIGNED", "0", "65535"));
        numbers.put("s24", List.of("MEDIUMINT", "-8388608", "8388607"));
        numbers.put("u24", List.of("MEDIUMINT UNSIGNED", "0", "16777215"));
        numbers.put("s32", List.of("INT", "-2147483648", "2147483647"));
        numbers.put("u32", List.of("INT UNSIGNED ZEROFILL", "0", "4294967295"));
        numbers.put("s64", List.of("BIGINT", "-9223372036854775808", "9223372036854775807"));
        numbers.put("u64", List.of("BIGINT UNSIGNED", "0", "18446744073709551615"));
        return numbers;
    }

    private static void create(WireConnection admin) throws Exception {
        createStar(admin);
        createNumbers(admin);
    }

    /**
     * Creates a fact table partitioned by a key of the dimension {@code pos}, and dimensions. One dimension has a
     * dimension of its own.
     */
    private static void createStar(WireConnection admin) throws Exception {
        admin.execute("CREATE TABLE fact (id INT NOT NULL, c INT, e INT, p INT NOT NULL, v INT, day DATE, s VARCHAR(9))"
                + " ENGINE=InnoDB PARTITION BY LIST (p) (PARTITION p0 VALUES IN (0, 1, 2), PARTITION p1 VALUES IN (3, 4, 5),"
                + " PARTITION p2 VALUES IN (6, 7), PARTITION p3 VALUES IN (8, 9))");
        admin.execute("CREATE TABLE dim (k INT NOT NULL PRIMARY KEY, x INT, s VARCHAR(9), city INT)");
        admin.execute("CREATE TABLE city (k INT NOT NULL PRIMARY KEY, land INT, name VARCHAR(9))");
        admin.execute("CREATE TABLE land (k INT NOT NULL PRIMARY KEY, name VARCHAR(9))");
        admin.execute("CREATE TABLE pos (p INT, x INT)");
        admin.execute("CREATE TABLE days (day DATE, x INT)");
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add("(" + i + "," + (i % 17 == 0 ? "NULL" : i * 7 % DIMENSION) + "," + i % 31 + "," + i % 10 + ","
                    + i % 90 + "," + (i % 13 == 0 ? "NULL" : "'2001-0" + (1 + i % 9) + "-" + (10 + i % 19) + "'")
                    + ",'t" + i % 6
                    + "')");
        }
        insert(admin, "fact", rows);
        for (int i = 0; i < DIMENSION; i++) {
            rows.add("(" + i + "," + i % 20 + ",'s" + i % 5 + "'," + i % 12 + ")");
        }
        insert(admin, "dim", rows);
        for (int i = 0; i < 12; i++) {
            rows.add("(" + i + "," + i % 4 + ",'c" + i + "')");
        }
        insert(admin, "city", rows);
        insert(admin, "land", new ArrayList<>(List.of("(0, 'l0')", "(1, 'l1')", "(2, 'l2')", "(3, 'l3')")));
        // duplicate keys, NULL keys, and several keys for one condition
        for (int i = 0; i < 36; i++) {
            rows.add(i % 12 == 11 ? "(NULL, 4)" : "(" + i % 12 + "," + (i % 12 == 10 ? 5 : i % 12 / 3) + ")");
        }
        insert(admin, "pos", rows);
        for (int i = 0; i < 60; i++) {
            rows.add("(" + (i % 7 == 0 ? "NULL" : "'2001-0" + (1 + i % 9) + "-" + (10 + i % 19) + "'") + "," + i % 3
                    + ")");
        }
        insert(admin, "days", rows);
        admin.execute("CREATE TABLE indexed LIKE fact");
        admin.execute("ALTER TABLE indexed ADD KEY (c, e), ADD KEY (e, c, p), ADD KEY (day, e)");
        admin.execute("INSERT INTO indexed SELECT * FROM fact");
        admin.query("ANALYZE TABLE fact, dim, city, land, pos, days, indexed");
    }

    /**
     * Creates two tables with the least and largest value of every integer type, clipped to the type of each column,
     * and NULL.
     */
    private static void createNumbers(WireConnection admin) throws Exception {
        StringBuilder columns = new StringBuilder();
        NUMBERS.forEach(
                (name, type) -> columns.append(", ").append(name).append(" ").append(type.get(0)));
        admin.execute(
                "CREATE TABLE nf (id INT NOT NULL" + columns + ") ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 4");
        admin.execute("CREATE TABLE nd (x INT" + columns + ")");
        List<String> ends = new ArrayList<>(List.of("NULL", "-1", "0", "1", "7", "100"));
        NUMBERS.values().forEach(type -> ends.addAll(type.subList(1, 3)));
        admin.execute("SET sql_mode = ''");
        for (int copy = 0; copy < 3; copy++) {
            for (int i = 0; i < ends.size(); i++) {
                // a value out of range is clipped to the type
                String all = (", " + ends.get(i)).repeat(NUMBERS.size());
                admin.execute("INSERT INTO nf VALUES (" + (i * 3 + copy) + all + ")");
                admin.execute("INSERT INTO nd VALUES (" + (i + copy) % 4 + all + ")");
            }
        }
        admin.query("ANALYZE TABLE nf, nd");
    }

    private static void insert(WireConnection admin, String table, List<String> rows) throws Exception {
        admin.execute("INSERT INTO " + table + " VALUES " + String.join(",", rows));
        rows.clear();
    }

    /** Requires the same answer, split with the given number of filters. */
    private static List<Integer> filtered(SameAsServer same, int filters, String sql) throws Exception {
        same.same(sql);
        ProxiedServer.Outcome outcome = same.proxy().outcome();
        assertThat(outcome.reason()).as("reason for passing through: %s", sql).isNull();
        assertThat(outcome.filterKeys()).as("filters of %s", sql).hasSize(filters);
        return outcome.filterKeys();
    }

    private static ProxySetup filters(Dynamic dynamic, int keys) {
        ProxySetup setup = ProxySetup.ofDegree(3);
        return setup.withFanOut(setup.fanOut().withFilters(new FilterConfig(dynamic, keys)));
    }

    @AllServers
    void fewerRowsAreReadForTheSameAnswer(TestServer server) throws Exception {
        String statement =
                "SELECT d.s, COUNT(*), SUM(f.v) FROM fact f JOIN dim d ON f.c = d.k WHERE d.x = 3 GROUP BY d.s";
        try (SameAsServer same = DATABASE.shared(server, 3);
                WireConnection admin = same.proxy().direct();
                WireConnection client = same.proxy().proxied()) {
            assertThat(filtered(same, 1, statement)).containsExactly(DIMENSION / 20);
            client.execute("USE " + DATABASE.name());
            HandlerReads reads = new HandlerReads(admin, client);
            String unfiltered = statement.replace("SELECT", "SELECT /*+ NO_DYNAMIC_FILTERS */");
            // the first execution also runs the queries that run once per connection
            client.query(statement);
            client.query(unfiltered);
            HandlerReads.Split with = reads.ofSplit(statement, same.proxy());
            HandlerReads.Split without = reads.ofSplit(unfiltered, same.proxy());
            assertThat(with.outcome().filterKeys()).isNotEmpty();
            assertThat(without.outcome().filterKeys()).isEmpty();
            assertThat(with.workers()).as("%s", without).isLessThan(without.workers() - ROWS / 2);
        }
    }

    @AllServers
    void everyPairOfWholeNumbersComparesAsInTheJoin(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            for (String column : NUMBERS.keySet()) {
                for (String key : NUMBERS.keySet()) {
                    filtered(
                            same,
                            1,
                            "SELECT COUNT(*), SUM(f.id), SUM(d.x), COUNT(d." + key + ") FROM nf f JOIN nd d ON f."
                                    + column + " = d." + key + " WHERE d.x < 2");
                }
            }
        }
    }

    /** Every shape of a split statement, with the conditions and joins that filters are made from. */
    private static Map<String, Integer> statements() {
        Map<String, Integer> statements = new LinkedHashMap<>();
        String dim = " FROM fact f JOIN dim d ON f.c = d.k WHERE d.x IN (3, 4)";
        statements.put("SELECT COUNT(*), SUM(f.v), AVG(f.v), MIN(d.s), COUNT(DISTINCT f.e)" + dim, 1);
        statements.put("SELECT d.s, COUNT(*), COUNT(DISTINCT f.v)" + dim + " GROUP BY d.s ORDER BY d.s", 1);
        statements.put("SELECT d.s, SUM(f.v) / COUNT(*) r" + dim + " GROUP BY d.s HAVING r > 3 ORDER BY r, d.s", 1);
        statements.put("SELECT d.s, SUM(f.v) n" + dim + " GROUP BY d.s ORDER BY n DESC, d.s LIMIT 3", 1);
        statements.put("SELECT d.s, SUM(f.v)" + dim + " GROUP BY d.s WITH ROLLUP", 1);
        statements.put("SELECT DISTINCT d.s, f.e" + dim + " ORDER BY d.s, f.e", 1);
        statements.put("SELECT f.id, d.s, f.v" + dim, 1);
        statements.put("SELECT f.*, d.*" + dim + " ORDER BY f.id", 1);
        statements.put("SELECT f.id, d.s" + dim + " ORDER BY f.v DESC, f.id LIMIT 3, 9", 1);
        statements.put("SELECT f.id, ROW_NUMBER() OVER (PARTITION BY d.s ORDER BY f.id)" + dim + " AND f.id < 400", 1);
        statements.put(
                "SELECT x.s, MAX(x.n) FROM (SELECT d.s, f.e, COUNT(*) n" + dim + " GROUP BY d.s, f.e) x GROUP BY x.s",
                1);
        statements.put(
                "SELECT d.s, COUNT(*)" + dim + " GROUP BY d.s UNION ALL SELECT f.s, COUNT(*) FROM fact f GROUP BY f.s",
                1);
        statements.put("SELECT COUNT(*), SUM(v) FROM fact, dim WHERE c = k AND x = 3 AND v < 40", 1);
        statements.put("SELECT d.s, SUM(f.v) FROM dim d STRAIGHT_JOIN fact f ON d.k = f.c AND d.x = 3 GROUP BY d.s", 1);
        statements.put(
                "SELECT SUM(f.v) FROM fact f JOIN dim d ON f.c = d.k WHERE (d.x = 3 OR d.s = 's1') AND f.e < 20", 1);
        statements.put("SELECT SUM(f.v) FROM fact f JOIN dim d ON f.c = d.k AND d.x = 3 WHERE f.e = 2 OR f.e = 3", 1);
        statements.put(
                "SELECT SUM(f.v) FROM fact f JOIN dim d ON f.c = d.k WHERE d.x IS NOT NULL AND d.s LIKE 's1%'", 1);
        // the same dimension twice, two dimensions, a self-join
        String twice =
                " FROM fact f JOIN dim a ON f.c = a.k JOIN dim b ON f.e = b.k WHERE a.x < 6 AND b.s IN ('s1', 's3')";
        statements.put("SELECT a.s, b.s, COUNT(*), SUM(f.v)" + twice + " GROUP BY a.s, b.s", 2);
        statements.put(
                "SELECT d.s, COUNT(*) FROM fact f, dim d, days y WHERE f.c = d.k AND y.day = f.day AND d.x < 9 AND y.x = 1"
                        + " GROUP BY d.s",
                2);
        statements.put(
                "SELECT COUNT(*), SUM(f.v) FROM fact f JOIN fact g ON f.c = g.e WHERE g.id BETWEEN 20 AND 25", 1);
        statements.put("SELECT COUNT(*) FROM fact f JOIN fact PARTITION (p1) g ON f.c = g.e WHERE g.id < 60", 1);
        // dates, with NULL and duplicates
        statements.put(
                "SELECT y.day, COUNT(*) FROM fact f JOIN days y ON f.day = y.day WHERE y.x = 1 GROUP BY y.day", 1);
        statements.put(
                "SELECT MIN(f.day), MAX(y.day), COUNT(*) FROM fact f JOIN days y ON y.day = f.day WHERE y.x = 2", 1);
        // snowflake joins
        String flake = " FROM fact f JOIN dim d ON f.c = d.k JOIN city c ON d.city = c.k JOIN land l ON c.land = l.k";
        statements.put("SELECT c.name, SUM(f.v)" + flake + " WHERE l.name = 'l2' GROUP BY c.name", 1);
        statements.put("SELECT c.name, SUM(f.v)" + flake + " WHERE c.name > 'c3' AND d.x < 9 GROUP BY c.name", 1);
        statements.put("SELECT l.name, SUM(f.v)" + flake + " WHERE d.x = 4 GROUP BY l.name", 1);
        statements.put(
                "SELECT d.s, COUNT(*) FROM fact f JOIN dim d ON f.c = d.k WHERE d.x = 3"
                        + " AND f.day BETWEEN DATE '2001-02-28' AND DATE '2001-05-31' + INTERVAL '1' MONTH GROUP BY d.s",
                1);
        // the inner table of an outer join gives no filter
        statements.put(
                "SELECT d.s, COUNT(c.k), COUNT(*) FROM fact f JOIN dim d ON f.c = d.k LEFT JOIN city c ON d.city = c.k AND c.k < 3"
                        + " WHERE d.x = 3 GROUP BY d.s",
                1);
        statements.put("SELECT COUNT(*), COUNT(d.k) FROM fact f LEFT JOIN dim d ON f.c = d.k AND d.x = 3", 0);
        statements.put("SELECT COUNT(*) FROM fact f LEFT JOIN dim d ON f.c = d.k WHERE d.x = 3", 0);
        statements.put("SELECT COUNT(*) FROM fact f JOIN dim d ON f.c = d.k WHERE f.v + 1 > 5 AND d.x = 3", 0);
        statements.put("SELECT COUNT(*) FROM fact f JOIN dim d ON f.s = d.s WHERE d.x = 3", 0);
        statements.put("SELECT COUNT(*) FROM fact f JOIN dim d ON f.c = d.k OR f.e = d.k WHERE d.x = 3", 0);
        return statements;
    }

    @AllServers
    void everyShapeOfAStatementHasTheSameAnswer(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            for (Map.Entry<String, Integer> statement : statements().entrySet()) {
                filtered(same, statement.getValue(), statement.getKey());
            }
        }
    }

    /** If an index finds the rows of a key, the server looks them up by the dimension's rows or by the key list. */
    @AllServers
    void indexesServeListsToo(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            int filtered = 0;
            for (String statement : statements().keySet()) {
                String indexed = statement.replaceAll("\\bfact\\b", "indexed");
                same.same(indexed);
                ProxiedServer.Outcome outcome = same.proxy().outcome();
                // with sorted dates in a join, MySQL's column types depend on its plan
                assertThat(outcome.reason()).as(indexed).isIn(null, Reason.PLAN_TYPES);
                filtered += outcome.filterKeys().size();
            }
            assertThat(filtered).isGreaterThan(5);
        }
    }

    /** The thirteen queries of the Star Schema Benchmark. Those with filters read fewer rows. */
    @AllServers
    void starJoinsReadFewerRows(TestServer server) throws Exception {
        List<DemoQuery> queries = SsbQueries.ALL.stream()
                .filter(query -> query.name().startsWith("SSB "))
                .toList();
        assertThat(queries).hasSize(13);
        TextTable table = new TextTable(
                Heading.left("query"),
                Heading.right("rows with filters"),
                Heading.right("without"),
                Heading.left("keys"));
        try (ProxiedServer proxy = ProxiedServer.start(server, 2)) {
            SsbTables.ensure(proxy);
            try (WireConnection admin = proxy.direct();
                    WireConnection client = proxy.proxied()) {
                client.execute("USE " + SsbTables.DATABASE);
                HandlerReads reads = new HandlerReads(admin, client);
                int filtered = 0;
                for (DemoQuery query : queries) {
                    String without = query.sql().replaceFirst("(?i)select", "SELECT /*+ NO_DYNAMIC_FILTERS */");
                    client.query(query.sql());
                    client.query(without);
                    HandlerReads.Split with = reads.ofSplit(query.sql(), proxy);
                    HandlerReads.Split plain = reads.ofSplit(without, proxy);
                    List<Integer> keys = with.outcome().filterKeys();
                    table.add(
                            query.name(),
                            Long.toString(with.workers()),
                            Long.toString(plain.workers()),
                            keys.toString());
                    assertThat(plain.outcome().filterKeys()).isEmpty();
                    if (!keys.isEmpty()) {
                        filtered++;
                        // if few rows are joined, reading the keys costs more than the filter saves
                        boolean few = query.name().startsWith("SSB Q1")
                                || query.name().equals("SSB Q3.4");
                        long most = few ? plain.workers() + DIMENSIONS : plain.workers() - 1;
                        assertThat(with.workers()).as(query.name()).isLessThanOrEqualTo(most);
                    }
                }
                System.out.println("\nrows read on " + server + "\n" + table.render());
                assertThat(filtered).isGreaterThanOrEqualTo(9);
            }
        }
    }

    @AllServers
    void otherSessionsHaveFiltersToo(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            for (String settings : List.of(
                    "sql_mode = ''",
                    "sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'",
                    "sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_UNSIGNED_SUBTRACTION'",
                    "NAMES latin1",
                    "NAMES utf8mb4, time_zone = '-07:00'")) {
                same.onBoth("SET " + settings);
                filtered(
                        same,
                        1,
                        "SELECT d.s, COUNT(*) FROM fact f JOIN dim d ON f.c = d.k WHERE NOT d.x = 3 GROUP BY d.s");
                filtered(
                        same,
                        1,
                        "SELECT COUNT(*) FROM fact f JOIN days y ON f.day = y.day WHERE y.x = 1 AND y.day > '2001-02-03'");
                filtered(same, 1, "SELECT COUNT(*) FROM nf f JOIN nd d ON f.s64 = d.u64 WHERE d.x < 2");
            }
            same.onBoth("SET sql_mode = 'ANSI_QUOTES'");
            filtered(
                    same,
                    1,
                    "SELECT COUNT(*) FROM \"fact\" \"f\" JOIN \"dim\" \"d d\" ON \"f\".c = \"d d\".\"k\" WHERE \"d d\".x = 3");
        }
    }

    /**
     * If there are no keys, no row joins. One partition query remains, which returns the row of an aggregate without
     * GROUP BY.
     */
    @AllServers
    void withoutKeysNoPartitionIsRead(TestServer server) throws Exception {
        String nothing = " FROM fact f JOIN dim d ON f.c = d.k WHERE d.x = 333";
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            for (String statement : List.of(
                    "SELECT COUNT(*), COUNT(f.v), SUM(f.v), AVG(f.v), MIN(f.v), MAX(d.s), COUNT(DISTINCT f.e), BIT_OR(f.v)"
                            + nothing,
                    "SELECT SUM(f.v) + 1, IFNULL(MAX(f.day), '2000-01-01')" + nothing,
                    "SELECT COUNT(*)" + nothing + " HAVING COUNT(*) > 0",
                    "SELECT d.s, COUNT(*), SUM(f.v)" + nothing + " GROUP BY d.s",
                    "SELECT d.s, COUNT(*)" + nothing + " GROUP BY d.s WITH ROLLUP",
                    "SELECT d.s, SUM(f.v) n" + nothing + " GROUP BY d.s ORDER BY n DESC LIMIT 2",
                    "SELECT f.id, d.s" + nothing,
                    "SELECT f.id, d.s" + nothing + " ORDER BY f.id",
                    "SELECT f.id, d.s" + nothing + " ORDER BY f.id LIMIT 5",
                    "SELECT COUNT(*) FROM (SELECT d.s, COUNT(*) n" + nothing + " GROUP BY d.s) x",
                    // a key outside the range of the column's type
                    "SELECT COUNT(*), MIN(f.id) FROM nf f JOIN nd d ON f.s8 = d.u64 WHERE d.u64 > 1000",
                    // only NULL keys
                    "SELECT COUNT(*), MIN(f.id) FROM fact f JOIN pos d ON f.e = d.p WHERE d.x = 4")) {
                same.same(statement);
                ProxiedServer.Outcome outcome = same.proxy().outcome();
                assertThat(outcome.reason()).as(statement).isNull();
                assertThat(outcome.filterKeys()).as(statement).containsExactly(0);
                assertThat(outcome.partitions()).as(statement).isEqualTo(1);
            }
        }
    }

    /** The partitioning column may be a join key. Partitions without any key are not read. */
    @AllServers
    void partitionsWithoutKeysAreNotRead(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            for (String statement : List.of(
                    "SELECT COUNT(*), SUM(f.v), MAX(f.id) FROM fact f JOIN pos d ON f.p = d.p WHERE d.x = 2",
                    "SELECT f.p, SUM(f.v) FROM fact f JOIN pos d ON f.p = d.p WHERE d.x >= 2 AND d.x < 3 GROUP BY f.p",
                    "SELECT f.id FROM fact f JOIN pos d ON f.p = d.p WHERE d.x = 2 ORDER BY f.id")) {
                assertThat(same.fansOut(statement).partitions()).as(statement).isEqualTo(2);
            }
            same.same("SELECT COUNT(*), SUM(f.v) FROM fact f JOIN pos d ON f.p = d.p WHERE d.x = 1");
            assertThat(same.proxy().outcome().partitions()).isEqualTo(1);
            // MySQL names no partition in its plan, but still the table
            filtered(same, 1, "SELECT f.s, COUNT(*) FROM fact f JOIN pos d ON f.p = d.p WHERE d.x = 5 GROUP BY f.s");
        }
    }

    @AllServers
    void tooManyKeysAreLeftOut(TestServer server) throws Exception {
        String statement = "SELECT d.s, COUNT(*) FROM fact f JOIN dim d ON f.c = d.k WHERE d.x = 3 GROUP BY d.s";
        try (SameAsServer same = DATABASE.shared(server, filters(Dynamic.ON, DIMENSION / 20))) {
            filtered(same, 1, statement);
        }
        try (SameAsServer same = DATABASE.shared(server, filters(Dynamic.ON, DIMENSION / 20 - 1))) {
            filtered(same, 0, statement);
            // joined with city, the keys stay within the limit
            filtered(
                    same,
                    1,
                    "SELECT COUNT(*) FROM fact f JOIN dim d ON f.c = d.k JOIN city c ON d.city = c.k WHERE d.x = 3 AND c.k = 3");
        }
    }

    @AllServers
    void theyAreSwitchedOff(TestServer server) throws Exception {
        String statement = "SELECT d.s, COUNT(*) FROM fact f JOIN dim d ON f.c = d.k WHERE d.x = 3 GROUP BY d.s";
        try (SameAsServer same = DATABASE.shared(server, filters(Dynamic.OFF, 20_000))) {
            filtered(same, 0, statement);
        }
        try (SameAsServer same = DATABASE.shared(server, 3);
                WireConnection client = same.proxy().proxied()) {
            client.execute("USE " + DATABASE.name());
            for (String hint : List.of("NO_DYNAMIC_FILTERS", "no_dynamic_filters PARALLEL(2)", "PARALLEL(2)")) {
                String hinted = statement.replace("SELECT", "SELECT /*+ " + hint + " */");
                // the server alone warns about the hint
                SameAsServer.Both both = same.both(hinted, statement);
                assertThat(both.proxied().rows())
                        .hasToString(both.direct().rows().toString());
                client.query(hinted);
                assertThat(same.proxy().outcome().filterKeys()).as(hint).hasSize(hint.startsWith("PARALLEL") ? 1 : 0);
            }
        }
    }

    @AllServers
    void preparedStatementsHaveTheKeysOfTheirParameters(TestServer server) throws Exception {
        try (SameAsServer tables = DATABASE.shared(server, 3);
                SameInBinary same = new SameInBinary(tables.proxy(), DATABASE.name())) {
            same.onBoth("USE " + DATABASE.name());
            String statement = "SELECT d.s, COUNT(*), SUM(f.v) FROM fact f JOIN dim d ON f.c = d.k"
                    + " WHERE d.x = ? AND f.e < ? GROUP BY d.s ORDER BY d.s";
            for (int x : List.of(3, 19, 4)) {
                ProxiedServer.Outcome outcome =
                        same.outcome(statement, SameInBinary.integer(x), SameInBinary.integer(20));
                assertThat(outcome.reason()).isNull();
                assertThat(outcome.filterKeys()).containsExactly(DIMENSION / 20);
            }
            ProxiedServer.Outcome outcome =
                    same.outcomeAgain(statement, SameInBinary.integer(333), SameInBinary.integer(20));
            assertThat(outcome.filterKeys()).containsExactly(0);
            for (Map.Entry<String, Integer> text : statements().entrySet()) {
                assertThat(same.outcomeOnce(text.getKey()).filterKeys())
                        .as(text.getKey())
                        .hasSize(text.getValue());
            }
        }
    }

    /** The keys are read in the snapshot of the partition queries, even if other sessions commit changes afterwards. */
    @AllServers
    void theKeysAreOfTheSnapshot(TestServer server) throws Exception {
        String statement = "SELECT COUNT(*), SUM(f.v) FROM fact f JOIN dim d ON f.c = d.k WHERE d.x = 3";
        try (FaultProxy faults = FaultProxy.before(server);
                SameAsServer same =
                        DATABASE.compared(server, ProxySetup.ofDegree(3).withWorkerPort(faults.port()));
                WireConnection admin = same.proxy().direct();
                WireConnection client = same.proxy().proxied()) {
            admin.execute("USE " + DATABASE.name());
            client.execute("USE " + DATABASE.name());
            List<Row> before = client.query(statement).rows();
            same.proxy().forget();
            for (String change : List.of(
                    "UPDATE dim SET x = 3 WHERE x = 5",
                    "DELETE FROM dim WHERE x = 3 AND k < 100",
                    "UPDATE fact SET c = 23 WHERE c = 24")) {
                // one row more than the limit of keys
                faults.arm(new FaultProxy.Fault(FaultProxy.Kind.HOLD_COMMAND, " LIMIT 20001", 0, true));
                Future<Reply> asked = Background.ask(client, statement);
                await().until(() -> faults.befallen() == 1);
                admin.execute(change);
                faults.release(1);
                Reply reply = asked.get(20, TimeUnit.SECONDS);
                assertThat(reply).isInstanceOf(Reply.Result.class);
                assertThat(((Reply.Result) reply).rows()).as(change).hasToString(before.toString());
                ProxiedServer.Outcome outcome = same.proxy().outcome();
                assertThat(outcome.snapshot()).isEqualTo("verified");
                assertThat(outcome.filterKeys()).hasSize(1);
                before = admin.query(statement).rows();
                filtered(same, 1, statement);
            }
        }
    }
}

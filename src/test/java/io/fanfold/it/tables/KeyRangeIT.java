package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fanfold.client.WireConnection;
import io.fanfold.execute.RandomBounds;
import io.fanfold.it.answers.SplitIT;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.SplitTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Splits tables without partitions by ranges of a key, and large partitions too, and compares the answers with those of
 * the server.
 */
class KeyRangeIT {
    /** The values of a key, as SQL over the numbers 0 to 999 in column n, by the type of the column. */
    private static final Map<String, String> KEYS = new TreeMap<>(Map.of(
            "TINYINT", "n % 251 - 125",
            "INT", "n * 4294967 - 2147483648",
            "BIGINT", "CASE n WHEN 0 THEN -9223372036854775808 WHEN 1 THEN 9223372036854775807 ELSE n * n END",
            "BIGINT UNSIGNED", "CASE n WHEN 1 THEN 18446744073709551615 ELSE n * 3 END",
            "DECIMAL(20,4)", "(n - 500) * 1234567.8912",
            "DECIMAL(9)", "n % 7",
            "DATE", "DATE '1999-12-25' + INTERVAL n DAY",
            "DATETIME(6)", "TIMESTAMP '2001-01-01 00:00:00.5' + INTERVAL n * 1000 SECOND"));

    /** The same for texts and bytes, which have other functions. */
    private static final Map<String, String> TEXTS = new TreeMap<>(Map.of(
            "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin",
            "LOWER(CONCAT(HEX(n * 2654435761 % 4294967296), '-', HEX(n)))",
            "VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
            "CONCAT('order-', IF(n % 2, 'a', 'A'), LPAD(n, 6, '0'))",
            "VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
            "CONCAT(CHAR(97 + n % 26 USING utf8mb4), ELT(n % 7 + 1, '', ' ', '_', 'ä', 'Z', 'ch', '~'))",
            "VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci",
            "CONCAT(CHAR(32 + n % 95 USING latin1), CHAR(32 + n % 89 USING latin1), n % 4)",
            "BINARY(16)",
            "UNHEX(LPAD(HEX(n * 2654435761 % 4294967296), 32, '0'))",
            "VARBINARY(20)",
            "UNHEX(CONCAT(HEX(n * 40503 % 65536 + 65536), REPEAT('00', n % 4), '0F'))"));

    /** How many sets of random bounds are tried: {@code -Dfanfold.it.bounds=200}. */
    private static final int BOUNDS = Integer.getInteger("fanfold.it.bounds", 2);

    private static final TestDatabase DATABASE = new TestDatabase("it_key_range", "", admin -> {
        SplitTables.create(admin, Map.of("t_whole", ""));
        admin.execute("CREATE TABLE numbers (n INT PRIMARY KEY) ENGINE=InnoDB");
        admin.execute("INSERT INTO numbers WITH RECURSIVE c AS (SELECT 0 n UNION ALL SELECT n + 1 FROM c WHERE n < 999)"
                + " SELECT n FROM c");
        int number = 0;
        List<Map.Entry<String, String>> keys = new ArrayList<>(KEYS.entrySet());
        keys.addAll(TEXTS.entrySet());
        for (Map.Entry<String, String> key : keys) {
            String name = "k" + number++;
            admin.execute("CREATE TABLE " + name + " (k " + key.getKey() + " NOT NULL, n INT NOT NULL, v INT NULL,"
                    + " PRIMARY KEY (k, n)) ENGINE=InnoDB");
            admin.execute(
                    "INSERT INTO " + name + " SELECT " + key.getValue() + ", n, IF(n % 5, n % 13, NULL) FROM numbers");
            admin.query("ANALYZE TABLE " + name);
        }
    });

    /** The statements that pass through: the server looks rows up, or another table without partitions is in the way. */
    private static final Set<String> OTHERWISE = Set.of(
            "KEY_RANGE\tSELECT a.*, a.id AS again FROM T AS a WHERE a.id = 17",
            "KEY_RANGE\tSELECT a.id, b.id, b.ci FROM T a JOIN T b ON a.id = b.id + 1 AND a.g = b.g",
            "KEY_RANGE\tSELECT COUNT(*) FROM T a WHERE a.id IN (SELECT b.id + 1 FROM T b WHERE b.g = 2)",
            "KEY_RANGE\tSELECT COUNT(*) FROM T WHERE id IN (SELECT id FROM T WHERE g = 1)",
            "AMBIGUOUS_NAME\tSELECT COUNT(*) FROM T WHERE id IN (SELECT id FROM T WHERE g = 1)",
            "NO_PARTITIONED_TABLE\tWITH T AS (SELECT g FROM it_split.T) SELECT g, COUNT(*) FROM T GROUP BY g",
            "AVG_IN_EXPRESSION\tSELECT l1 FROM T GROUP BY l1 UNION SELECT AVG(w + 1624220000) FROM dim");

    @AllServers
    void theStatementsOfPartitionedTablesAreSplit(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, ProxySetup.ofDegree(3).keyRanges())) {
            List<String> other = new ArrayList<>();
            for (String statement : SplitTables.statements("split-fans-out.sql")) {
                String own = SplitIT.on(statement, "t_whole");
                same.same(own);
                ProxiedServer.Outcome outcome = same.proxy().outcome();
                Reason reason = outcome.reason();
                if (reason == null) {
                    assertThat(outcome.partitions()).as(own).isGreaterThan(1);
                }
                boolean rows = reason == Reason.NO_SHAPE && !statement.contains("ORDER BY");
                if (reason != null && !rows) {
                    other.add(reason + "\t" + statement);
                }
            }
            assertThat(OTHERWISE).containsAll(other);
        }
    }

    @AllServers
    void everyTypeOfKeyIsSplit(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, ProxySetup.ofDegree(4).keyRanges())) {
            for (int i = 0; i < KEYS.size(); i++) {
                String table = "k" + i;
                ProxiedServer.Outcome outcome = same.fansOut("SELECT COUNT(*), SUM(v), MIN(k), MAX(k) FROM " + table);
                assertThat(outcome.partitions()).as(table).isBetween(4, 16);
                same.fansOut("SELECT v, COUNT(*), SUM(n), AVG(k) FROM " + table + " GROUP BY v ORDER BY v");
                same.fansOut("SELECT x.k, x.v FROM " + table + " x ORDER BY x.v DESC, x.n LIMIT 20");
                same.passesThrough("SELECT * FROM " + table + " WHERE v IS NULL OR v > 2", Reason.NO_SHAPE);
                same.fansOut("SELECT k, n, v FROM " + table + " WHERE v IS NULL OR v > 2 ORDER BY v, k, n");
                same.fansOut("SELECT COUNT(*) FROM it_key_range." + table + " WHERE v = 3 OR n > 900");
            }
        }
    }

    @AllServers
    void textsAndBytesAreSplit(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, ProxySetup.ofDegree(4).keyRanges())) {
            for (int i = KEYS.size(); i < KEYS.size() + TEXTS.size(); i++) {
                String table = "k" + i;
                ProxiedServer.Outcome outcome = same.fansOut("SELECT COUNT(*), SUM(v) FROM " + table);
                assertThat(outcome.partitions()).as(table).isBetween(4, 16);
                same.fansOut("SELECT v, COUNT(*), SUM(n) FROM " + table + " GROUP BY v ORDER BY v");
                same.fansOut("SELECT HEX(k), n, v FROM " + table + " WHERE v IS NULL OR v > 2 ORDER BY v, n");
                same.fansOut("SELECT COUNT(*), SUM(n) FROM " + table + " WHERE k > 'a' AND n <> 5");
                same.fansOut("SELECT COUNT(DISTINCT k) FROM " + table);
                same.fansOut("SELECT k, COUNT(*) FROM " + table + " GROUP BY k ORDER BY 2 DESC, k LIMIT 30");
            }
        }
    }

    @AllServers
    void textsMayBeNullEqualOrMissing(TestServer server) throws Exception {
        try (SameAsServer same =
                        DATABASE.compared(server, ProxySetup.ofDegree(4).keyRanges());
                WireConnection admin = same.proxy().direct()) {
            admin.execute("CREATE TABLE it_key_range.texts (k VARCHAR(20) NULL, n INT, KEY k (k, n)) ENGINE=InnoDB"
                    + " DEFAULT CHARSET=latin1");
            admin.execute("INSERT INTO it_key_range.texts SELECT CONCAT('Order-', n * 7), n FROM it_key_range.numbers");
            admin.query("ANALYZE TABLE it_key_range.texts");
            same.proxy().tablesChanged();
            String sums = "SELECT COUNT(*), COUNT(k), SUM(n) FROM texts";
            same.fansOut(sums);
            for (String change : List.of(
                    "UPDATE it_key_range.texts SET k = NULL WHERE n % 3 = 0",
                    "UPDATE it_key_range.texts SET k = UPPER(k) WHERE n % 2 = 0",
                    "UPDATE it_key_range.texts SET k = CONCAT(CHAR(228 USING latin1), k) WHERE n > 900",
                    "UPDATE it_key_range.texts SET k = 'order-'",
                    "UPDATE it_key_range.texts SET k = NULL")) {
                admin.execute(change);
                same.fansOut(sums);
                same.fansOut("SELECT k, COUNT(*), SUM(n) FROM texts GROUP BY k ORDER BY SUM(n), k LIMIT 50");
            }
            admin.execute("DELETE FROM it_key_range.texts");
            same.fansOut(sums);

            admin.execute("CREATE TABLE it_key_range.nulls LIKE it_key_range.texts");
            admin.execute("INSERT INTO it_key_range.nulls SELECT NULL, n FROM it_key_range.numbers");
            admin.query("ANALYZE TABLE it_key_range.nulls");
            same.proxy().tablesChanged();
            same.passesThrough("SELECT COUNT(*), COUNT(k), SUM(n) FROM nulls", Reason.KEY_RANGE);
        }
    }

    @AllServers
    void everyDegreeGivesTheSame(TestServer server) throws Exception {
        for (int degree : List.of(2, 7)) {
            try (SameAsServer same =
                    DATABASE.shared(server, ProxySetup.ofDegree(degree).keyRanges())) {
                for (String sql : List.of(
                        "SELECT v, COUNT(*), SUM(n), MIN(k), AVG(n) FROM k1 GROUP BY v ORDER BY v",
                        "SELECT COUNT(DISTINCT v), SUM(DISTINCT v) FROM k1",
                        "SELECT k, n FROM k1 WHERE v > 3 ORDER BY n DESC, k",
                        "SELECT a.v, COUNT(*) FROM k1 a JOIN k1 b ON a.n = b.n GROUP BY a.v ORDER BY a.v",
                        "SELECT SUM(x.n) FROM (SELECT n FROM k1 WHERE v = 4) x")) {
                    assertThat(same.fansOut(sql).degree()).as(sql).isEqualTo(degree);
                }
            }
        }
        try (SameAsServer same = DATABASE.shared(server, ProxySetup.ofDegree(1).keyRanges())) {
            same.passesThrough("SELECT SUM(n) FROM k1", Reason.KEY_RANGE);
        }
    }

    /** Bounds only share the work: no answer depends on them. */
    @AllServers
    void anyBoundsGiveTheSame(TestServer server) throws Exception {
        int divided = 0;
        int all = 0;
        for (int seed = 0; seed < BOUNDS; seed++) {
            try (SameAsServer same =
                            DATABASE.shared(server, ProxySetup.ofDegree(3).keyRanges());
                    RandomBounds bounds = RandomBounds.begin(seed)) {
                for (int table = 0; table < KEYS.size() + TEXTS.size(); table++) {
                    String from = " FROM k" + table;
                    for (String sql : List.of(
                            "SELECT COUNT(*), SUM(n), SUM(v), MIN(v), MAX(n), COUNT(DISTINCT v)" + from,
                            "SELECT v, COUNT(*), MIN(n)" + from + " WHERE n % 3 = 1 GROUP BY v ORDER BY v",
                            "SELECT k, n" + from + " WHERE v = " + seed % 13 + " ORDER BY n DESC, k LIMIT 30")) {
                        same.same(sql);
                        all++;
                        divided += same.proxy().outcome().partitions() > 1 ? 1 : 0;
                    }
                }
                assertThat(bounds.uses()).as("random bounds").isGreaterThan(KEYS.size());
            }
        }
        assertThat(divided).as("of %d statements, those that were split", all).isGreaterThan(all / 2);
    }

    /** Ranges may begin anywhere: rows outside all known bounds belong to the first and the last range. */
    @AllServers
    void rowsBeyondTheKnownBoundsAreRead(TestServer server) throws Exception {
        try (SameAsServer same =
                        DATABASE.compared(server, ProxySetup.ofDegree(4).keyRanges());
                WireConnection admin = same.proxy().direct()) {
            String sums = "SELECT COUNT(*), SUM(n), MIN(k), MAX(k) FROM moved";
            admin.execute("CREATE TABLE it_key_range.moved (k INT NULL, n INT, KEY k (k, n)) ENGINE=InnoDB");
            admin.execute("INSERT INTO it_key_range.moved SELECT n + 5000, n FROM it_key_range.numbers");
            admin.query("ANALYZE TABLE it_key_range.moved");
            same.proxy().tablesChanged();
            same.fansOut(sums);
            for (String change : List.of(
                    "UPDATE it_key_range.moved SET k = k - 10000 WHERE n < 300",
                    "UPDATE it_key_range.moved SET k = k + 10000 WHERE n > 800",
                    "UPDATE it_key_range.moved SET k = NULL WHERE n % 7 = 0",
                    "DELETE FROM it_key_range.moved WHERE k BETWEEN 5300 AND 5600",
                    "UPDATE it_key_range.moved SET k = 1")) {
                admin.execute(change);
                same.fansOut(sums);
                same.fansOut("SELECT k, COUNT(*) c FROM moved GROUP BY k ORDER BY c DESC, k LIMIT 50");
            }
            admin.execute("DELETE FROM it_key_range.moved");
            same.same(sums);
        }
    }

    /** Nearly all values are in a thousandth of the key's line. MySQL 9.7 estimates ranges only in a union. */
    @AllServers
    void crowdedValuesAreShared(TestServer server) throws Exception {
        try (SameAsServer same =
                        DATABASE.compared(server, ProxySetup.ofDegree(4).keyRanges());
                WireConnection admin = same.proxy().direct();
                WireConnection client = same.proxy().proxied()) {
            create(admin, "crowded", "k INT PRIMARY KEY, v INT", "IF(n < 990, n, n * 1000), n % 17");
            same.proxy().tablesChanged();
            same.fansOut("SELECT k, SUM(v) FROM crowded GROUP BY k ORDER BY k");
            List<JsonNode> queries = queries(client, "SELECT k, SUM(v) FROM it_key_range.crowded GROUP BY k");
            assertThat(queries)
                    .hasSizeGreaterThan(3)
                    .allMatch(query -> query.get("rows").asInt() < 500);
        }
    }

    /** Tenants with many rows each: their rows are divided by the second column of the index. */
    @AllServers
    void rowsOfOneValueAreDividedByTheSecondColumn(TestServer server) throws Exception {
        try (SameAsServer same =
                        DATABASE.compared(server, ProxySetup.ofDegree(4).keyRanges());
                WireConnection admin = same.proxy().direct();
                WireConnection client = same.proxy().proxied()) {
            int number = 0;
            for (String keys : List.of(
                    "tenant INT NOT NULL, id BIGINT NOT NULL	n DIV 900 * 5 - 3, n * n",
                    "tenant INT NOT NULL, id INT NOT NULL	7, -n",
                    "tenant DECIMAL(9,2) NOT NULL, id VARCHAR(20) COLLATE utf8mb4_bin NOT NULL	n % 2 + 0.75,"
                            + " LOWER(HEX(n * 40503 % 65536))",
                    "tenant DATE NOT NULL, id DATETIME(3) NOT NULL	IF(n % 3, DATE '2026-11-27', '1000-01-01'),"
                            + " TIMESTAMP '2001-01-01 00:00:00.25' + INTERVAL n * 1000 SECOND",
                    "tenant SMALLINT UNSIGNED NOT NULL, id DECIMAL(12,3) NOT NULL	65535, n / 7")) {
                String table = "tenants" + number++;
                String[] parts = keys.split("\t", -1);
                create(
                        admin,
                        table,
                        parts[0] + ", n INT NOT NULL, v INT NOT NULL, PRIMARY KEY (tenant, id, n)",
                        parts[1] + ", n, n % 17");
                same.proxy().tablesChanged();
                for (String sql : List.of(
                        "SELECT COUNT(*), SUM(n), MIN(id), MAX(id) FROM " + table,
                        "SELECT tenant, COUNT(*), SUM(n) FROM " + table + " GROUP BY tenant ORDER BY tenant",
                        "SELECT id, n FROM " + table + " WHERE v > 3 ORDER BY n DESC LIMIT 30",
                        "SELECT COUNT(DISTINCT v), COUNT(*) FROM " + table + " WHERE n < 950")) {
                    assertThat(same.fansOut(sql).partitions()).as(sql).isBetween(4, 16);
                }
                List<JsonNode> queries = queries(client, "SELECT n, SUM(v) FROM it_key_range." + table + " GROUP BY n");
                assertThat(queries)
                        .as(table)
                        .hasSizeGreaterThan(3)
                        .allMatch(query -> query.get("rows").asInt() < 500)
                        .anyMatch(query -> query.get("range").asText().startsWith("tenant, id "));
            }
        }
    }

    /** The server looks up the rows of one tenant by an index; these are divided by what follows in the index. */
    @AllServers
    void theRowsOfOneTenantAreDivided(TestServer server) throws Exception {
        try (SameAsServer same =
                        DATABASE.compared(server, ProxySetup.ofDegree(4).keyRanges());
                WireConnection admin = same.proxy().direct();
                WireConnection client = same.proxy().proxied()) {
            for (String index : List.of("PRIMARY KEY (tenant, id)", "PRIMARY KEY (id), KEY tenant (tenant)")) {
                create(
                        admin,
                        "one",
                        "tenant INT NOT NULL, id INT NOT NULL, v INT NOT NULL, " + index,
                        "IF(n % 4, n, 42), n, n % 17");
                same.proxy().tablesChanged();
                for (String sql : List.of(
                        "SELECT COUNT(*), SUM(id), MAX(v) FROM one WHERE tenant = 42",
                        "SELECT v, COUNT(*), SUM(id) FROM one WHERE tenant = 42 GROUP BY v ORDER BY v")) {
                    assertThat(same.fansOut(sql).partitions()).as(sql).isGreaterThan(3);
                }
                assertThat(queries(client, "SELECT id, SUM(v) FROM it_key_range.one WHERE tenant = 42 GROUP BY id"))
                        .as(index)
                        .hasSizeGreaterThan(3)
                        .allMatch(query -> query.get("rows").asInt() < 125);
                admin.execute("DROP TABLE it_key_range.one");
            }
        }
    }

    @AllServers
    void eitherColumnMayBeNullOrAllRowsEqual(TestServer server) throws Exception {
        try (SameAsServer same =
                        DATABASE.compared(server, ProxySetup.ofDegree(4).keyRanges());
                WireConnection admin = same.proxy().direct()) {
            create(admin, "pairs", "a INT NULL, b VARCHAR(20) NULL, n INT, KEY ab (a, b, n)", "n % 2, HEX(n), n");
            same.proxy().tablesChanged();
            String sums = "SELECT COUNT(*), COUNT(a), COUNT(b), SUM(n) FROM pairs";
            assertThat(same.fansOut(sums).partitions()).isGreaterThan(3);
            for (String change : List.of(
                    "UPDATE it_key_range.pairs SET b = NULL WHERE n % 3 = 0",
                    "UPDATE it_key_range.pairs SET a = NULL WHERE n % 5 = 0",
                    "UPDATE it_key_range.pairs SET a = a + 1 WHERE n % 7 = 0",
                    "UPDATE it_key_range.pairs SET b = CONCAT(' ', b) WHERE n % 11 = 0",
                    "UPDATE it_key_range.pairs SET b = CONCAT('z', LOWER(b)) WHERE n % 13 = 0",
                    "UPDATE it_key_range.pairs SET a = 9, b = NULL WHERE n > 900",
                    "UPDATE it_key_range.pairs SET a = 1, b = LOWER(b)",
                    "UPDATE it_key_range.pairs SET b = 'same'",
                    "UPDATE it_key_range.pairs SET b = NULL",
                    "UPDATE it_key_range.pairs SET a = NULL",
                    "DELETE FROM it_key_range.pairs")) {
                admin.execute(change);
                same.fansOut(sums);
                same.fansOut(
                        "SELECT a, b, COUNT(*), SUM(n) FROM pairs GROUP BY a, b ORDER BY SUM(n), COUNT(*) LIMIT 40");
            }
        }
    }

    @AllServers
    void preparedStatementsOfEveryDegreeAreDividedByTheSecondColumn(TestServer server) throws Exception {
        for (int degree : List.of(2, 7)) {
            try (SameAsServer owner = DATABASE.compared(
                            server, ProxySetup.ofDegree(degree).keyRanges());
                    WireConnection admin = owner.proxy().direct()) {
                create(
                        admin,
                        "tenants",
                        "tenant INT NOT NULL, id INT NOT NULL, v INT NOT NULL, PRIMARY KEY (tenant, id)",
                        "n DIV 900, n, n % 17");
                owner.proxy().tablesChanged();
                try (SameInBinary same = new SameInBinary(owner.proxy(), DATABASE.name(), BinaryClient.USUAL)) {
                    String sql = "SELECT v, COUNT(*), SUM(id) FROM tenants WHERE id < ? GROUP BY v ORDER BY v";
                    same.fansOut(sql, SameInBinary.integer(800));
                    same.fansOutAgain(sql, SameInBinary.integer(-1));
                }
                String one = "SELECT v, SUM(id) FROM tenants WHERE tenant = 0 GROUP BY v ORDER BY v";
                assertThat(owner.fansOut(one).degree()).isEqualTo(degree);
                // out of range in the rows of one worker
                owner.passesThrough("SELECT MAX(9223372036854775807 + (id = 850)) FROM tenants", Reason.WORKER_ERROR);
            }
        }
    }

    /** Creates and analyzes a table. */
    private static void create(WireConnection admin, String table, String columns, String values) throws Exception {
        admin.execute("CREATE TABLE it_key_range." + table + " (" + columns + ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
                + " COLLATE=utf8mb4_general_ci");
        admin.execute("INSERT INTO it_key_range." + table + " SELECT " + values + " FROM it_key_range.numbers");
        admin.query("ANALYZE TABLE it_key_range." + table);
    }

    /** Bounds are asked for again once the table has clearly more rows. */
    @AllServers
    void aGrownTableIsDividedAgain(TestServer server) throws Exception {
        try (SameAsServer same =
                        DATABASE.compared(server, ProxySetup.ofDegree(4).keyRanges());
                WireConnection admin = same.proxy().direct();
                WireConnection client = same.proxy().proxied()) {
            admin.execute("CREATE TABLE it_key_range.growing (id INT PRIMARY KEY, v INT) ENGINE=InnoDB");
            String fill = "INSERT INTO it_key_range.growing SELECT n, n % 17 FROM it_key_range.numbers WHERE n ";
            admin.execute(fill + "< 100");
            admin.query("ANALYZE TABLE it_key_range.growing");
            same.proxy().tablesChanged();
            same.fansOut("SELECT COUNT(*), SUM(v) FROM growing");
            admin.execute(fill + ">= 100");
            admin.query("ANALYZE TABLE it_key_range.growing");
            same.proxy().tablesChanged();
            same.fansOut("SELECT COUNT(*), SUM(v) FROM growing");
            assertThat(queries(client, "SELECT id, SUM(v) FROM it_key_range.growing GROUP BY id"))
                    .hasSizeGreaterThan(3)
                    .allMatch(query -> query.get("rows").asInt() < 500);
        }
    }

    /** A partition that has most of the rows, and a single partition that is left, are divided, and use all workers. */
    @AllServers
    void unequalPartitionsAreDivided(TestServer server) throws Exception {
        try (SameAsServer same =
                        DATABASE.compared(server, ProxySetup.ofDegree(4).keyRanges());
                WireConnection admin = same.proxy().direct();
                WireConnection client = same.proxy().proxied()) {
            admin.execute("CREATE TABLE it_key_range.skewed (id INT PRIMARY KEY, v INT, w INT) ENGINE=InnoDB"
                    + " PARTITION BY RANGE (id) (PARTITION most VALUES LESS THAN (900),"
                    + " PARTITION rest VALUES LESS THAN MAXVALUE)");
            admin.execute("INSERT INTO it_key_range.skewed SELECT n, n % 17, n FROM it_key_range.numbers");
            admin.query("ANALYZE TABLE it_key_range.skewed");
            same.proxy().tablesChanged();
            ProxiedServer.Outcome all = same.fansOut("SELECT v, COUNT(*), SUM(id) FROM skewed GROUP BY v ORDER BY v");
            assertThat(all.partitions()).isGreaterThan(3);
            assertThat(all.degree()).isEqualTo(4);
            ProxiedServer.Outcome one = same.fansOut("SELECT SUM(v), COUNT(*) FROM skewed WHERE id < 800");
            assertThat(one.partitions()).isGreaterThan(3);
            for (String where : List.of("", " WHERE id < 800")) {
                String sql = "SELECT w, SUM(v) FROM it_key_range.skewed" + where + " GROUP BY w";
                List<JsonNode> queries = queries(client, sql);
                assertThat(queries).allMatch(query -> query.get("rows").asInt() < 400);
                assertThat(queries.stream()
                                .filter(query -> query.has("range"))
                                .map(query -> query.get("partitions").get(0).asText()))
                        .hasSizeGreaterThan(2)
                        .containsOnly("most");
                // a worker may take no part if the others are fast
                await("all workers are used")
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> queries(client, sql).stream()
                                        .map(query -> query.get("worker").asLong())
                                        .distinct()
                                        .count()
                                == 4);
            }
            same.passesThrough("SELECT /*+ NO_RANGES */ SUM(v) FROM skewed WHERE id < 800", Reason.FEW_PARTITIONS);
            same.passesThrough("SELECT /*+ NO_RANGES */ SUM(v) FROM k0", Reason.NO_PARTITIONED_TABLE);
        }
    }

    /** Splits and runs a statement, and returns its partition queries. */
    private static List<JsonNode> queries(WireConnection client, String sql) throws Exception {
        String json =
                client.query("ANALYZE FORMAT=FANFOLD_JSON " + sql).rows().get(0).utf8(0);
        List<JsonNode> queries = new ArrayList<>();
        new ObjectMapper().readTree(json).at("/partition_queries").forEach(queries::add);
        assertThat(queries).as(json).isNotEmpty();
        return queries;
    }
}

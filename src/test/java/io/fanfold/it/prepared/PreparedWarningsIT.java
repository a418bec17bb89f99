package io.fanfold.it.prepared;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.answers.SplitIT;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Statements that raise warnings when the server parses them. The warnings equal those of the server alone. */
class PreparedWarningsIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_prepared_warnings", PreparedWarningsIT::create);

    private static final String LONGEST_ALIAS = "a".repeat(256);

    /** Both servers strip the blank and raise warning 1466. */
    @AllServers
    void leadingBlanksOfAliasesRaiseWarnings(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            for (String sql : List.of(
                    "SELECT g AS ` g`, COUNT(*) FROM t GROUP BY g ORDER BY g",
                    "SELECT COUNT(*) AS ` n` FROM t",
                    "SELECT SUM(v) AS '  total' FROM t")) {
                same.passesThrough(sql, Reason.WARNINGS);
                same.sameWarningsLeft();
            }
        }
    }

    /** MySQL truncates an alias longer than 256 characters and warns. MariaDB truncates it silently. */
    @AllServers
    void longAliasesRaiseWarnings(TestServer server) throws Exception {
        boolean warns = server.kind() == ServerFlavor.MYSQL;
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            same.fansOut("SELECT COUNT(*) AS " + LONGEST_ALIAS + " FROM t");
            same.fansOutIf(!warns, "SELECT COUNT(*) AS " + LONGEST_ALIAS + "b FROM t", Reason.WARNINGS);
            same.sameWarningsLeft();
        }
    }

    /** MySQL warns about unknown hints. Fanfold's own hints take effect. */
    @AllServers
    void unknownHintsRaiseWarnings(TestServer server) throws Exception {
        boolean warns = server.kind() == ServerFlavor.MYSQL;
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            for (String hint : List.of("/*+ FOO(1) */", "/*+ NO_BNL(nowhere) */")) {
                same.fansOutIf(!warns, "SELECT " + hint + " COUNT(*), SUM(v) FROM t", Reason.WARNINGS);
                same.sameWarningsLeft();
            }
        }
    }

    /**
     * Servers evaluate constants when they run or parse a statement, and warn then. MariaDB also evaluates those of
     * ORDER BY.
     */
    @AllServers
    void constantsThatAreNoNumbersRaiseWarnings(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            List<String> statements = new ArrayList<>();
            for (String constant : List.of(
                    "'1x' + 0",
                    "'1x' * 1",
                    "-'1x'",
                    "CAST('1x' AS SIGNED)",
                    "ABS('1x')",
                    "1 / 0",
                    "'1x' = 1",
                    "DATE('x') IS NULL",
                    "IF('1x', 1, 2)",
                    "CAST('2020-13-01' AS DATE)",
                    "HEX('1x' + 0)",
                    "1 DIV 0",
                    "LOG(-1)",
                    "COALESCE('1x' + 0, 1)",
                    "UNHEX('zz')",
                    "CAST('' AS DECIMAL)")) {
                for (String form : List.of(
                        "SELECT g, COUNT(*) FROM t GROUP BY g ORDER BY %s, g",
                        "SELECT g, COUNT(*) FROM t GROUP BY g, %s ORDER BY g",
                        "SELECT g, %s, COUNT(*) FROM t GROUP BY g ORDER BY g",
                        "SELECT COUNT(*) FROM t WHERE v > 2 OR %s",
                        "SELECT COUNT(*) FROM t WHERE v > %s",
                        "SELECT g, COUNT(*) FROM t GROUP BY g HAVING COUNT(*) > %s",
                        "SELECT g, v FROM t ORDER BY %s, id LIMIT 2",
                        "SELECT COUNT(DISTINCT v, %s) FROM t",
                        "SELECT MAX(%s), COUNT(*) FROM t",
                        "SELECT SUM(v) + %s FROM t",
                        "SELECT DISTINCT g, %s FROM t")) {
                    statements.add(form.replace("%s", constant));
                }
            }
            // most are refused, because they raise warnings
            sameWarnings(same, statements, 5);
        }
    }

    /** Requires the same answers and numbers of warnings. Some of the statements must be split. */
    private static void sameWarnings(SameAsServer same, List<String> statements, int mustSplit) throws Exception {
        AtomicInteger split = new AtomicInteger();
        SplitIT.each(statements, sql -> {
            same.same(sql);
            same.sameWarningsLeft();
            if (same.proxy().outcome().fannedOut()) {
                split.incrementAndGet();
            }
        });
        assertThat(split.get()).as("how many are split").isGreaterThanOrEqualTo(mustSplit);
    }

    /** Most functions treat dates without a month or a day as invalid. Some warn for each, others are silent. */
    @AllServers
    void datesWithZeroPartsRaiseWarnings(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            same.onBoth("SET SESSION sql_mode = ''");
            List<String> statements = new ArrayList<>();
            for (String function : List.of(
                    "TIMESTAMP(da)",
                    "TIMESTAMP(da, '1:00')",
                    "DATE_ADD(da, INTERVAL 1 DAY)",
                    "DAYNAME(da)",
                    "TO_DAYS(da)",
                    "UNIX_TIMESTAMP(da)",
                    "LAST_DAY(da)",
                    "CAST(da AS DATETIME)",
                    "CAST(da AS TIME)",
                    "DATEDIFF(da, '2020-01-01')",
                    "WEEK(da)",
                    "DATE_FORMAT(da, '%W')",
                    "ADDTIME(da, '1:00')",
                    "TIMESTAMPDIFF(DAY, da, '2020-01-01')",
                    "da + 0",
                    "STR_TO_DATE(da, '%Y-%m-%d')")) {
                for (String form : List.of(
                        "SELECT COUNT(DISTINCT %s) FROM d",
                        "SELECT MIN(%s), MAX(%s) FROM d",
                        "SELECT %s AS k, COUNT(*) FROM d GROUP BY k ORDER BY k",
                        "SELECT g, COUNT(%s) FROM d GROUP BY g ORDER BY g",
                        "SELECT COUNT(*) FROM d WHERE %s IS NOT NULL",
                        "SELECT id, %s AS k FROM d ORDER BY k, id LIMIT 3")) {
                    statements.add(form.replace("%s", function));
                }
            }
            sameWarnings(same, statements, statements.size() / 4);
        }
    }

    /**
     * With ALLOW_INVALID_DATES a table may hold February 30. Depending on mode and plan, servers use it unchanged, as
     * zero, or as NULL.
     */
    @AllServers
    void daysThatTheCalendarDoesNotHaveRaiseWarnings(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            for (String mode : List.of("''", "DEFAULT", "'NO_ZERO_IN_DATE,NO_ZERO_DATE'", "'ALLOW_INVALID_DATES'")) {
                same.onBoth("SET SESSION sql_mode = " + mode);
                List<String> statements = new ArrayList<>();
                for (String function : List.of("da", "TIMESTAMP(da)", "CAST(da AS DATETIME(3))")) {
                    for (String form : List.of(
                            "SELECT COUNT(DISTINCT %s) FROM odd",
                            "SELECT g, COUNT(DISTINCT %s, id) FROM odd GROUP BY g ORDER BY g",
                            "SELECT g, MAX(%s) AS k FROM odd GROUP BY g HAVING k > '2020-01-01' ORDER BY k, g",
                            "SELECT MAX(%s) + INTERVAL 1 DAY, COUNT(*) FROM odd")) {
                        statements.add(form.replace("%s", function));
                    }
                }
                sameWarnings(same, statements, 0);
                same.fansOut(
                        "SELECT COUNT(DISTINCT da), MAX(da) + INTERVAL 1 DAY FROM odd WHERE da = '2020-02-01' OR id < 0");
            }
        }
    }

    /** For groups that HAVING removes, servers have evaluated divisions in keys, but not in aggregates. */
    @AllServers
    void divisionsByZeroOfHiddenGroupsRaiseWarnings(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            for (String sql : List.of(
                    "SELECT g FROM t GROUP BY g HAVING COUNT(*) > 5 ORDER BY g / 0",
                    "SELECT g, g % (g - 1) FROM t GROUP BY g HAVING COUNT(*) > 5",
                    "SELECT g FROM t GROUP BY g HAVING g > 5 ORDER BY MOD(g, g - 1)")) {
                same.passesThrough(sql, Reason.ARGUMENT_TYPE);
                same.sameWarningsLeft();
            }
            for (String sql : List.of(
                    "SELECT g, SUM(v) / (COUNT(*) - 2) FROM t GROUP BY g HAVING COUNT(*) < 2 ORDER BY g",
                    "SELECT g, g / 2 FROM t GROUP BY g HAVING COUNT(*) < 2 ORDER BY g / 10")) {
                same.fansOut(sql);
                same.sameWarningsLeft();
            }
        }
    }

    private static void create(WireConnection admin) throws Exception {
        admin.execute("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, g INT, v INT) ENGINE=InnoDB"
                + " PARTITION BY HASH (id) PARTITIONS 4");
        admin.execute(
                "CREATE TABLE d (id INT NOT NULL PRIMARY KEY, g INT, da DATE) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 4");
        admin.execute("SET SESSION sql_mode = ''");
        admin.execute(
                "INSERT INTO d VALUES (1, 1, '2020-01-01'), (2, 1, '2020-00-00'), (3, 2, '0000-00-00'), (4, 2, '2020-02-00'),"
                        + " (5, 3, '2020-02-29'), (6, 3, '0000-00-00')");
        admin.execute("CREATE TABLE odd (id INT NOT NULL PRIMARY KEY, g INT, da DATE) ENGINE=InnoDB"
                + " PARTITION BY HASH (id) PARTITIONS 4");
        admin.execute("SET SESSION sql_mode = 'ALLOW_INVALID_DATES'");
        admin.execute("INSERT INTO odd VALUES (1, 1, '2020-02-31'), (2, 1, '2020-02-30'), (3, 2, '2019-04-31'),"
                + " (4, 2, '2020-02-01')");
        admin.execute("INSERT INTO t VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3), (4, 2, 4), (5, 3, 5)");
    }
}

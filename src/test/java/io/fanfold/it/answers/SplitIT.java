package io.fanfold.it.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SplitTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Compares the same statements direct and through the proxy, on every partitioning scheme and at several degrees.
 * Statements of {@code split-fans-out.sql} must fan out. Those of {@code split-passes.sql} must pass through for the
 * listed reason.
 */
public class SplitIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_split", "", SplitTables::create);

    /** Each statement runs on every fifth scheme, and each scheme takes every fifth statement, to save time. */
    @AllServers
    void everySchemeFansOut(TestServer server) throws Exception {
        List<String> statements = SplitTables.statements("split-fans-out.sql");
        assertThat(statements).hasSizeGreaterThan(50);
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            List<String> tables = List.copyOf(SplitTables.SCHEMES.keySet());
            for (int t = 0; t < tables.size(); t++) {
                String table = tables.get(t);
                each(every(5, statements, t % 5), statement -> same.fansOut(on(statement, table)));
            }
        }
    }

    /** Every nth statement. */
    private static List<String> every(int n, List<String> statements, int from) {
        return IntStream.range(0, statements.size())
                .filter(i -> i % n == from)
                .mapToObj(statements::get)
                .toList();
    }

    /**
     * SQL guarantees no order here, but clients may rely on the order they have always received. Index ranges are
     * excluded: MariaDB returns the rows of all partitions in index order.
     */
    @AllServers
    void rowsWithoutAnOrderHaveTheScanOrderOfTheServer(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            for (String table : SplitTables.SCHEMES.keySet()) {
                same.fansOutInTheOrderOfTheServer("SELECT * FROM " + table);
                same.fansOutInTheOrderOfTheServer("SELECT id, ci FROM " + table + " WHERE g > 2 AND ci <> 'beta'");
                same.fansOutInTheOrderOfTheServer("SELECT id, UPPER(ci) FROM " + table + " WHERE id % 3 = 1");
            }
        }
    }

    @AllServers
    void everyDegreeGivesTheSame(TestServer server) throws Exception {
        List<String> statements = SplitTables.statements("split-fans-out.sql");
        for (int degree : List.of(1, 7)) {
            try (SameAsServer same = DATABASE.shared(server, degree)) {
                each(every(2, statements, degree == 1 ? 0 : 1), statement -> {
                    ProxiedServer.Outcome outcome = same.fansOut(on(statement, "t_hash"));
                    assertThat(outcome.degree()).isEqualTo(Math.min(degree, 5));
                    assertThat(outcome.snapshot()).isEqualTo("verified");
                });
            }
        }
    }

    @AllServers
    void otherSessionsGetTheirOwnAnswers(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            same.onBoth("SET NAMES latin1");
            same.onBoth("SET time_zone = '+05:30'");
            same.onBoth("SET div_precision_increment = 7");
            same.onBoth("SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'");
            each(SplitTables.statements("split-fans-out.sql"), statement -> same.fansOut(on(statement, "t_hash")));
            same.fansOut(
                    "SELECT \"ci\", COUNT(*) FROM \"t_hash\" WHERE ci <> '\\' GROUP BY \"ci\" ORDER BY COUNT(*), 1");
            same.fansOut("SELECT COUNT(*) FROM t_hash WHERE LENGTH(CONCAT(bin_s, '\u00e9')) - LENGTH(bin_s) = 4");
        }
    }

    /** The division of an average has fewer digits if its values may have fewer digits than their type. */
    @AllServers
    void averagesHaveTheDigitsOfTheSession(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            String average = "SELECT g, AVG(IF(id % 2, dec1, id)), AVG(IF(id % 3, 1.5, 2.125)) FROM t_hash GROUP BY g";
            for (int digits : List.of(0, 4, 6, 7, 12, 30)) {
                same.onBoth("SET div_precision_increment = " + digits);
                same.same(average);
                if (digits <= 6) {
                    same.fansOut("SELECT g, AVG(IF(id % 3, 1.5, 2.125)) FROM t_hash GROUP BY g ORDER BY g");
                } else {
                    same.passesThrough(
                            "SELECT g, AVG(IF(id % 3, 1.5, 2.125)) FROM t_hash GROUP BY g ORDER BY g",
                            Reason.ARGUMENT_TYPE);
                }
            }
        }
    }

    /** In other modes MySQL raises warnings when it groups zero dates. */
    @AllServers
    void zeroDatesAreKeysIfTheModeAllowsThem(TestServer server) throws Exception {
        List<String> statements = List.of(
                "SELECT zd, COUNT(*) FROM T GROUP BY zd",
                "SELECT zd, COUNT(*) FROM T GROUP BY zd ORDER BY zd DESC",
                "SELECT zdt, COUNT(*), MIN(zd), MAX(zd) FROM T GROUP BY zdt ORDER BY zdt",
                "SELECT g, MIN(zd) AS m, MAX(zdt) FROM T GROUP BY g ORDER BY m DESC, g",
                "SELECT DISTINCT zdt, COUNT(*) FROM T GROUP BY zdt, g ORDER BY 1, 2",
                "SELECT g, MIN(zd), RANK() OVER (ORDER BY COUNT(*), g) FROM T GROUP BY g ORDER BY g",
                "SELECT zd, id FROM T ORDER BY zd, id, p LIMIT 300");
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            same.onBoth("SET sql_mode = ''");
            each(statements, statement -> same.fansOut(on(statement, "t_hash")));
            // columns in an expression are transferred as dates, which is not supported for zero parts
            same.passesThrough("SELECT CONCAT(zd, ''), COUNT(*) FROM t_hash GROUP BY zd ORDER BY zd", Reason.VALUE);
            // modes that forbid zero dates make them equal in the temporary table of distinct values
            same.passesThrough("SELECT COUNT(DISTINCT zd) FROM t_hash", Reason.VALUE);
            same.onBoth("SET sql_mode = 'NO_ZERO_DATE,NO_ZERO_IN_DATE'");
            same.passesThrough("SELECT g, COUNT(DISTINCT zd, id) FROM t_hash GROUP BY g ORDER BY g", Reason.VALUE);
        }
    }

    /** A temporary table of MySQL corrects dates with zero parts. A partition query may run without one. */
    @AllServers
    void zeroDatesInSortedJoinsAreTheServers(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            for (String mode : List.of("", "NO_ZERO_DATE,NO_ZERO_IN_DATE,STRICT_TRANS_TABLES")) {
                same.onBoth("SET sql_mode = '" + mode + "'");
                for (String tail : List.of("", " LIMIT 50")) {
                    same.same("SELECT a.id, a.zd, b.name FROM t_key a JOIN dim b ON a.g = b.k ORDER BY b.w, a.id, a.p"
                            + tail);
                    same.same("SELECT a.id, b.name FROM t_key a JOIN dim b ON a.g = b.k ORDER BY a.zdt, a.id, a.p"
                            + tail);
                }
            }
        }
    }

    /**
     * The server keeps sorted groups in a temporary table. Partition queries that read groups in index order have none.
     */
    @AllServers
    void zeroDatesInSortedGroupsAreTheServers(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            for (String mode : List.of("", "NO_ZERO_DATE,NO_ZERO_IN_DATE,STRICT_TRANS_TABLES")) {
                same.onBoth("SET sql_mode = '" + mode + "'");
                for (String statement : List.of(
                        "SELECT id, COUNT(*) FROM t_hash GROUP BY id ORDER BY MIN(zd), id",
                        "SELECT id, MAX(zdt) AS m FROM t_hash GROUP BY id ORDER BY m DESC, id LIMIT 700")) {
                    same.fansOutIf(mode.isEmpty(), statement, Reason.VALUE);
                }
                same.same("SELECT zd, COUNT(*) FROM t_hash GROUP BY zd ORDER BY zd");
                same.same("SELECT zdt, MAX(id) FROM t_hash GROUP BY zdt ORDER BY zdt DESC LIMIT 4");
            }
        }
    }

    /** MariaDB returns NULL for LAST_DAY of a date whose day is zero, but sorts by the day. */
    @OnServers(ServerName.MARIADB)
    void lastDaysPassThroughIfTheirOrderIsNotThatOfTheirValues(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            String sorted = "SELECT id, p, LAST_DAY(zd) AS k FROM t_hash ORDER BY k, id, p LIMIT 500";
            for (String mode : List.of("NO_ZERO_DATE,NO_ZERO_IN_DATE", "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE")) {
                same.onBoth("SET sql_mode = '" + mode + "'");
                same.passesThrough(sorted, Reason.SQL_MODE);
                same.passesThrough("SELECT last_day(zd), COUNT(*) FROM t_hash GROUP BY 1", Reason.SQL_MODE);
            }
            for (String mode : List.of("", "NO_ZERO_DATE")) {
                same.onBoth("SET sql_mode = '" + mode + "'");
                same.fansOut(sorted);
            }
        }
    }

    @AllServers
    void refusalsHaveTheirReasons(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            refused(same, SplitTables.statements("split-passes.sql"), "t_hash");
        }
    }

    /** Checks lines of "REASON, tab, statement". */
    static void refused(SameAsServer same, List<String> lines, String table) throws Exception {
        each(lines, line -> {
            String[] parts = line.split("\t", 2);
            same.passesThrough(on(parts[1], table), Reason.valueOf(parts[0]));
        });
    }

    /** Strict and lax sessions: the final query runs under the client's own sql_mode. */
    @AllServers
    void statementsSplitOnOneFlavorOnlyFanOutThere(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            for (String mode : List.of("", "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO")) {
                same.onBoth("SET sql_mode = '" + mode + "'");
                boolean mySql = server.kind() == ServerFlavor.MYSQL;
                each(
                        SplitTables.statements("split-fans-out-mysql.sql"),
                        statement -> fansOutIf(mySql, on(statement, "t_hash"), same));
                each(
                        SplitTables.statements("split-fans-out-mariadb.sql"),
                        statement -> fansOutIf(!mySql, on(statement, "t_hash"), same));
            }
        }
    }

    /** Statements that only one flavor answers in its own way pass through there and fan out on the other flavor. */
    @OnServers({ServerName.MARIADB, ServerName.MARIADB_WITH_PLUGINS, ServerName.MYSQL})
    void statementsWithFlavorSpecificAnswersPassThroughThere(TestServer server) throws Exception {
        // another test may have prepared transactions on the server, which prevents proofs
        try (SameAsServer same = DATABASE.shared(server, ProxySetup.ofDegree(3).relaxed())) {
            oneFlavor(same, SplitTables.statements("split-one-server.sql"), "t_hash", server.kind());
        }
    }

    /** Checks lines of "MariaDB's REASON or -, tab, MySQL's, tab, statement". */
    static void oneFlavor(SameAsServer same, List<String> lines, String table, ServerFlavor flavor) throws Exception {
        each(lines, line -> {
            String[] parts = line.split("\t", 3);
            String statement = on(parts[2], table);
            String reason = parts[flavor.isMariaDb() ? 0 : 1];
            if (reason.equals("-")) {
                same.fansOut(statement);
            } else {
                same.passesThrough(statement, Reason.valueOf(reason));
            }
        });
    }

    /** Preflight queries on the client's connection leave no trace. */
    @AllServers
    void preflightLeavesNoWarnings(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            for (String statement : List.of(
                    "SELECT COUNT(*) FROM t_hash",
                    "SELECT COUNT(*), MAX(n) FROM (SELECT g, COUNT(*) AS n FROM t_hash GROUP BY g) x",
                    "SELECT k FROM dim WHERE w < (SELECT COUNT(*) FROM t_hash) ORDER BY k",
                    "SELECT g, COUNT(*), (SELECT MAX(w) FROM dim) FROM t_hash GROUP BY g ORDER BY g")) {
                same.fansOut(statement);
                same.sameWarningsLeft();
                same.same("SHOW WARNINGS");
            }
        }
    }

    /** To EXPLAIN a statement, MySQL already evaluates subqueries that return one row. */
    @AllServers
    void preflightDoesNotReadTheTable(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3);
                WireConnection client = same.proxy().proxied();
                WireConnection direct = same.proxy().direct()) {
            for (String sql : List.of(
                    "SELECT k FROM it_split.dim WHERE k = (SELECT MAX(g) FROM it_split.t_hash WHERE g < 4)",
                    "SELECT COUNT(*), MAX(n) FROM (SELECT COUNT(dec1) AS n FROM it_split.t_hash) x")) {
                same.proxy().forget();
                client.query(sql);
                assertThat(same.proxy().outcome().reason()).isNull();
                long byProxy = rowsRead(client, sql);
                assertThat(byProxy).as(sql).isLessThan(rowsRead(direct, sql) - SplitTables.ROWS / 2);
            }
        }
    }

    /** The number of rows that a session reads for a statement. It includes the constant number read by SHOW STATUS. */
    private static long rowsRead(WireConnection client, String sql) throws Exception {
        client.execute("FLUSH STATUS");
        client.query(sql);
        return client.query("SHOW SESSION STATUS LIKE 'Handler\\_read\\_%'").rows().stream()
                .mapToLong(row -> Long.parseLong(String.valueOf(row.ascii(1))))
                .sum();
    }

    /** A statement that passes through may do so for any reason. */
    private static void fansOutIf(boolean fansOut, String statement, SameAsServer same) throws Exception {
        if (fansOut) {
            same.fansOut(statement);
        } else {
            same.same(statement);
            assertThat(same.proxy().outcome().reason()).isNotNull();
        }
    }

    /** Cases in which rollup rows differ from merged groups, or their types are unknown. */
    @AllServers
    void rollupRowsPassThroughIfServersDiffer(TestServer server) throws Exception {
        boolean mySql = server.kind() == ServerFlavor.MYSQL;
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            String join = "SELECT b.k, a.tiny, SUM(b.w), COUNT(*) FROM t_hash a JOIN dim b ON a.g = b.k"
                    + " GROUP BY b.k, a.tiny WITH ROLLUP";
            if (mySql) {
                same.passesThrough(join, Reason.ROLLUP);
                return;
            }
            same.fansOut(join);
            for (String statement : List.of(
                    "SELECT p, COUNT(*) FROM t_hash GROUP BY p WITH ROLLUP HAVING p IS NULL",
                    "SELECT g, COUNT(*) FROM t_hash GROUP BY g WITH ROLLUP HAVING g IS NULL",
                    "SELECT g + 1 AS h, COUNT(*) FROM t_hash GROUP BY g WITH ROLLUP HAVING h > 2",
                    "SELECT YEAR(d), YEAR(d) + 1, COUNT(*) FROM t_hash GROUP BY YEAR(d) WITH ROLLUP",
                    "SELECT YEAR(d), IFNULL(YEAR(d), 'all'), COUNT(*) FROM t_hash GROUP BY YEAR(d) WITH ROLLUP")) {
                same.passesThrough(statement, Reason.ROLLUP);
            }
        }
    }

    /** In GROUP BY, a name that is both an alias and a column of a table in the folded block means the column. */
    @AllServers
    void aliasesOfAFoldedBlockAreCheckedAgainstItsTables(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            // otherwise MySQL would not prepare the first two
            same.onBoth("SET sql_mode = ''");
            for (String statement : List.of(
                    "SELECT x.w, x.c FROM (SELECT b.k + 1 AS w, COUNT(*) AS c FROM t_hash a JOIN dim b ON a.g = b.k"
                            + " GROUP BY w) x ORDER BY x.w, x.c",
                    "SELECT x.tiny, x.c FROM (SELECT g + 1 AS tiny, COUNT(*) AS c FROM t_hash GROUP BY tiny) x"
                            + " ORDER BY x.tiny, x.c")) {
                same.passesThrough(statement, Reason.AMBIGUOUS_NAME);
            }
            same.fansOut("SELECT x.other, x.c FROM (SELECT g + 1 AS other, COUNT(*) AS c FROM t_hash GROUP BY other) x"
                    + " ORDER BY x.other");
        }
    }

    @AllServers
    void sessionsThatAreNotPlainPassThrough(TestServer server) throws Exception {
        String count = "SELECT COUNT(*), SUM(dec1) FROM t_hash";
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            same.fansOut(count);
            same.onBoth("BEGIN");
            same.onBoth("SAVEPOINT s");
            same.passesThrough(count, Reason.IN_TRANSACTION);
            same.onBoth("ROLLBACK");
            same.fansOut(count);
            same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
            same.passesThrough(count, Reason.SESSION_VARIABLE);
            same.onBoth("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            same.fansOut(count);
            same.onBoth("SET sql_select_limit = 1");
            same.passesThrough(count, Reason.SESSION_VARIABLE);
            same.onBoth("SET sql_select_limit = DEFAULT");
            same.onBoth("CREATE TEMPORARY TABLE t_hash (dec1 INT)");
            same.passesThrough(count, Reason.TEMPORARY_TABLE);
            same.onBoth("DROP TEMPORARY TABLE t_hash");
            same.fansOut(count);
            same.onBoth("CREATE TEMPORARY TABLE dim (k INT, name VARCHAR(10), w INT)");
            same.passesThrough("SELECT COUNT(*) FROM t_hash a JOIN dim b ON a.g = b.k", Reason.TEMPORARY_TABLE);
            same.onBoth("DROP TEMPORARY TABLE dim");
        }
    }

    /**
     * When clocks are set back, two timestamps have the same local time. Both the server and the merge keep them apart.
     */
    @AllServers
    void timestampsAreKeysEvenWhenClocksAreSetBack(TestServer server) throws Exception {
        String moments = "SELECT ts, COUNT(*) FROM moments GROUP BY ts";
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            try (WireConnection admin = same.proxy().direct()) {
                admin.execute("DROP TABLE IF EXISTS it_split.moments");
                admin.execute("CREATE TABLE it_split.moments (id INT PRIMARY KEY, ts TIMESTAMP(6) NULL) ENGINE=InnoDB"
                        + " PARTITION BY HASH (id) PARTITIONS 3");
                admin.execute("SET time_zone = '+00:00'");
                admin.execute("INSERT INTO it_split.moments SELECT id + 20, IF(id % 7 = 0, NULL,"
                        + " '2024-10-27 00:30:00.5' + INTERVAL id % 5 HOUR) FROM it_split.t_hash");
                installZone(admin);
            }
            same.proxy().tablesChanged();
            same.onBoth("SET time_zone = '+05:30'");
            same.fansOut(moments);
            same.onBoth("SET time_zone = 'Fanfold/Test'");
            same.fansOut(moments);
            same.fansOut(moments + " ORDER BY ts DESC");
            same.fansOut("SELECT DISTINCT ts FROM moments");
            same.passesThrough("SELECT COUNT(DISTINCT ts), COUNT(*) FROM moments", Reason.KEY_TYPE);
            same.fansOut("SELECT ts, id FROM moments ORDER BY ts, id LIMIT 700");
            same.fansOut("SELECT ts, id FROM moments ORDER BY ts DESC, id LIMIT 700");
            same.passesThrough("SELECT MAX(ts) FROM moments", Reason.ARGUMENT_TYPE);
            same.passesThrough("SELECT ts + INTERVAL 1 DAY, COUNT(*) FROM moments GROUP BY ts", Reason.KEY_TYPE);
            same.fansOut("SELECT id % 5, COUNT(ts) FROM moments GROUP BY id % 5");
        }
    }

    /** Creates a named time zone. Servers have none until their time zone tables are filled. */
    private static void installZone(WireConnection admin) throws Exception {
        if (admin.query("SELECT 1 FROM mysql.time_zone_name WHERE Name = 'Fanfold/Test'")
                .rows()
                .isEmpty()) {
            admin.execute("INSERT INTO mysql.time_zone (Time_zone_id, Use_leap_seconds) VALUES (90001, 'N')");
            admin.execute("INSERT INTO mysql.time_zone_name (Name, Time_zone_id) VALUES ('Fanfold/Test', 90001)");
            admin.execute("INSERT INTO mysql.time_zone_transition_type"
                    + " (Time_zone_id, Transition_type_id, `Offset`, Is_DST, Abbreviation)"
                    + " VALUES (90001, 0, 7200, 1, 'FS'), (90001, 1, 3600, 0, 'FT')");
            // summer time ends at 01:00 UTC on 27 October 2024
            admin.execute("INSERT INTO mysql.time_zone_transition (Time_zone_id, Transition_time, Transition_type_id)"
                    + " VALUES (90001, 0, 0), (90001, 1729990800, 1)");
        }
    }

    public interface Check {
        void of(String statement) throws Exception;
    }

    /** Checks every statement, then fails with a list of all failures. */
    public static void each(List<String> statements, Check check) throws Exception {
        List<AssertionError> wrong = new ArrayList<>();
        for (String statement : statements) {
            try {
                check.of(statement);
            } catch (AssertionError e) {
                wrong.add(e);
            }
        }
        if (!wrong.isEmpty()) {
            AssertionError all = new AssertionError(wrong.size() + " of " + statements.size() + " statements: "
                    + wrong.stream().map(Throwable::getMessage).toList());
            wrong.forEach(all::addSuppressed);
            throw all;
        }
    }

    public static String on(String statement, String table) {
        return statement.replaceAll("\\bT\\b", table);
    }
}

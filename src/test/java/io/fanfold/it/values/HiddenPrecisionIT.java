package io.fanfold.it.values;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.util.List;

/**
 * Decimals with hidden precision: inside the server they have more digits than shown, which matter in further
 * computations.
 */
class HiddenPrecisionIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_digits", HiddenPrecisionIT::create);

    /** MariaDB passes on more digits of a quotient than it shows. MySQL does not. */
    @AllServers
    void quotients(TestServer server) throws Exception {
        boolean mySql = server.kind() == ServerFlavor.MYSQL;
        try (SameAsServer same = DATABASE.compared(server, 3)) {
            for (String statement : List.of(
                    "SELECT MAX(a / 3) * 3, MIN(n / 7) * 7 FROM t",
                    "SELECT g + 1, MIN(n / 7) * 7, COUNT(DISTINCT a) FROM t GROUP BY g + 1 ORDER BY 1",
                    "SELECT k FROM dim WHERE k > (SELECT MIN(n / 7) * 7 FROM t) ORDER BY k",
                    "SELECT k FROM dim WHERE k / 7 > (SELECT MIN(n / 7) FROM t) ORDER BY k",
                    "SELECT id, x.q * 7, ROW_NUMBER() OVER (ORDER BY id) FROM (SELECT id, n / 7 AS q FROM t) x"
                            + " WHERE id < 30 ORDER BY id",
                    "SELECT GROUP_CONCAT(x.q * 7 ORDER BY x.q * 7) FROM (SELECT id, n / 7 AS q FROM t) x WHERE x.id < 30")) {
                same.fansOutIf(mySql, statement, Reason.ARGUMENT_TYPE);
            }
            for (String statement : List.of(
                    "SELECT SUM(x.q) FROM (SELECT n / 7 AS q FROM t) x",
                    "WITH x AS (SELECT g, n / 7 AS q FROM t) SELECT g, AVG(q) FROM x GROUP BY g ORDER BY g")) {
                same.fansOutIf(mySql, statement, Reason.AGGREGATE);
            }
            for (String statement : List.of(
                    "SELECT MAX(a / 3), MIN(n / 7) FROM t",
                    "SELECT x.m * 7 FROM (SELECT MIN(n / 7) AS m FROM t) x",
                    "SELECT MAX(n) / 7 * 7, SUM(a) / SUM(n) * 3 FROM t",
                    "SELECT g, SUM(x.v) / SUM(x.n) FROM (SELECT g, n, a * 2 AS v FROM t) x GROUP BY g ORDER BY g")) {
                same.fansOut(statement);
            }
        }
    }

    /**
     * MariaDB distinguishes quotients by all their digits if it groups by sorting, otherwise only by the digits shown.
     */
    @AllServers
    void quotientsAsKeys(TestServer server) throws Exception {
        boolean mySql = server.kind() == ServerFlavor.MYSQL;
        try (SameAsServer same = DATABASE.compared(server, 3)) {
            for (String statement : List.of(
                    "SELECT n / 700000, COUNT(DISTINCT a) FROM t GROUP BY n / 700000 ORDER BY 1, 2",
                    "SELECT n / 700000, COUNT(*) FROM t GROUP BY n / 700000 ORDER BY 1",
                    "SELECT (a - 12) % 1, COUNT(DISTINCT n) FROM t GROUP BY (a - 12) % 1 ORDER BY 1, 2",
                    "SELECT MOD(a - 12, 0.5), COUNT(*) FROM t GROUP BY MOD(a - 12, 0.5) ORDER BY 1, 2",
                    "SELECT x.q * 7, COUNT(*) FROM (SELECT n / 7 AS q FROM t) x GROUP BY x.q ORDER BY 1",
                    "SELECT x.q, COUNT(*), MAX(x.q) FROM (SELECT n / 7 AS q FROM t) x GROUP BY x.q ORDER BY x.q")) {
                same.fansOutIf(mySql, statement, Reason.KEY_TYPE);
            }
            for (String statement : List.of(
                    "SELECT ROUND(n / 7, 1), COUNT(DISTINCT a) FROM t GROUP BY ROUND(n / 7, 1) ORDER BY 1",
                    "SELECT FLOOR(a / 10) * 10, COUNT(*) FROM t GROUP BY FLOOR(a / 10) * 10 ORDER BY 1",
                    "SELECT CAST(n / 700000 AS DECIMAL(9,3)), COUNT(DISTINCT a) FROM t"
                            + " GROUP BY CAST(n / 700000 AS DECIMAL(9,3)) ORDER BY 1")) {
                same.fansOut(statement);
            }
        }
    }

    /**
     * The result of IF and similar functions may have fewer digits than its type. Its division then yields fewer
     * digits.
     */
    @AllServers
    void shortDividends(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 3)) {
            for (String statement : List.of(
                    "SELECT SUM(IFNULL(b, n)) / 7 FROM t WHERE b IS NULL",
                    "SELECT MAX(COALESCE(b, n)) / 7, COUNT(*) FROM t WHERE b IS NULL",
                    "SELECT x.c / 7, COUNT(*) FROM (SELECT IFNULL(b, n) AS c FROM t) x GROUP BY x.c ORDER BY 1",
                    "SELECT k FROM dim WHERE (SELECT SUM(IF(g = 9, b, n)) FROM t) / 7 > k ORDER BY k",
                    "SELECT AVG(x.c) FROM (SELECT IFNULL(b, n) AS c, b FROM t) x WHERE x.b IS NULL",
                    "SELECT AVG(x.c) * 2 FROM (SELECT IFNULL(b, n) AS c, b FROM t) x WHERE x.b IS NULL",
                    "SELECT id, x.c / 7, ROW_NUMBER() OVER (ORDER BY id) FROM (SELECT id, b, IFNULL(b, n) AS c FROM t) x"
                            + " WHERE x.b IS NULL ORDER BY id")) {
                same.passesThrough(statement, Reason.ARGUMENT_TYPE);
            }
            for (String statement : List.of(
                    "SELECT SUM(b) / 7, MAX(b) / 7, SUM(a * b) / 7 FROM t",
                    "SELECT SUM(IFNULL(b, n)), MAX(COALESCE(b, n)) * 3 FROM t",
                    "SELECT SUM(IF(g = 1, a, 0)) / 7, SUM(CASE WHEN g = 1 THEN a ELSE 0 END) / SUM(b) FROM t",
                    "SELECT x.c, COUNT(*) FROM (SELECT IFNULL(b, n) AS c FROM t) x GROUP BY x.c ORDER BY 1")) {
                same.fansOut(statement);
            }
        }
    }

    /**
     * If sums of groups may exceed the maximum number of digits, they are truncated while they grow. Other sums have
     * digits to spare.
     */
    @AllServers
    void sumsWithMoreDigitsThanADecimalHoldsPassThrough(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            same.passesThrough("SELECT g, SUM(x) FROM long_sums GROUP BY g", Reason.ARGUMENT_TYPE);
            same.passesThrough("SELECT g, SUM(y * 10.5) FROM long_sums GROUP BY g", Reason.ARGUMENT_TYPE);
            same.fansOut("SELECT g, SUM(y) FROM long_sums GROUP BY g");
        }
    }

    private static void create(WireConnection admin) throws Exception {
        String most = "9".repeat(35) + "." + "9".repeat(30);
        admin.execute(
                "CREATE TABLE long_sums (id INT PRIMARY KEY, g INT, x DECIMAL(65,30), y DECIMAL(53,2)) ENGINE=InnoDB"
                        + " PARTITION BY HASH (id) PARTITIONS 2");
        // the partition of even numbers is read first
        admin.execute("INSERT INTO long_sums VALUES (2, 1, " + most + ", 1), (1, 1, " + most + ", 2), (3, 1, -" + most
                + ", 3.25), (5, 1, 5, 4)");
        admin.execute(
                "CREATE TABLE t (id INT PRIMARY KEY, g INT, n INT, a DECIMAL(12,4), b DECIMAL(20,10)) ENGINE=InnoDB"
                        + " PARTITION BY HASH (id) PARTITIONS 4");
        StringBuilder values = new StringBuilder();
        for (int id = 0; id < 100; id++) {
            values.append(id == 0 ? "" : ", ")
                    .append("(" + id + ", " + id % 4 + ", " + (id % 10 * 3 + 1) + ", " + id * 17 % 77 + " / 3, ")
                    .append(id % 3 == 0 ? "NULL)" : id * 13 + " / 7)");
        }
        admin.execute("INSERT INTO t VALUES " + values);
        admin.query("ANALYZE TABLE t");
        admin.execute("CREATE TABLE dim (k INT PRIMARY KEY) ENGINE=InnoDB");
        admin.execute("INSERT INTO dim VALUES (0), (1), (2), (50), (1000)");
    }
}

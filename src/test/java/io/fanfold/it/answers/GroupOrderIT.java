package io.fanfold.it.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.GeneralLog;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Groups that are sorted and limited during the merge, without a final query. */
class GroupOrderIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_order", GroupOrderIT::create);

    private static final int ROWS = 3000;
    private static final List<Integer> SCALES = List.of(0, 1, 2, 4, 5, 8, 9, 10, 13, 14, 18, 23, 26);

    private static final List<String> STATEMENTS = List.of(
            "SELECT k, SUM(n) total FROM g GROUP BY k ORDER BY total DESC, k LIMIT 10",
            "SELECT k, SUM(n) total FROM g GROUP BY k ORDER BY total, k LIMIT 7 OFFSET 40",
            "SELECT k, SUM(n) total FROM g GROUP BY k ORDER BY total, k LIMIT 5 OFFSET 100000",
            "SELECT k, SUM(n) total FROM g GROUP BY k ORDER BY total DESC, k DESC",
            "SELECT SUM(u), k, COUNT(n), k FROM g GROUP BY k ORDER BY COUNT(n), 1 DESC, k DESC LIMIT 300",
            "SELECT k FROM g GROUP BY k ORDER BY SUM(n) DESC, k LIMIT 3",
            "SELECT AVG(n), k, SUM(n), AVG(k) FROM g GROUP BY k ORDER BY 1 DESC, k LIMIT 50",
            "SELECT k, MIN(f), MAX(f) FROM g GROUP BY k ORDER BY MIN(f), MAX(f) DESC, k",
            "SELECT k, MIN(d), MAX(t), MIN(tm) FROM g WHERE d > 0 AND t > 0 GROUP BY k ORDER BY MAX(t) DESC, MIN(d), k LIMIT 200",
            "SELECT k, MIN(tm) least FROM g GROUP BY k ORDER BY least DESC, k",
            "SELECT d, COUNT(*) FROM g GROUP BY d ORDER BY d DESC LIMIT 20",
            "SELECT t, tm, COUNT(*) FROM g WHERE id < 500 GROUP BY t, tm ORDER BY tm, t DESC, COUNT(*)",
            "SELECT f, SUM(n) FROM g GROUP BY f ORDER BY f DESC LIMIT 11",
            "SELECT s, COUNT(*) FROM g GROUP BY s ORDER BY s",
            "SELECT s, k, MAX(c) FROM g WHERE id < 900 GROUP BY k, s ORDER BY s DESC, k DESC",
            "SELECT c, SUM(n) FROM g GROUP BY c ORDER BY c DESC",
            "SELECT b, e, COUNT(*) FROM g WHERE id < 700 GROUP BY b, e ORDER BY b DESC, e",
            "SELECT k, MAX(s), MIN(b) FROM g GROUP BY k ORDER BY MIN(b) DESC, k LIMIT 90",
            "SELECT e, y, SUM(n) FROM g GROUP BY e, y ORDER BY e DESC, y",
            "SELECT fl, COUNT(*) FROM g GROUP BY fl ORDER BY fl LIMIT 30",
            "SELECT k, COUNT(DISTINCT s), SUM(DISTINCT n) total FROM g GROUP BY k ORDER BY total DESC, k LIMIT 25",
            "SELECT k, BIT_OR(u), BIT_AND(u) bits FROM g GROUP BY k ORDER BY bits DESC, BIT_OR(u), k LIMIT 40",
            "SELECT DISTINCT k, e FROM g ORDER BY e, k DESC LIMIT 33",
            "SELECT k + 1 x, SUM(n) FROM g WHERE n < 0 GROUP BY x ORDER BY x DESC LIMIT 9",
            "SELECT k, SUM(n) FROM g WHERE n > 1000000 GROUP BY k ORDER BY 2 LIMIT 9",
            "SELECT COUNT(*), AVG(n) FROM g LIMIT 1",
            "SELECT COUNT(*), AVG(n) FROM g ORDER BY 1 LIMIT 1 OFFSET 1",
            "SELECT k, AVG(n), SUM(u) FROM g GROUP BY k",
            "SELECT MAX(s), k, COUNT(*) FROM g GROUP BY k");

    private static final List<String> PORTIONED = List.of(
            "SELECT k, SUM(n) total FROM g GROUP BY k HAVING SUM(n) > 100 ORDER BY total DESC, k",
            "SELECT k, SUM(n) total FROM g GROUP BY k HAVING total > 10 ORDER BY k DESC LIMIT 12 OFFSET 50",
            "SELECT k, SUM(n) FROM g GROUP BY k HAVING SUM(n) > 10 ORDER BY 2, k LIMIT 1 OFFSET 1000",
            "SELECT k, SUM(n) / COUNT(*), CONCAT(MAX(s), '-', k) FROM g GROUP BY k ORDER BY k LIMIT 100, 95",
            "SELECT k, AVG(n), SUM(u) + 1 FROM g GROUP BY k HAVING COUNT(*) > 2 ORDER BY AVG(n) DESC, k",
            "SELECT k, SUM(n) * 2 FROM g GROUP BY k HAVING MIN(f) < 0",
            "SELECT k, SUM(n) * 2 FROM g GROUP BY k HAVING MIN(f) > 1000",
            "SELECT k, e, COUNT(*) + 1 FROM g GROUP BY k, e ORDER BY e DESC, k",
            "SELECT s, COUNT(*) c1 FROM g GROUP BY s HAVING c1 <> 3 ORDER BY s DESC");

    @AllServers
    void groupsAreSortedWithoutAFinalQuery(TestServer server) throws Exception {
        for (int degree : List.of(1, 3)) {
            try (SameAsServer same = DATABASE.compared(server, degree);
                    GeneralLog log = new GeneralLog(same.proxy())) {
                for (String statement : STATEMENTS) {
                    same.fansOut(statement);
                }
                assertThat(log.statements())
                        .filteredOn(entry -> entry.sql().contains("JSON_TABLE"))
                        .isEmpty();
            }
        }
    }

    /**
     * If the server computes an expression for each group, groups are sent to it in portions, in the order of the
     * answer.
     */
    @AllServers
    void groupsAreSentInPortionsIfTheServerComputesEachRow(TestServer server) throws Exception {
        try (SameAsServer same =
                        DATABASE.compared(server, ProxySetup.ofDegree(2).withFinalQueryRows(30));
                GeneralLog log = new GeneralLog(same.proxy())) {
            for (String statement : PORTIONED) {
                same.fansOut(statement);
            }
            long queries = log.statements().stream()
                    .filter(entry -> entry.sql().contains("JSON_TABLE"))
                    .count();
            assertThat(queries).isGreaterThan(3L * PORTIONED.size());
            // only the server knows the order
            same.passesThrough(
                    "SELECT k, SUM(n) / COUNT(*) r FROM g GROUP BY k ORDER BY r DESC, k", Reason.FINAL_QUERY_FAILED);
        }
    }

    /** MariaDB sorts groups by their keys even without ORDER BY. */
    @AllServers
    void groupsWithoutAnOrderHaveTheOrderOfTheServer(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 3)) {
            for (String statement : List.of(
                    "SELECT k, AVG(n), SUM(u) FROM g GROUP BY k",
                    "SELECT k, e, COUNT(*) FROM g GROUP BY k, e",
                    "SELECT s, SUM(n) FROM g GROUP BY s")) {
                if (server.kind() == ServerFlavor.MARIADB) {
                    same.fansOutInTheOrderOfTheServer(statement);
                    same.fansOutInTheOrderOfTheServer(statement + " LIMIT 17 OFFSET 3");
                }
            }
        }
    }

    /** Fraction digits fill whole words of nine digits. Digits that are not computed are truncated. */
    @AllServers
    void averagesHaveTheDigitsOfTheServer(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2);
                GeneralLog log = new GeneralLog(same.proxy())) {
            for (int more : List.of(0, 1, 4, 5, 9, 11)) {
                same.onBoth("SET div_precision_increment = " + more);
                String averages = SCALES.stream()
                        .filter(scale -> scale + more < 30)
                        .map(scale -> "AVG(d" + scale + ")")
                        .collect(Collectors.joining(", "));
                same.fansOut("SELECT k, " + averages + " FROM a GROUP BY k ORDER BY k");
                same.fansOut("SELECT " + averages + " FROM a");
                same.fansOut("SELECT k, AVG(d5) FROM a GROUP BY k ORDER BY AVG(d5), k");
            }
            assertThat(log.statements())
                    .filteredOn(entry -> entry.sql().contains("JSON_TABLE"))
                    .hasSizeLessThan(9);
        }
    }

    /** In modes that forbid such dates, a temporary table changes them. */
    @AllServers
    void datesWithZeroPartsAreSortedIfTheModeAllowsThem(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            String minMaxes = "SELECT k, MIN(d), MAX(t) FROM z GROUP BY k ORDER BY MIN(d), k";
            String keys = "SELECT d, COUNT(*) FROM z GROUP BY d ORDER BY d DESC";
            same.onBoth("SET sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE'");
            same.passesThrough(minMaxes, Reason.VALUE);
            same.onBoth("SET sql_mode = ''");
            same.fansOut(minMaxes);
            same.fansOut(keys);
        }
    }

    private static void create(WireConnection admin) throws Exception {
        admin.execute("SET sql_mode = ''");
        admin.execute("CREATE TABLE g (id INT NOT NULL, k INT, n DECIMAL(12,3), u BIGINT UNSIGNED, f DOUBLE, fl FLOAT,"
                + " s VARCHAR(20), c VARCHAR(10) COLLATE utf8mb4_unicode_ci, b VARBINARY(8), d DATE, t DATETIME(2),"
                + " tm TIME, e ENUM('x','b','c'), y YEAR, PRIMARY KEY (id))"
                + " ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 5");
        Random random = new Random(11);
        List<String> rows = new ArrayList<>();
        for (int id = 0; id < ROWS; id++) {
            rows.add("(" + id + ","
                    + String.join(
                            ",",
                            some(random, random.nextInt(400) - 100),
                            some(random, (random.nextInt(20_000) - 10_000) / 8.0),
                            some(random, Long.toUnsignedString(random.nextLong() >>> random.nextInt(3))),
                            some(random, (random.nextInt(90) - 45) * 0.3),
                            some(random, (random.nextInt(60) - 30) * 0.7),
                            some(random, "'" + word(random) + "'"),
                            some(random, "'" + word(random) + "'"),
                            some(random, "x'" + Integer.toHexString(16 + random.nextInt(240)) + "'"),
                            some(
                                    random,
                                    "'20" + (10 + random.nextInt(5)) + "-0" + (1 + random.nextInt(9)) + "-1"
                                            + random.nextInt(9) + "'"),
                            some(
                                    random,
                                    "'2011-01-0" + (1 + random.nextInt(9)) + " 1" + random.nextInt(9) + ":00:00."
                                            + random.nextInt(99) + "'"),
                            some(random, "'" + (random.nextInt(900) - 450) + ":0" + random.nextInt(9) + ":11'"),
                            some(random, 1 + random.nextInt(3)),
                            some(random, 1999 + random.nextInt(7)))
                    + ")");
        }
        admin.execute("INSERT INTO g VALUES " + String.join(",", rows));
        admin.query("ANALYZE TABLE g");
        averages(admin, random);
        admin.execute("CREATE TABLE z (id INT NOT NULL PRIMARY KEY, k INT, d DATE, t DATETIME) ENGINE=InnoDB"
                + " PARTITION BY HASH (id) PARTITIONS 3");
        admin.execute("INSERT INTO z VALUES (1,1,'0000-00-00','2001-00-00'), (2,1,'2004-00-01','2001-05-05'),"
                + " (3,2,'2004-02-01','2001-05-05'), (4,2,NULL,'0000-00-00'), (5,3,'2004-02-00',NULL),"
                + " (6,NULL,'0000-00-00','2004-01-01')");
        admin.query("ANALYZE TABLE z");
    }

    private static void averages(WireConnection admin, Random random) throws Exception {
        StringBuilder columns = new StringBuilder();
        SCALES.forEach(scale -> columns.append(", d" + scale + " DECIMAL(" + (scale + 4) + "," + scale + ")"));
        admin.execute("CREATE TABLE a (id INT NOT NULL PRIMARY KEY, k INT" + columns + ") ENGINE=InnoDB"
                + " PARTITION BY HASH (id) PARTITIONS 3");
        List<String> rows = new ArrayList<>();
        for (int id = 0; id < 700; id++) {
            List<String> values = new ArrayList<>();
            for (int scale : SCALES) {
                String sign = random.nextBoolean() ? "-" : "";
                String fraction = IntStream.range(0, scale)
                        .mapToObj(i -> Integer.toString(random.nextInt(10)))
                        .reduce("0", String::concat);
                values.add(some(random, sign + random.nextInt(3) * random.nextInt(200) + "." + fraction));
            }
            rows.add("(" + id + "," + random.nextInt(60) + "," + String.join(",", values) + ")");
        }
        admin.execute("INSERT INTO a VALUES " + String.join(",", rows));
        admin.query("ANALYZE TABLE a");
    }

    /** Which of several equal but different values is returned depends on the plan. */
    private static String word(Random random) {
        return List.of("a", "B", "é", "f", "k", "Zz", "zä", "a b").get(random.nextInt(8))
                + (random.nextBoolean() ? "" : random.nextInt(30));
    }

    private static String some(Random random, Object value) {
        return random.nextInt(9) == 0 ? "NULL" : String.valueOf(value);
    }
}

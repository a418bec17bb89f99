package io.fanfold.it.values;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.util.List;

/** JSON built from values that were transferred into a final query. Each group has one row, so its order is unique. */
class JsonIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_json", JsonIT::create);

    private static final List<String> COLUMNS =
            List.of("d", "dt", "tm", "tm2", "y", "u", "b", "tiny", "dec1", "l1", "mb", "fixed");

    @AllServers
    void valuesKeepTheirTypes(TestServer server) throws Exception {
        try (SameAsServer same =
                DATABASE.compared(server, ProxySetup.ofDegree(3).approximate())) {
            for (String column : COLUMNS) {
                same.fansOut("SELECT id, JSON_ARRAYAGG(" + column + "), JSON_OBJECTAGG(k, " + column
                        + ") FROM t WHERE id < 90 GROUP BY id ORDER BY id");
                same.fansOut("SELECT JSON_ARRAYAGG(" + column + "), JSON_OBJECTAGG(k, " + column
                        + ") FROM t WHERE id + 0 = 2");
                same.fansOut("SELECT JSON_OBJECTAGG(" + column + ", u) FROM t WHERE id + 0 = 2");
            }
            same.same("SELECT JSON_ARRAYAGG(l1), JSON_ARRAYAGG(mb), JSON_OBJECTAGG(k, mb) FROM t WHERE id + 0 = 95");
            same.fansOut("SELECT id, JSON_ARRAYAGG(id > 2), JSON_ARRAYAGG(TRUE), JSON_ARRAYAGG(dec1 * 2),"
                    + " JSON_ARRAYAGG(IFNULL(dec1, id)) FROM t WHERE id < 90 GROUP BY id ORDER BY id");
        }
    }

    @AllServers
    void typesThatJsonShowsDifferentlyAreRefused(TestServer server) throws Exception {
        try (SameAsServer same =
                DATABASE.compared(server, ProxySetup.ofDegree(3).approximate())) {
            for (String column : List.of("dbl", "txt", "vb", "en", "bt")) {
                same.passesThrough(
                        "SELECT id, JSON_ARRAYAGG(" + column + ") FROM t WHERE id < 90 GROUP BY id ORDER BY id",
                        Reason.ARGUMENT_TYPE);
            }
            same.passesThrough("SELECT JSON_ARRAYAGG(zf) FROM t WHERE id + 0 = 2", Reason.KEY_TYPE);
            same.passesThrough("SELECT JSON_ARRAYAGG(dec65) FROM t WHERE id + 0 = 2", Reason.KEY_TYPE);
            same.passesThrough("SELECT JSON_ARRAYAGG(y) FROM t WHERE id + 0 = 94", Reason.VALUE);
        }
    }

    /**
     * MariaDB shows a condition as true or false. MySQL shows a decimal with as many digits as it was computed with.
     */
    @AllServers
    void derivedColumnsThatJsonShowsInMoreDetailAreRefused(TestServer server) throws Exception {
        boolean mySql = server.kind() == ServerFlavor.MYSQL;
        try (SameAsServer same =
                DATABASE.compared(server, ProxySetup.ofDegree(3).approximate())) {
            for (String condition : List.of("id > 2", "TRUE", "d IS NULL", "NOT id", "IF(id > 2, tiny > 2, FALSE)")) {
                arrayOf(same, condition, mySql);
            }
            for (String decimal : List.of("dec1 * 2", "IFNULL(dec1, id)", "IF(id > 2, id, dec1)")) {
                arrayOf(same, decimal, !mySql);
            }
            for (String other : List.of("id + 1", "dec1", "d - INTERVAL 1 DAY", "CONCAT(mb, l1)", "tiny")) {
                arrayOf(same, other, true);
            }
        }
    }

    private static void arrayOf(SameAsServer same, String computed, boolean fansOut) throws Exception {
        String statement = "SELECT x.id, JSON_ARRAYAGG(x.c) FROM (SELECT id, " + computed
                + " AS c FROM t) x WHERE x.id < 90 GROUP BY x.id ORDER BY x.id";
        same.fansOutIf(fansOut, statement, Reason.ARGUMENT_TYPE);
    }

    /** MariaDB treats a text as JSON if a CHECK constraint requires it to be valid, as its own JSON type does. */
    @AllServers
    void textsThatAreJsonAreRefused(TestServer server) throws Exception {
        boolean mySql = server.kind() == ServerFlavor.MYSQL;
        String inside =
                "SELECT JSON_ARRAYAGG(x.j) FROM (SELECT id, MAX(j) AS j FROM checked GROUP BY id) x WHERE x.id = 2";
        String plain = "SELECT JSON_ARRAYAGG(x.mb) FROM (SELECT id, MAX(mb) AS mb FROM t WHERE id < 90 GROUP BY id) x"
                + " WHERE x.id = 2";
        String gathered = "SELECT id, JSON_OBJECTAGG(id, j) FROM checked WHERE id < 90 GROUP BY id ORDER BY id";
        String joined = "SELECT t.id, JSON_ARRAYAGG(checked.j) FROM t JOIN checked ON t.id = checked.id"
                + " WHERE t.p > 1 GROUP BY t.id ORDER BY t.id";
        String whole = "SELECT p, JSON_ARRAYAGG(j) FROM checked GROUP BY p ORDER BY p";
        try (SameAsServer same = DATABASE.compared(server, 3)) {
            same.passesThrough(inside, mySql ? Reason.AGGREGATE : Reason.ARGUMENT_TYPE);
            same.passesThrough(gathered, Reason.AGGREGATE);
            same.passesThrough(plain, Reason.AGGREGATE);
            same.fansOut("SELECT j, COUNT(*) FROM checked GROUP BY j");
        }
        try (SameAsServer same =
                DATABASE.compared(server, ProxySetup.ofDegree(3).approximate())) {
            same.fansOutIf(mySql, inside, Reason.ARGUMENT_TYPE);
            same.fansOut(plain);
            same.fansOutIf(mySql, gathered, Reason.ARGUMENT_TYPE);
            same.fansOutIf(mySql, joined, Reason.ARGUMENT_TYPE);
            same.fansOut(whole);
        }
    }

    private static void create(WireConnection admin) throws Exception {
        admin.execute("CREATE TABLE t (id INT NOT NULL, p INT NOT NULL, k VARCHAR(20) NOT NULL, d DATE, dt DATETIME(6),"
                + " tm TIME, tm2 TIME(2), y YEAR, u BIGINT UNSIGNED, b BIGINT, tiny TINYINT, dec1 DECIMAL(12,4),"
                + " l1 VARCHAR(30) CHARACTER SET latin1, mb VARCHAR(30), fixed CHAR(9), dec65 DECIMAL(65,30),"
                + " dbl DOUBLE, txt TEXT, vb VARBINARY(9), en ENUM('a','b'), bt BIT(9), zf INT ZEROFILL,"
                + " PRIMARY KEY (id, p)) ENGINE=InnoDB PARTITION BY HASH (p) PARTITIONS 4");
        admin.execute("INSERT INTO t (id, p, k) VALUES (0, 0, 'nothing else')");
        admin.execute("INSERT INTO t VALUES"
                + " (1, 1, 'k1', '2001-02-03', '2001-02-03 04:05:06.789', '04:05:06', '-838:59:58.25', 2005,"
                + " 18446744073709551615, -9223372036854775808, -128, -1.5, 'é/x', '😀/é', 'c c', 1,"
                + " 1.5, 'text', 'x', 'a', 5, 42),"
                + " (2, 2, 'é', '9999-12-31', '9999-12-31 23:59:59.999999', '-00:00:01', '00:00:00',"
                + " 1901, 9223372036854775808, 9223372036854775807, 127, 99999999.9999, 'é', '1', 'é', 1, 1e300,"
                + " '', '', 'b', 0, 0),"
                + " (3, 3, '😀', '1000-01-01', '1000-01-01', '838:59:59', '12:00:00.99', 2155, 0, 0, 0, 0, '', '', '',"
                + " 0, 0, 'é', 'y', NULL, 511, 7)");
        admin.execute("INSERT INTO t (id, p, k, y, l1, mb) VALUES (94, 4, 'the year zero', 0, '', ''),"
                + " (95, 5, 'k\"\\\\', 2000, 'é\"\\\\', '😀\"\\\\\\n')");
        admin.query("ANALYZE TABLE t");
        admin.execute("CREATE TABLE checked (id INT, p INT, j VARCHAR(30) CHECK (JSON_VALID(j)), PRIMARY KEY (id, p))"
                + " ENGINE=InnoDB PARTITION BY HASH (p) PARTITIONS 3");
        admin.execute(
                "INSERT INTO checked VALUES (1, 1, '7'), (2, 2, '[1, 2]'), (3, 3, 'true'), (4, 4, NULL), (5, 5, '[]')");
        admin.query("ANALYZE TABLE checked");
    }
}

package io.fanfold.it.values;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.util.List;

/** Texts made from numbers that are longer than announced. Whether servers truncate them depends on their plans. */
class CutTextsIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_cut", admin -> {
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, g INT, tm TIME, d DECIMAL(5,5), s VARCHAR(9)"
                + " CHARACTER SET utf8mb4, i INT) PARTITION BY HASH (id) PARTITIONS 2");
        admin.execute("INSERT INTO t VALUES (1, 1, '838:59:59', -0.12345, '\ud83d\ude00', -2147483648),"
                + " (2, 1, '837:00:00', -0.12346, '\ud83d\ude01', -2147483646),"
                + " (3, 2, '836:59:59', -0.12345, '\ud83d\ude02', -2147483648),"
                + " (4, 2, '837:00:00', -0.12346, '\ud83d\ude01', -2147483646)");
        admin.execute("CREATE TABLE n (a INT, b INT, KEY (b)) PARTITION BY HASH (a) PARTITIONS 3");
        admin.execute("INSERT INTO n VALUES (3, 1), (4, 2), (5, 7)");
        admin.execute("CREATE TABLE m (a INT NOT NULL)");
        admin.execute("INSERT INTO m VALUES (29)");
    });

    private static final List<String> COUNTS = List.of(
            "SELECT COUNT(DISTINCT CONCAT(%s)) FROM t",
            "SELECT g, COUNT(DISTINCT CONCAT('a', %s), g) FROM t GROUP BY g",
            "SELECT CONCAT(%s) k, id FROM t ORDER BY k, id LIMIT 3");

    @AllServers
    void textsLongerThanAnnouncedPassThrough(TestServer server) throws Exception {
        List<String> longer =
                server.kind() == ServerFlavor.MARIADB ? List.of("d", "HOUR(tm)", "ORD(s)", "i DIV 2") : List.of("d");
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            for (String number : longer) {
                for (String statement : COUNTS) {
                    same.passesThrough(statement.replace("%s", number), Reason.VALUE);
                }
            }
            same.passesThrough("SELECT CONCAT(d) k, COUNT(*) FROM t GROUP BY k", Reason.VALUE);
            same.passesThrough("SELECT CONCAT('a', d, 'b') k, COUNT(*) FROM t GROUP BY k ORDER BY k", Reason.VALUE);
            same.fansOut("SELECT CONCAT(-d) k, COUNT(*) FROM t GROUP BY k");
        }
    }

    /**
     * The final query creates the texts from merged numbers. If the server uses a temporary table, it has truncated
     * them.
     */
    @AllServers
    void textsOfTheFinalQueryPassThrough(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            for (String statement : List.of(
                    "SELECT d, CONCAT(d), COUNT(*) FROM t GROUP BY d",
                    "SELECT CONCAT(d), COUNT(*) FROM t GROUP BY d ORDER BY 1",
                    "SELECT d, CONCAT(d), COUNT(*) FROM t GROUP BY d HAVING CONCAT(d) > '-0.12345'")) {
                same.passesThrough(statement, Reason.VALUE);
            }
            same.fansOut("SELECT -d, CONCAT(-d), COUNT(*) FROM t GROUP BY d");
            same.fansOut("SELECT g, CONCAT(g), COUNT(*) FROM t GROUP BY g");
        }
    }

    /** For HAVING, MariaDB reads MIN and MAX from the index although no row remains, but not under an alias. */
    @AllServers
    void extremesOfAnEmptyJoinAreNullInHaving(TestServer server) throws Exception {
        String join = " FROM n JOIN m WHERE m.a > 100 HAVING ";
        String byName = "SELECT MAX(n.b) AS f" + join + "f <> 6";
        String written = "SELECT MAX(n.b) AS f" + join + "MAX(n.b) <> 6";
        try (SameAsServer same = DATABASE.compared(server, 2);
                WireConnection direct = same.proxy().direct();
                WireConnection proxied = same.proxy().proxied()) {
            same.fansOut(byName);
            direct.execute("USE it_cut");
            proxied.execute("USE it_cut");
            same.proxy().forget();
            assertThat(proxied.query(written).rows()).isEmpty();
            assertThat(same.proxy().outcome().fannedOut()).isTrue();
            assertThat(direct.query(written).rows()).hasSize(server.kind() == ServerFlavor.MARIADB ? 1 : 0);
        }
    }

    @AllServers
    void textsAsLongAsAnnouncedAreSplit(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            for (String number :
                    List.of("id", "d + 1", "LEFT(s, 1)", "HEX(s)", "CAST(g AS CHAR(9))", "REPEAT(s, 2)", "i")) {
                for (String statement : COUNTS) {
                    same.fansOut(statement.replace("%s", number));
                }
            }
        }
    }
}

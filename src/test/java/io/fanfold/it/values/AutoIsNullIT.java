package io.fanfold.it.values;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import java.util.List;

/**
 * With sql_auto_is_null=1, the first {@code id IS NULL} after an INSERT finds the new row. So the client's statement
 * must run before any query of the proxy.
 */
class AutoIsNullIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_auto_is_null", AutoIsNullIT::create);

    @AllServers
    void theNewRowIsFoundOnceAsDirect(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            same.onBoth("SET sql_auto_is_null = 1");
            for (String select : List.of(
                    "SELECT v FROM t WHERE id IS NULL",
                    "SELECT SUM(v) FROM t WHERE id is  null",
                    "SELECT v, COUNT(*) FROM t WHERE id IS /* a row */ NULL GROUP BY v")) {
                // each session inserts a row in turn, so each has an id of its own
                same.onBoth("INSERT INTO t (v) VALUES (42)");
                same.passesThrough(select, Reason.SESSION_VARIABLE);
                same.passesThrough(select, Reason.SESSION_VARIABLE);
            }
        }
    }

    /** Without that setting, an IS NULL condition does not prevent a split. */
    @AllServers
    void otherSessionsAreSplit(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            same.fansOut("SELECT COUNT(*), SUM(v) FROM t WHERE n IS NULL");
            same.fansOut("SELECT v, COUNT(*) FROM t WHERE n IS NOT NULL GROUP BY v ORDER BY v");
        }
    }

    private static void create(WireConnection admin) throws Exception {
        admin.execute("CREATE TABLE t (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, v INT, n INT) ENGINE=InnoDB"
                + " PARTITION BY HASH (id) PARTITIONS 4");
        admin.execute("INSERT INTO t (v, n) VALUES (1, 1), (2, NULL), (3, 3), (4, NULL), (5, 5)");
    }
}

package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;

/**
 * Each partition query runs the statement's subqueries again. A statement whose subqueries read most of its rows is not
 * split. Here the proxy compares costs, as it does by default.
 */
class RepeatedSubqueryIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_repeated", "", admin -> {
        admin.execute("CREATE TABLE numbers (n INT PRIMARY KEY) ENGINE=InnoDB");
        admin.execute("INSERT INTO numbers WITH RECURSIVE c AS (SELECT 0 n UNION ALL SELECT n + 1 FROM c WHERE n < 999)"
                + " SELECT n FROM c");
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 8");
        admin.execute("INSERT INTO t SELECT n, n % 17 FROM numbers");
        admin.execute("CREATE TABLE few (v INT, w INT) ENGINE=InnoDB");
        admin.execute("INSERT INTO few SELECT n, n FROM numbers WHERE n < 10");
        admin.execute("CREATE TABLE many (v INT, w INT) ENGINE=InnoDB");
        admin.execute("INSERT INTO many SELECT n, n FROM numbers");
        admin.query("ANALYZE TABLE numbers, t, few, many");
    });

    private static String sums(String table) {
        return "SELECT COUNT(*), SUM(id) FROM t WHERE v IN (SELECT v FROM " + table + " GROUP BY v HAVING SUM(w) > 5)";
    }

    @AllServers
    void subqueriesThatReadMostRowsPreventTheSplit(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(2);
        try (SameAsServer same =
                DATABASE.compared(server, setup.withFanOut(setup.fanOut().withMinRows(1)))) {
            same.passesThrough(sums("many"), Reason.WORSE_PLAN);
            assertThat(same.fansOut(sums("few")).partitions()).isEqualTo(8);
        }
    }
}

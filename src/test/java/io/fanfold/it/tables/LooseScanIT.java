package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import org.junit.jupiter.api.Test;

/**
 * DISTINCT aggregates over an index: partition queries read only the first entry of each group, as a split by hand
 * does, if the server can. The server counts the rows; time is not measured. Reading the catalog must not change
 * MySQL's plans, see {@link io.fanfold.catalog.CatalogLoader#MYSQL_PARTITIONS}.
 */
@OnServers({ServerName.MARIADB, ServerName.MYSQL})
class LooseScanIT {
    private static final int ROWS = 131_072;
    private static final int DAYS = 40;

    private final TestServer server;

    LooseScanIT(TestServer server) {
        this.server = server;
    }

    @Test
    void distinctValuesOfAnIndexAreSkippedTo() throws Exception {
        try (SameAsServer same = SameAsServer.owning(
                        ProxiedServer.start(server, ProxySetup.ofDegree(2).keyRanges()));
                WireConnection admin = same.proxy().direct()) {
            create(admin);
            same.proxy().tablesChanged();
            for (String sql : new String[] {
                "SELECT COUNT(DISTINCT day) FROM it_loose.orders",
                "SELECT COUNT(DISTINCT day), SUM(DISTINCT day) FROM it_loose.orders",
                "SELECT day, COUNT(DISTINCT day) FROM it_loose.orders GROUP BY day",
                "SELECT COUNT(DISTINCT day, shop) FROM it_loose.orders",
                "SELECT day, COUNT(DISTINCT shop) FROM it_loose.orders GROUP BY day"
            }) {
                same.fansOut(sql);
                assertThat(read(same, admin, sql)).as("%s: %s", server, sql).isLessThan(ROWS / 4L);
            }
            // the server alone skips entries
            for (String sql : new String[] {
                "SELECT COUNT(DISTINCT shop) FROM it_loose.by_id",
                "SELECT shop, COUNT(DISTINCT day) FROM it_loose.by_id GROUP BY shop",
                "SELECT MIN(shop), MAX(shop) FROM it_loose.by_id"
            }) {
                same.passesThrough(sql, Reason.ALREADY_FAST);
            }
            // no index allows skipping here
            String all = "SELECT COUNT(DISTINCT day), SUM(v) FROM it_loose.orders";
            same.fansOut(all);
            assertThat(read(same, admin, all)).as(all).isGreaterThanOrEqualTo(ROWS);
        }
    }

    /** Returns the number of rows that the server reads for a statement through the proxy. */
    private static long read(SameAsServer same, WireConnection admin, String sql) throws Exception {
        try (WireConnection client = same.proxy().proxied()) {
            client.query(sql);
            same.proxy().forget();
            long before = read(admin);
            client.query(sql);
            assertThat(same.proxy().outcome().reason()).as(sql).isNull();
            return read(admin) - before;
        }
    }

    private static long read(WireConnection admin) throws Exception {
        long sum = 0;
        for (Row row : admin.query("SHOW GLOBAL STATUS WHERE Variable_name IN"
                        + " ('Handler_read_first', 'Handler_read_key', 'Handler_read_next', 'Handler_read_rnd_next')")
                .rows()) {
            sum += Long.parseLong(String.valueOf(row.ascii(1)));
        }
        return sum;
    }

    private static void create(WireConnection admin) throws Exception {
        admin.execute("DROP DATABASE IF EXISTS it_loose");
        admin.execute("CREATE DATABASE it_loose");
        admin.execute(
                "CREATE TABLE it_loose.orders (day INT NOT NULL, shop INT NOT NULL, id INT NOT NULL, v INT NOT NULL,"
                        + " PRIMARY KEY (day, shop, id)) ENGINE=InnoDB PARTITION BY HASH (day) PARTITIONS 4");
        admin.execute("INSERT INTO it_loose.orders VALUES (0, 0, 0, 1)");
        for (int rows = 1; rows < ROWS; rows *= 2) {
            admin.execute("INSERT INTO it_loose.orders SELECT (id + " + rows + ") % " + DAYS + ", (id + " + rows
                    + ") % 3, id + " + rows + ", v FROM it_loose.orders");
        }
        admin.execute(
                "CREATE TABLE it_loose.by_id (id INT NOT NULL PRIMARY KEY, shop INT NOT NULL, day INT NOT NULL, KEY (shop, day))"
                        + " ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 4 AS SELECT id, shop, day FROM it_loose.orders");
        admin.query("ANALYZE TABLE it_loose.by_id");
        admin.query("ANALYZE TABLE it_loose.orders");
    }
}

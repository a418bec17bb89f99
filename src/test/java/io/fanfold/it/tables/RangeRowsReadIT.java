package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.HandlerReads;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.util.List;
import java.util.Map;

/**
 * Workers that share the ranges of a key read no more rows together than the server reads for the whole statement: no
 * range is read by a scan of the table. The server counts the rows that its handlers read.
 */
class RangeRowsReadIT {
    /** Rows of the groups of each range, one row behind each range, and what workers ask besides, see {@link RowsReadIT}. */
    private static final long MORE = 500;

    private static final int ROWS = 20_000;

    /** The definitions of the index that ends with the key, by table. */
    private static final Map<String, String> TABLES =
            Map.of("plain", "PRIMARY KEY (id)", "tenants", "PRIMARY KEY (tenant, id)");

    private static final List<String> STATEMENTS = List.of(
            "SELECT SUM(v), AVG(n), MAX(n) FROM T",
            "SELECT n % 10, COUNT(*), SUM(v) FROM T GROUP BY n % 10",
            "SELECT SUM(v), COUNT(*) FROM T WHERE tenant = 1",
            "SELECT v, COUNT(*) FROM T WHERE tenant = 1 AND n <> 3 GROUP BY v",
            "SELECT n, id FROM T WHERE v = 5 ORDER BY n, id LIMIT 20");

    @AllServers
    void workersReadEachRowOnce(TestServer server) throws Exception {
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(2).keyRanges());
                WireConnection admin = proxy.direct();
                WireConnection hand = proxy.direct();
                WireConnection client = proxy.proxied()) {
            create(admin);
            proxy.tablesChanged();
            hand.execute("USE it_range_reads");
            client.execute("USE it_range_reads");
            HandlerReads reads = new HandlerReads(admin, client);
            for (String table : TABLES.keySet()) {
                for (String statement : STATEMENTS) {
                    String sql = statement.replace("FROM T", "FROM " + table);
                    HandlerReads.Work direct = () -> hand.query(sql);
                    long alone = Math.min(reads.during(direct), reads.during(direct));
                    assertThat(alone).as(sql).isGreaterThan(ROWS / 5);
                    // the first execution finds the ranges, and runs the queries that run once per connection
                    client.query(sql);
                    HandlerReads.Split split = reads.ofSplit(sql, proxy);
                    assertThat(split.outcome().fannedOut()).as(sql).isTrue();
                    assertThat(split.outcome().partitions()).as(sql).isGreaterThan(1);
                    // the server itself reads rows now and then
                    long workers = split.workers() > alone + MORE
                            ? reads.ofSplit(sql, proxy).workers()
                            : split.workers();
                    assertThat(workers).as("%s on %s", sql, server).isLessThanOrEqualTo(alone + MORE);
                }
            }
        }
    }

    private static void create(WireConnection admin) throws Exception {
        admin.execute("DROP DATABASE IF EXISTS it_range_reads");
        admin.execute("CREATE DATABASE it_range_reads");
        admin.execute("USE it_range_reads");
        admin.execute("CREATE TABLE digits (d INT PRIMARY KEY) ENGINE=InnoDB");
        admin.execute("INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)");
        for (Map.Entry<String, String> table : TABLES.entrySet()) {
            admin.execute("CREATE TABLE " + table.getKey() + " (id INT NOT NULL, tenant INT NOT NULL, n INT NOT NULL,"
                    + " v INT NOT NULL, " + table.getValue() + ") ENGINE=InnoDB");
            admin.execute("INSERT INTO " + table.getKey() + " SELECT id, id % 3, id % 100, id % 17 FROM (SELECT"
                    + " a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS id"
                    + " FROM digits a, digits b, digits c, digits e, digits f WHERE f.d < 2) numbers");
            admin.query("ANALYZE TABLE " + table.getKey());
        }
    }
}

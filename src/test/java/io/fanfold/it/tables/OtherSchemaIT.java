package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import java.util.List;

/** The same text in two schemas refers to two tables. Findings about one do not apply to the other. */
class OtherSchemaIT {
    private static final String STATEMENT = "SELECT g, COUNT(*) FROM t GROUP BY g ORDER BY COUNT(*) * g, g";

    @AllServers
    void refusalsHoldInTheirSchema(TestServer server) throws Exception {
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(3).withFinalQueryRows(99));
                SameAsServer same = new SameAsServer(proxy)) {
            create(proxy, "it_few", 50);
            create(proxy, "it_many", 5000);
            proxy.tablesChanged();
            for (String use : List.of("USE ", "/* to */ USE ")) {
                same.onBoth(use + "it_many");
                same.passesThrough(STATEMENT, Reason.FINAL_QUERY_FAILED);
                same.passesThrough(STATEMENT, Reason.FINAL_QUERY_FAILED);
                same.onBoth(use + "it_few");
                same.fansOut(STATEMENT);
                same.onBoth(use + "it_many");
                same.passesThrough(STATEMENT, Reason.FINAL_QUERY_FAILED);
            }
        }
    }

    /** Before the server has named the schema, a name may mean each of these tables. */
    @AllServers
    void theSmallerTableIsPartitionedOtherwise(TestServer server) throws Exception {
        String local = "SELECT g, AVG(id) * 2 FROM schemed GROUP BY g";
        try (ProxiedServer proxy = ProxiedServer.start(server, ProxySetup.ofDegree(3));
                SameAsServer same = new SameAsServer(proxy)) {
            create(
                    proxy,
                    "it_by_id",
                    "schemed",
                    "id INT PRIMARY KEY, g INT NOT NULL",
                    "PARTITION BY HASH (id) PARTITIONS 3",
                    5000);
            create(
                    proxy,
                    "it_by_g",
                    "schemed",
                    "id INT, g INT, PRIMARY KEY (id, g)",
                    "PARTITION BY HASH (g) PARTITIONS 3",
                    500);
            proxy.tablesChanged();
            same.onBoth("USE it_by_g");
            same.fansOut(local);
            same.onBoth("USE it_by_id");
            same.passesThrough(local, Reason.AVG_IN_EXPRESSION);
            same.onBoth("USE it_by_g");
            same.fansOut(local);
        }
    }

    /** A statement over the table that is not split must not pay for the split of the other one. */
    @AllServers
    void theServerIsAskedOnceAboutATableWithoutPartitions(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, ProxySetup.ofDegree(3));
                SameAsServer same = new SameAsServer(proxy);
                WireConnection client = proxy.proxied()) {
            create(
                    proxy,
                    "it_parts",
                    "halved",
                    "id INT PRIMARY KEY, g INT",
                    "PARTITION BY HASH (id) PARTITIONS 3",
                    500);
            create(proxy, "it_whole_table", "halved", "id INT PRIMARY KEY, g INT", "", 500);
            proxy.tablesChanged();
            same.onBoth("USE it_parts");
            same.fansOut("SELECT SUM(g) FROM halved");
            client.execute("USE it_whole_table");
            long before = shown(client);
            for (int i = 0; i < 5; i++) {
                proxy.forget();
                client.query("SELECT SUM(g) FROM halved WHERE id > " + i);
                assertThat(proxy.outcome().reason()).isEqualTo(Reason.NO_PARTITIONED_TABLE);
            }
            assertThat(shown(client)).as("SHOW CREATE TABLE of the preflight").isLessThanOrEqualTo(before + 1);
            same.fansOut("SELECT SUM(g) FROM halved");
        }
    }

    private static long shown(WireConnection client) throws Exception {
        return Long.parseLong(String.valueOf(client.query("SHOW SESSION STATUS LIKE 'Com_show_create_table'")
                .rows()
                .get(0)
                .ascii(1)));
    }

    private static void create(
            ProxiedServer proxy, String schema, String table, String columns, String partitions, int rows)
            throws Exception {
        try (WireConnection admin = proxy.direct()) {
            for (String sql : List.of(
                    "DROP DATABASE IF EXISTS " + schema,
                    "CREATE DATABASE " + schema,
                    "USE " + schema,
                    "CREATE TABLE " + table + " (" + columns + ") " + partitions,
                    "INSERT INTO " + table
                            + " WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 80)"
                            + " SELECT a.i * 80 + b.i, b.i % 7 FROM n a JOIN n b LIMIT " + rows,
                    "ANALYZE TABLE " + table)) {
                admin.query(sql);
            }
        }
    }

    private static void create(ProxiedServer proxy, String schema, int groups) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            for (String sql : List.of(
                    "DROP DATABASE IF EXISTS " + schema,
                    "CREATE DATABASE " + schema,
                    "CREATE TABLE " + schema
                            + ".t (id INT PRIMARY KEY, g INT NOT NULL) PARTITION BY HASH (id) PARTITIONS 4",
                    "INSERT INTO " + schema
                            + ".t WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 80)"
                            + " SELECT a.i * 80 + b.i, (a.i * 80 + b.i) % " + groups + " FROM n a JOIN n b")) {
                admin.query(sql);
            }
        }
    }
}

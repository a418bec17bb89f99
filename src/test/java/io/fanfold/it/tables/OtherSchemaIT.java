package io.fanfold.it.tables;

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

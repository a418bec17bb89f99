package io.fanfold.it.support.data;

import io.fanfold.client.WireConnection;
import io.fanfold.config.Secret;
import io.fanfold.demo.DemoData;
import io.fanfold.demo.Endpoint;
import io.fanfold.demo.Steps;
import io.fanfold.demo.WireSqlClient;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/** The tables of the Star Schema Benchmark in a database of a test server, loaded by the first test that needs them. */
public final class SsbTables {
    public static final String DATABASE = "it_ssb";

    /** 60,000 rows of lineorder. */
    private static final BigDecimal SCALE = new BigDecimal("0.01");

    private SsbTables() {}

    /**
     * Loads the tables if they are missing, and refreshes the proxy's catalog. The statistics of the partitioned table
     * are computed from all its pages and stay fixed. So the same partition query has the same plan on each connection.
     */
    public static void ensure(ProxiedServer proxy) throws Exception {
        TestServer server = proxy.server();
        Endpoint endpoint =
                new Endpoint(server.host(), server.port(), server.adminUser(), new Secret(server.adminPassword()));
        PrintStream progress = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        new DemoData(WireSqlClient::open, endpoint, DATABASE, false, new Steps(progress, false)).ensure(SCALE, 2);
        try (WireConnection admin = proxy.direct()) {
            admin.execute("USE " + DATABASE);
            admin.execute("ALTER TABLE lineorder STATS_AUTO_RECALC = 0, STATS_SAMPLE_PAGES = 10000");
            admin.query("ANALYZE TABLE lineorder");
            admin.execute("FLUSH LOCAL TABLES lineorder");
        }
        // catalog queries of the proxy must not change their plans either
        proxy.tablesChanged();
    }
}

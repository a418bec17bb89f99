package io.fanfold.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.backend.WireConnection;
import io.fanfold.cli.demo.DemoData;
import io.fanfold.cli.demo.DemoQuery;
import io.fanfold.cli.demo.Endpoint;
import io.fanfold.cli.demo.SsbQueries;
import io.fanfold.cli.demo.WireSqlClient;
import io.fanfold.config.Secret;
import io.fanfold.it.BenchmarkQueries.Query;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The thirteen queries of the Star Schema Benchmark over the demo's rows, straight and through the proxy. */
class SsbIT {
    private static final BigDecimal SCALE = new BigDecimal("0.01");

    /** All of them aggregate over joins of the partitioned table, without anything that stands against a split. */
    @AllServers
    void everyQueryIsSplitAndAnsweredAsTheServerDoes(TestServer server) throws Exception {
        List<DemoQuery> queries = SsbQueries.ALL.stream()
                .filter(query -> query.name().startsWith("SSB "))
                .toList();
        assertThat(queries.stream().map(DemoQuery::name).distinct()).hasSize(13);
        try (ProxiedServer proxy = ProxiedServer.start(server, 3)) {
            load(proxy);
            try (SameAsServer same = new SameAsServer(proxy)) {
                same.onBoth("USE it_ssb");
                BenchmarkQueries benchmark = new BenchmarkQueries("SSB on " + server, proxy, same);
                for (DemoQuery query : queries) {
                    benchmark.run(new Query(query.name(), BenchmarkQueries.SPLIT, query.sql()));
                }
                benchmark.end();
            }
        }
    }

    private static void load(ProxiedServer proxy) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS it_ssb");
        }
        TestServer server = proxy.server();
        Endpoint endpoint =
                new Endpoint(server.host(), server.port(), server.adminUser(), new Secret(server.adminPassword()));
        PrintStream progress = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        new DemoData(WireSqlClient::open, endpoint, "it_ssb", false, progress, false).ensure(SCALE, 2);
        proxy.tablesChanged();
    }
}

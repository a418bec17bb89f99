package io.fanfold.it.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.demo.DemoQuery;
import io.fanfold.demo.SsbQueries;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.BenchmarkQueries;
import io.fanfold.it.support.data.BenchmarkQueries.Query;
import io.fanfold.it.support.data.SsbTables;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.util.List;

/** The thirteen queries of the Star Schema Benchmark over the demo's rows, direct and through the proxy. */
class SsbIT {
    /** All of them aggregate over joins of the partitioned table, and nothing prevents a split. */
    @AllServers
    void everyQueryIsSplitAndAnsweredAsTheServerDoes(TestServer server) throws Exception {
        List<DemoQuery> queries = SsbQueries.ALL.stream()
                .filter(query -> query.name().startsWith("SSB "))
                .toList();
        assertThat(queries.stream().map(DemoQuery::name).distinct()).hasSize(13);
        try (ProxiedServer proxy = ProxiedServer.start(server, 3)) {
            SsbTables.ensure(proxy);
            try (SameAsServer same = new SameAsServer(proxy)) {
                BenchmarkQueries benchmark = new BenchmarkQueries("SSB on " + server, proxy, same, SsbTables.DATABASE);
                for (DemoQuery query : queries) {
                    benchmark.run(new Query(query.name(), BenchmarkQueries.SPLIT, query.sql()));
                }
                benchmark.end();
            }
        }
    }
}

package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.util.Collections;

class ServerLoadIT {
    private static final String SUM = "SELECT SUM(v) FROM t";
    private static final int ROWS = 9;
    private static final int CORES = 4;

    /** With these, a query takes at least four times as long as on a core that does nothing else. */
    private static final int OTHERS = 4 * CORES;

    @AllServers
    void partitionQueriesCountAsLoadAndTheirTimeIsDividedByIt(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, CORES);
                WireConnection direct = proxy.direct();
                WireConnection client = proxy.proxied()) {
            direct.execute("CREATE DATABASE IF NOT EXISTS it_load");
            direct.execute("USE it_load");
            direct.execute("CREATE OR REPLACE VIEW digit AS SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2");
            direct.execute("DROP TABLE IF EXISTS t");
            direct.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT) PARTITION BY HASH (id) PARTITIONS 4");
            direct.execute("INSERT INTO t SELECT a.d * 3 + b.d, 1 FROM digit a, digit b");
            direct.query("ANALYZE TABLE t");
            proxy.tablesChanged();
            client.execute("USE it_load");
            proxy.forget();
            ServerLoad load = proxy.fanOut().resources().registry().load();
            Collections.nCopies(OTHERS, load).forEach(ServerLoad::begins);
            ServerLoad.Mark begin = load.mark();
            assertThat(client.query(SUM).rows()).hasToString("[" + ROWS + "]");
            assertThat(proxy.outcome().reason()).isNull();
            assertThat(load.meanSince(begin)).isGreaterThan(OTHERS);
            Collections.nCopies(OTHERS, load).forEach(ServerLoad::ends);
            ServerLoad.Mark end = load.mark();
            assertThat(load.meanSince(end)).as("all have ended").isZero();
            String digest = Digest.of("it_load", SUM);
            ExecutionHistory history = proxy.fanOut().resources().history();
            assertThat(history.maySaveWork(digest)).as("this caller times it").isFalse();
            history.unsplit(digest, history.scanNanos(digest, ROWS).orElseThrow() / 2);
            assertThat(history.maySaveWork(digest)).isTrue();
        }
    }
}

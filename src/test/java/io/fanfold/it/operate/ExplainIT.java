package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code EXPLAIN FORMAT=FANFOLD}. */
class ExplainIT {
    /** ER_UNKNOWN_EXPLAIN_FORMAT. */
    private static final int UNKNOWN_FORMAT = 1791;

    private static final TestDatabase DATABASE = new TestDatabase("it_explain", admin -> {
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
        admin.execute("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)");
    });

    private static Map<String, String> explained(WireConnection client, String sql) throws Exception {
        Map<String, String> rows = new LinkedHashMap<>();
        client.query("EXPLAIN FORMAT=FANFOLD " + sql).rows().forEach(row -> rows.put(row.utf8(0), row.utf8(1)));
        return rows;
    }

    @AllServers
    void showsThePlanAndTheReason(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        try (ProxiedServer proxy = ProxiedServer.start(server, ProxySetup.ofDegree(2));
                WireConnection client = proxy.proxied()) {
            proxy.tablesChanged();
            client.execute("USE it_explain");
            Map<String, String> split = explained(client, "SELECT v, COUNT(*) FROM t WHERE id > 0 GROUP BY v");
            assertThat(split)
                    .containsEntry("decision", "split")
                    .containsEntry("workers", "2")
                    .containsEntry("snapshot", "verified")
                    .containsEntry("partitions", "3 of 3 of it_explain.t, in 3 queries: p0, p1, p2");
            assertThat(split.get("partition"))
                    .startsWith("SELECT v, COUNT(*) FROM t PARTITION (`p")
                    .contains("WHERE id > 0");
            assertThat(split.get("merge")).startsWith("groups by ");
            assertThat(split).containsKey("answer");

            Map<String, String> refused = explained(client, "SELECT MAX(@a := v) FROM t");
            assertThat(refused).containsEntry("decision", "passed through").containsEntry("reason", "user_variable");
            assertThat(List.copyOf(refused.keySet())).containsExactly("decision", "reason", "because", "found");
            assertThat(explained(client, "SELECT COUNT(nowhere) FROM t"))
                    .containsEntry("reason", "prepare_failed")
                    .hasEntrySatisfying("found", found -> assertThat(found).startsWith("1054: "));
            assertThat(client.query("SELECT COUNT(*) + 0 FROM t WHERE v > 1").rows())
                    .as("the session is as before")
                    .hasToString("[2]");
            client.execute("BEGIN");
            assertThatThrownBy(() -> explained(client, "SELECT COUNT(*) + 0 FROM t"))
                    .as("in a transaction the server answers")
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(UNKNOWN_FORMAT));
            assertThat(client.query("SELECT COUNT(*) + 0 FROM t WHERE v > 1").rows())
                    .hasToString("[2]");
            client.execute("COMMIT");
        }
    }
}

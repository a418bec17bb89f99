package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code EXPLAIN FORMAT=FANFOLD}. */
class ExplainIT {
    /** ER_NOT_SUPPORTED_YET. */
    private static final int NOT_SUPPORTED = 1235;

    private static final TestDatabase DATABASE = new TestDatabase("it_explain", admin -> {
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
        admin.execute("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)");
        admin.execute("CREATE TABLE d (k INT PRIMARY KEY, x INT) ENGINE=InnoDB");
        admin.execute("CREATE TABLE f (id INT, k INT, v INT, PRIMARY KEY (id), KEY (k)) ENGINE=InnoDB"
                + " PARTITION BY HASH (id) PARTITIONS 8");
        admin.execute("INSERT INTO d WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
                + " SELECT a.i * 300 + b.i, b.i % 7 FROM n a JOIN n b");
        admin.execute(
                "INSERT INTO f WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
                        + " SELECT a.i * 3 + b.i, a.i * 3 + b.i, b.i FROM n a JOIN (SELECT 1 i UNION SELECT 2 UNION SELECT 3) b");
        admin.execute("CREATE TABLE many (id INT PRIMARY KEY) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 24");
        admin.execute("INSERT INTO many WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 24)"
                + " SELECT i FROM n");
        admin.query("ANALYZE TABLE d, f");
    });

    private static Map<String, String> explained(WireConnection client, String sql) throws Exception {
        return rows(client, "EXPLAIN FORMAT=FANFOLD " + sql);
    }

    private static Map<String, String> ran(WireConnection client, String sql) throws Exception {
        return rows(client, "ANALYZE FORMAT=FANFOLD " + sql);
    }

    private static Map<String, String> rows(WireConnection client, String sql) throws Exception {
        Map<String, String> rows = new LinkedHashMap<>();
        client.query(sql).rows().forEach(row -> rows.put(row.utf8(0), row.utf8(1)));
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
            client.query("SELECT v FROM t WHERE id = 1 FOR UPDATE");
            assertThat(explained(client, "SELECT COUNT(*) + 0 FROM t"))
                    .as("what the transaction has locked, workers may not see")
                    .containsEntry("reason", "in_transaction");
            client.execute("COMMIT");
        }
    }

    /** Each partition query reads all rows of the other table, so only the time without a split can decide. */
    @AllServers
    void aSplitInDoubtIsShownUntilItIsMeasured(TestServer server) throws Exception {
        String sql = "SELECT STRAIGHT_JOIN SUM(v) FROM d JOIN f ON f.k = d.k WHERE d.x = 5";
        DATABASE.shared(server, 2).close();
        ProxySetup setup = ProxySetup.ofDegree(2);
        try (ProxiedServer proxy = ProxiedServer.start(
                        server, setup.withFanOut(setup.fanOut().withMinRows(1)));
                WireConnection client = proxy.proxied()) {
            proxy.tablesChanged();
            client.execute("USE it_explain");
            assertThat(explained(client, sql))
                    .containsEntry("decision", "split")
                    .containsEntry("next execution", "passed through, to measure the time without a split")
                    .hasEntrySatisfying(
                            "doubt", doubt -> assertThat(doubt).startsWith("the server's plan for the partition"));
            proxy.forget();
            client.query(sql);
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.MEASURED);
            assertThat(explained(client, sql))
                    .as("decided by the time that the execution took")
                    .doesNotContainKeys("next execution", "doubt");
        }
    }

    /** As clients do that leave autocommit off, such as PyMySQL. */
    @AllServers
    void theStatementAfterItIsStillTheFirstOfItsTransaction(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        try (ProxiedServer proxy = ProxiedServer.start(server, ProxySetup.ofDegree(2));
                WireConnection client = proxy.proxied()) {
            proxy.tablesChanged();
            client.execute("USE it_explain");
            client.execute("SET autocommit = 0");
            assertThat(explained(client, "SELECT COUNT(*) + 0 FROM t WHERE v > 1"))
                    .containsEntry("decision", "split");
            assertThat(client.inTransaction()).isFalse();
            proxy.forget();
            assertThat(client.query("SELECT COUNT(*) + 0 FROM t WHERE v > 1").rows())
                    .hasToString("[2]");
            assertThat(proxy.outcome().fannedOut()).isTrue();
            assertThat(client.inTransaction()).isTrue();
            assertThat(ran(client, "SELECT COUNT(*) + 0 FROM t WHERE v > 1"))
                    .as("a later statement")
                    .containsEntry("decision", "split")
                    .containsEntry("returned", "1 rows, 2 bytes");
            assertThatThrownBy(() -> explained(client, "SELECT COUNT(*) + 0 FROM t"))
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(NOT_SUPPORTED));
        }
    }

    @AllServers
    void analyzeRunsTheStatement(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        try (ProxiedServer proxy = ProxiedServer.start(server, ProxySetup.ofDegree(2));
                WireConnection client = proxy.proxied()) {
            proxy.tablesChanged();
            client.execute("USE it_explain");
            proxy.forget();
            Map<String, String> grouped = ran(client, "SELECT v, COUNT(*) FROM t WHERE id > 0 GROUP BY v");
            assertThat(grouped).containsEntry("decision", "split").containsEntry("returned", "3 rows, 12 bytes");
            assertThat(grouped.get("snapshot rounds")).matches("[1-9][0-9]* in .* ms");
            assertThat(grouped.get("time")).contains("read ", "ask ", "workers ", "snapshot ", "partitions ");
            assertThat(proxy.outcome().fannedOut()).isTrue();
            assertThat(ran(client, "SELECT v FROM t WHERE v > 1"))
                    .as("streamed rows")
                    .containsEntry("returned", "2 rows, 4 bytes");
            assertThat(ran(client, "SELECT MAX(@a := v) FROM t")).containsEntry("reason", "user_variable");
            assertThat(ran(client, "SELECT COUNT(nowhere) FROM t")).containsEntry("reason", "prepare_failed");
            assertThat(client.query("SELECT @a").rows()).as("it did not run").hasToString("[NULL]");
        }
    }

    @AllServers
    void furtherPartitionQueriesAreOneRow(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        try (ProxiedServer proxy = ProxiedServer.start(server, ProxySetup.ofDegree(2));
                WireConnection client = proxy.proxied()) {
            proxy.tablesChanged();
            client.execute("USE it_explain");
            assertThat(ran(client, "SELECT SUM(id) FROM many WHERE id > 0"))
                    .containsEntry("returned", "1 rows, 4 bytes")
                    .hasEntrySatisfying(
                            "partition query",
                            last -> assertThat(last).matches("and 4 more: 4 rows, [1-9][0-9]* bytes"));
        }
    }

    @AllServers
    void jsonHasTheSameFacts(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        try (ProxiedServer proxy = ProxiedServer.start(server, ProxySetup.ofDegree(2));
                WireConnection client = proxy.proxied()) {
            proxy.tablesChanged();
            client.execute("USE it_explain");
            JsonNode split =
                    json(client, "EXPLAIN FORMAT=FANFOLD_JSON SELECT v, COUNT(*) FROM t WHERE id > 0 GROUP BY v");
            assertThat(split.get("decision").asText()).isEqualTo("split");
            assertThat(split.get("workers").asInt()).isEqualTo(2);
            assertThat(split.at("/tables/0/partitions")).hasSize(3);
            assertThat(split.at("/plan/0/step").asText()).isEqualTo("partition");
            JsonNode ran =
                    json(client, "ANALYZE FORMAT=FANFOLD_JSON SELECT v, COUNT(*) FROM t WHERE id > 0 GROUP BY v");
            assertThat(ran.at("/partition_queries")).hasSize(3);
            long rows = 0;
            for (JsonNode query : ran.at("/partition_queries")) {
                rows += query.get("rows").asLong();
                assertThat(query.get("worker").asLong()).isPositive();
            }
            assertThat(rows).isEqualTo(3);
            JsonNode refused = json(client, "EXPLAIN FORMAT=FANFOLD_JSON SELECT 1");
            assertThat(refused.get("reason").asText()).isEqualTo("no_partitioned_table");
        }
    }

    private static JsonNode json(WireConnection client, String sql) throws Exception {
        return new ObjectMapper().readTree(client.query(sql).rows().get(0).utf8(0));
    }
}

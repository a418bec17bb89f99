package io.fanfold.it.limits;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.RowStream;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Limits of memory, final queries and worker connections. The server answers statements that exceed them. */
class MemoryIT {
    private static final String GROUPS = "SELECT id, SUM(v) FROM it_slow.big WHERE id < 12000 GROUP BY id";
    private static final String FEW_GROUPS = "SELECT v, COUNT(*) FROM it_slow.big GROUP BY v HAVING SUM(id) > 0";

    /** Statements over materialized rows. WHICH stands for the rows. The last one has its final query on a worker. */
    private static final List<String> GATHERED = List.of(
            "SELECT id, ROW_NUMBER() OVER (PARTITION BY v ORDER BY id DESC) FROM it_slow.big WHERE WHICH",
            "SELECT v, GROUP_CONCAT(id ORDER BY id) FROM it_slow.big WHERE WHICH GROUP BY v ORDER BY v",
            "SELECT AVG(v) / 3 FROM it_slow.big WHERE WHICH",
            "SELECT o.w, x.r FROM (SELECT id, RANK() OVER (ORDER BY v DESC) AS r FROM it_slow.big WHERE WHICH) x"
                    + " JOIN it_slow.other o ON o.id = x.id ORDER BY x.id");

    @AllServers
    void foldBeyondItsMemoryIsLeftToTheServer(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withQueryMemory(100_000));
                SameAsServer same = new SameAsServer(proxy)) {
            for (int i = 0; i < 3; i++) {
                same.passesThrough(GROUPS, Reason.MEMORY);
                same.fansOut(FEW_GROUPS);
            }
            awaitAllBack(proxy, 16);
        }
    }

    @AllServers
    void finalQueryOfTooManyRowsIsNotSent(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withFinalQueryRows(99));
                SameAsServer same = new SameAsServer(proxy)) {
            String order = " GROUP BY v ORDER BY SUM(id) / COUNT(*), v";
            same.passesThrough("SELECT v, COUNT(*) FROM it_slow.big" + order, Reason.FINAL_QUERY_FAILED);
            same.fansOut("SELECT v, COUNT(*) FROM it_slow.big WHERE v < 99" + order);
            // in portions
            same.fansOut(FEW_GROUPS);
            awaitAllBack(proxy, 16);
        }
    }

    /**
     * A single excess row is detected only when all workers' rows are counted together. Many are detected by each
     * worker alone.
     */
    @AllServers
    void tooManyMaterializedRowsAreLeftToTheServer(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withFinalQueryRows(99));
                SameAsServer same = new SameAsServer(proxy)) {
            for (String statement : GATHERED) {
                same.fansOut(statement.replace("WHICH", "id < 99"));
                same.passesThrough(statement.replace("WHICH", "id < 100"), Reason.FINAL_QUERY_FAILED);
                // a statement that differs only in values would pass through because of the previous one
                same.passesThrough(statement.replace("WHICH", "id < 5000 AND v >= 0"), Reason.FINAL_QUERY_FAILED);
                same.fansOut(statement.replace("WHICH", "v < 99 AND id < 99"));
            }
            awaitAllBack(proxy, 16);
        }
    }

    @AllServers
    void fewWorkersServeManyClients(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withConnections(2))) {
            List<Future<String>> clients = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                clients.add(Background.start(() -> ask(proxy, 8)));
            }
            for (Future<String> client : clients) {
                assertThat(client.get(30, TimeUnit.SECONDS)).isEqualTo(SlowTables.SHORT_ANSWER.repeat(8));
            }
            int fannedOut = 0;
            while (!proxy.lookedAtNothing()) {
                ProxiedServer.Outcome outcome = proxy.outcome();
                assertThat(outcome.reason()).isIn(null, Reason.POOL_BUSY);
                assertThat(outcome.degree()).isLessThanOrEqualTo(2);
                fannedOut += outcome.fannedOut() ? 1 : 0;
            }
            assertThat(fannedOut).as("of 48").isPositive();
            awaitAllBack(proxy, 2);
        }
    }

    /** The answer is many times larger than the buffers of the sockets and the proxy. */
    @AllServers
    void clientThatDoesNotReadItsAnswerHoldsNothing(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(3).withSlowClient(Duration.ofSeconds(1));
        try (ProxiedServer proxy = start(server, setup);
                WireConnection client = proxy.proxied()) {
            try (RowStream rows = client.stream(
                    "SELECT id, REPEAT('x', 9000) FROM it_slow.big ORDER BY id LIMIT 9000".getBytes(UTF_8))) {
                assertThat(rows.next()).isNotNull();

                await().atMost(Duration.ofSeconds(20)).until(() -> proxy.cancelled() == 1);

                awaitAllBack(proxy, 16);
                assertThatIOException().isThrownBy(rows::skipRest);
            }
            assertThat(proxy.lookedAtNothing())
                    .as("neither fanned out nor passed through")
                    .isTrue();
        }
    }

    private static String ask(ProxiedServer proxy, int times) throws Exception {
        StringBuilder answers = new StringBuilder();
        try (WireConnection client = proxy.proxied()) {
            for (int i = 0; i < times; i++) {
                answers.append(client.query(SlowTables.SHORT).rows());
            }
        }
        return answers.toString();
    }

    private static void awaitAllBack(ProxiedServer proxy, int workers) {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> proxy.freeWorkers() == workers && proxy.heldMemoryBytes() == 0);
    }

    private static ProxiedServer start(TestServer server, ProxySetup setup) throws Exception {
        ProxiedServer proxy = ProxiedServer.start(server, setup);
        SlowTables.create(proxy);
        return proxy;
    }
}

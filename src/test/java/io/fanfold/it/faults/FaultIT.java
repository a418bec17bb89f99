package io.fanfold.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.load.ChangingTables;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Networks and tables fail in the middle of a split. The answer is correct or an error, and it always arrives. */
class FaultIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Occurs only in partition queries. */
    private static final String PARTITION_QUERY = " PARTITION (";

    /** Each of the 6 partitions sends 1000 rows of at least 10 bytes. */
    private static final String GROUPS = "SELECT id, SUM(v) FROM it_slow.big WHERE id < 6000 GROUP BY id";

    @AllServers
    void cutWorkerCostsTheSplitNotTheAnswer(TestServer server) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withWorkerPort(faults.port()));
                SameAsServer same = new SameAsServer(proxy)) {
            same.fansOut(GROUPS);
            for (long bytes : List.of(0L, 1L, 4L, 5L, 60L, 1_000L, 8_000L)) {
                faults.arm(new FaultProxy.Fault(FaultProxy.Kind.CUT, PARTITION_QUERY, bytes, true));
                same.passesThrough(GROUPS, Reason.WORKER_ERROR);
                assertThat(faults.befallen()).as("cut after %d bytes", bytes).isEqualTo(1);
                same.fansOut(GROUPS);
            }
            faults.arm(new FaultProxy.Fault(FaultProxy.Kind.CUT, PARTITION_QUERY, 500, false));
            same.passesThrough(GROUPS, Reason.WORKER_ERROR);
            faults.disarm();
            same.fansOut(GROUPS);
            await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 16 && proxy.heldMemoryBytes() == 0);
        }
    }

    @AllServers
    void idleWorkersThatWereCutAreReplaced(TestServer server) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withWorkerPort(faults.port()));
                SameAsServer same = new SameAsServer(proxy)) {
            same.fansOut(GROUPS);
            faults.cutAll();
            await().atMost(LIMIT).until(() -> {
                same.same(GROUPS);
                ProxiedServer.Outcome outcome = proxy.outcome();
                assertThat(outcome.reason()).isIn(null, Reason.WORKER_ERROR, Reason.POOL_BUSY);
                return outcome.fannedOut();
            });
        }
    }

    @AllServers
    void silentWorkersDoNotKeepAClientThatIsKilled(TestServer server) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withWorkerPort(faults.port()));
                WireConnection killer = proxy.proxied();
                WireConnection client = proxy.proxied()) {
            faults.arm(new FaultProxy.Fault(FaultProxy.Kind.STALL, PARTITION_QUERY, 1_000, false));
            Future<Reply> reply = Background.ask(client, GROUPS);
            await().atMost(LIMIT).until(() -> faults.befallen() == 3);

            killer.execute("KILL QUERY " + client.threadId());

            assertThat(reply.get(20, TimeUnit.SECONDS))
                    .isEqualTo(new Reply.Failed(1317, "70100", "Query execution was interrupted"));
            faults.disarm();
            await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 16 && proxy.heldMemoryBytes() == 0);
            proxy.forget();
            assertThat(client.query(SlowTables.SHORT).rows().toString()).isEqualTo(SlowTables.SHORT_ANSWER);
            assertThat(proxy.outcome().reason()).isNull();
        }
    }

    @AllServers
    void silentWorkersAreReleasedWhenTheClientLeaves(TestServer server) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withWorkerPort(faults.port()));
                WireConnection client = proxy.proxied()) {
            faults.arm(new FaultProxy.Fault(FaultProxy.Kind.STALL, PARTITION_QUERY, 0, false));
            Future<Reply> reply = Background.ask(client, GROUPS);
            await().atMost(LIMIT).until(() -> faults.befallen() == 3);

            client.abort();

            assertThat(reply).failsWithin(LIMIT);
            await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 16 && proxy.cancelled() == 1);
        }
    }

    @AllServers
    void clientGetsAnErrorWhenItsServerConnectionIsCut(TestServer server) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withClientPort(faults.port()));
                WireConnection admin = proxy.direct()) {
            try (WireConnection client = proxy.proxied()) {
                Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
                SlowTables.awaitBusyWorkers(admin, 3);

                faults.cutAll();

                failsOrBreaks(reply);
                SlowTables.awaitNoBusyWorker(admin);
                await().atMost(LIMIT).until(() -> !client.ping());
            }
            try (WireConnection next = proxy.proxied()) {
                proxy.forget();
                assertThat(next.query(SlowTables.SHORT).rows().toString()).isEqualTo(SlowTables.SHORT_ANSWER);
                assertThat(proxy.outcome().reason()).isNull();
            }
        }
    }

    /** There is no client left to answer, and the proxy itself has not failed. */
    @AllServers
    void clientLostDuringPreflightIsCountedAsLost(TestServer server) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withClientPort(faults.port()))) {
            for (boolean leaves : List.of(true, false)) {
                try (WireConnection client = proxy.proxied()) {
                    faults.arm(new FaultProxy.Fault(FaultProxy.Kind.HOLD, "SHOW CREATE TABLE", 0, true));
                    proxy.forget();
                    Future<Reply> reply = Background.ask(client, SlowTables.SHORT);
                    await().atMost(LIMIT).until(() -> faults.befallen() == 1);

                    if (leaves) {
                        client.abort();
                    } else {
                        faults.cutAll();
                    }

                    failsOrBreaks(reply);
                    assertThat(proxy.outcome().reason()).isEqualTo(Reason.CLIENT_LOST);
                    assertThat(proxy.cancelled()).isZero();
                    faults.disarm();
                    faults.release(1);
                }
            }
            try (WireConnection next = proxy.proxied()) {
                proxy.forget();
                assertThat(next.query(SlowTables.SHORT).rows().toString()).isEqualTo(SlowTables.SHORT_ANSWER);
                assertThat(proxy.outcome().reason()).isNull();
            }
        }
    }

    @AllServers
    void splitsOnceTheServerCanBeReached(TestServer server) throws Exception {
        start(server, ProxySetup.ofDegree(3)).close();
        int port;
        try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = reserved.getLocalPort();
        }
        ProxySetup nowhere = ProxySetup.ofDegree(3).withWorkerPort(port).withClientPort(port);
        try (ProxiedServer proxy = ProxiedServer.start(server, nowhere)) {
            assertThatThrownBy(proxy::proxied).isInstanceOfAny(IOException.class, ServerException.class);
            assertThatThrownBy(proxy::tablesChanged).isInstanceOf(IllegalStateException.class);
            try (FaultProxy reachable = FaultProxy.before(server, port);
                    WireConnection client = proxy.proxied()) {
                assertThat(reachable.port()).isEqualTo(port);
                await().atMost(LIMIT).until(() -> {
                    proxy.forget();
                    assertThat(client.query(SlowTables.SHORT).rows().toString()).isEqualTo(SlowTables.SHORT_ANSWER);
                    return proxy.outcome().fannedOut();
                });
            }
        }
    }

    @AllServers
    void everyAnswerIsOfALegalStateWhilePartitionsChange(TestServer server) throws Exception {
        ProxySetup watching = ProxySetup.ofDegree(3).withCatalogRefresh(Duration.ofMillis(50));
        try (ProxiedServer proxy = ProxiedServer.start(server, watching)) {
            ChangingTables.create(proxy);
            AtomicBoolean stop = new AtomicBoolean();
            List<Future<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(Background.start(() -> read(proxy, stop)));
            }
            try {
                for (int i = 0; i < 4; i++) {
                    change(proxy);
                    awaitFanOut(proxy);
                }
            } finally {
                stop.set(true);
            }
            for (Future<Integer> reader : readers) {
                assertThat(reader.get(20, TimeUnit.SECONDS)).isPositive();
            }
            proxy.tablesChanged();
            try (SameAsServer same = new SameAsServer(proxy)) {
                same.fansOut("SELECT SUM(v), COUNT(*) FROM it_storm.t");
            }
        }
    }

    private static int read(ProxiedServer proxy, AtomicBoolean stop) throws Exception {
        int answers = 0;
        try (WireConnection client = proxy.proxied()) {
            for (; !stop.get(); answers++) {
                assertThat(client.query("SELECT SUM(v), COUNT(*) FROM it_storm.t")
                                .rows()
                                .toString())
                        .isIn("[4000|2000]", "[3000|1500]");
            }
        }
        return answers;
    }

    private static void awaitFanOut(ProxiedServer proxy) {
        // shows the reasons in case no fan-out happens
        Map<String, Integer> passed = new ConcurrentHashMap<>();
        await().atMost(LIMIT).untilAsserted(() -> {
            // readers produce more outcomes than the test consumes
            proxy.forget();
            ProxiedServer.Outcome outcome = proxy.outcome();
            if (!outcome.fannedOut()) {
                passed.merge(String.valueOf(outcome.reason()), 1, Integer::sum);
            }
            assertThat(outcome.fannedOut())
                    .as("passed through meanwhile: %s", passed)
                    .isTrue();
        });
    }

    /**
     * A worker that waits for a table while DDL waits for worker 0 gives up after a second. Otherwise all three would
     * wait for each other. Reading the catalog on a worker connection must not change that.
     */
    @OnServers(ServerName.MYSQL)
    void workersWaitASecondForATableAfterTheCatalogWasRead(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withConnections(3));
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            for (int i = 0; i < 4; i++) {
                SlowTables.splitsAgain(proxy, client);
                proxy.tablesChanged();
            }
            SlowTables.splitsAgain(proxy, client);
            assertThat(admin.query("SELECT DISTINCT v.VARIABLE_VALUE FROM performance_schema.variables_by_thread v"
                                    + " JOIN performance_schema.threads t USING (THREAD_ID)"
                                    + " JOIN performance_schema.events_statements_history h USING (THREAD_ID)"
                                    + " WHERE t.PROCESSLIST_USER = '" + ProxiedServer.WORKER
                                    + "' AND v.VARIABLE_NAME = 'lock_wait_timeout'"
                                    + " AND h.SQL_TEXT LIKE '%it_slow%'")
                            .rows())
                    .hasToString("[1]");
        }
    }

    /** Changes the partitions while statements run, each change after an answer. */
    private static void change(ProxiedServer proxy) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("USE it_storm");
            admin.execute("SET SESSION lock_wait_timeout = 30");
            for (String change : ChangingTables.PARTITIONS) {
                proxy.forget();
                proxy.outcome();
                try {
                    admin.execute(change);
                } catch (ServerException e) {
                    // who keeps the table from being changed is gone when the test ends
                    throw new AssertionError(
                            change + "\n" + admin.query("SHOW FULL PROCESSLIST").rows(), e);
                }
            }
        }
    }

    private static ProxiedServer start(TestServer server, ProxySetup setup) throws Exception {
        ProxiedServer proxy = ProxiedServer.start(server, setup);
        SlowTables.create(proxy);
        return proxy;
    }

    private static void failsOrBreaks(Future<Reply> reply) throws Exception {
        try {
            assertThat(reply.get(20, TimeUnit.SECONDS)).isInstanceOf(Reply.Failed.class);
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(IOException.class);
        }
    }
}

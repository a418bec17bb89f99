package io.fanfold.it.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.proxy.RoundTripRelay;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import java.time.Duration;
import java.util.List;

/**
 * The sequential round trips of a fan-out: how often the proxy waits for the server before it can send more. They are
 * most of the fixed cost over a network.
 */
class RoundTripsIT {
    private static final int PARTITIONS = 4;

    private static final TestDatabase DATABASE = new TestDatabase("it_round_trips", RoundTripsIT::create);

    /** The preflight queries; settings, snapshot and worker 0's queries; the partition queries; the ends. */
    private static final int MYSQL = 5;

    /** On MariaDB workers read the position of their snapshots one after another, and worker 0 asks for replication. */
    private static final int MARIADB = 6 + PARTITIONS;

    /** The preflight queries; settings, snapshot and worker 0's queries; all partition queries and the end. */
    private static final int ONE_WORKER = 3;

    private static void create(WireConnection admin) throws Exception {
        admin.execute("DROP TABLE IF EXISTS t");
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT) PARTITION BY HASH(id) PARTITIONS " + PARTITIONS);
        admin.execute("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)");
    }

    @AllServers
    void fanOutWaitsForTheServerAFewTimes(TestServer server) throws Exception {
        assertThat(waits(server, PARTITIONS)).isEqualTo(server.kind().isMariaDb() ? MARIADB : MYSQL);
    }

    @AllServers
    void singleWorkerWaitsForTheServerThreeTimes(TestServer server) throws Exception {
        assertThat(waits(server, 1)).isEqualTo(ONE_WORKER);
    }

    /** Returns how often a fan-out with this many workers waits for the server. */
    private static int waits(TestServer server, int degree) throws Exception {
        try (RoundTripRelay relay = RoundTripRelay.before(server);
                ProxiedServer proxy = ProxiedServer.start(
                        server,
                        ProxySetup.ofDegree(degree)
                                .withClientPort(relay.port())
                                .withWorkerPort(relay.port())
                                .withCatalogRefresh(Duration.ofHours(1)));
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            admin.execute("CREATE DATABASE IF NOT EXISTS it_round_trips");
            admin.execute("USE it_round_trips");
            create(admin);
            proxy.tablesChanged();
            client.execute("USE it_round_trips");
            proxy.forget();
            for (int i = 0; i < 2; i++) {
                // the first fan-out opens the connections and sets all their variables; the statement is another one,
                // since measured times decide how many queries are sent ahead
                client.query("SELECT MAX(v) FROM t WHERE id > 0");
                assertThat(proxy.outcome().fannedOut()).isTrue();
            }
            relay.count();
            assertThat(client.query("SELECT SUM(v) FROM t WHERE id > 0").rows()).hasToString("[10]");
            int counted = relay.counted();
            assertThat(proxy.outcome().degree()).isEqualTo(degree);
            return counted;
        }
    }

    /** The pool does not ask whether a connection still lives before it lends it. */
    @AllServers
    void killedIdleWorkersAreReplaced(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, PARTITIONS);
                WireConnection admin = same.proxy().direct()) {
            for (int i = 0; i < 2; i++) {
                same.fansOut("SELECT SUM(v) FROM t WHERE id > 0");
                // the last worker ends its transaction after the answer
                List<Row> workers = await().until(() -> idleWorkers(admin), idle -> idle.size() >= PARTITIONS);
                for (Row worker : workers) {
                    admin.execute("KILL " + worker.ascii(0));
                }
            }
            same.fansOut("SELECT SUM(v) FROM t WHERE id > 0");
        }
    }

    private static List<Row> idleWorkers(WireConnection admin) throws Exception {
        return admin.query("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '" + ProxiedServer.WORKER
                        + "' AND COMMAND = 'Sleep'")
                .rows();
    }
}

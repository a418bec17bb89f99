package io.fanfold.it.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.config.ReplicaConfig;
import io.fanfold.config.ReplicaReads;
import io.fanfold.config.ReplicaReads.ReadFrom;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.load.Transfers;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.FaultProxy.Fault;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.pool.WorkerServer;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A replica is lost, comes back, stops, gets a filter or becomes a server of its own, while writers transfer amounts and
 * clients ask for the total. No answer is wrong, and no client gets an error.
 */
class ReplicaFaultsIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_replica_faults", SmallTable::create);

    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM t";

    /** The answers before and after each step of a fault: {@code -Dfanfold.it.faults.step=500}. */
    private static final int STEP = Integer.getInteger("fanfold.it.faults.step", 20);

    private static final int CLIENTS = 2;

    private static final int COMMITS_PER_SECOND = 40;

    private static final Replicas REPLICAS = new Replicas(81);

    /** @param servers how many servers one fan-out reads */
    private static ProxySetup setup(int servers, int port) {
        ReplicaReads reads = ReplicaReads.defaults()
                .withFrom(servers > 1 ? ReadFrom.ANY : ReadFrom.REPLICA)
                // a machine with other tests may be slow
                .withPatience(Duration.ofSeconds(1))
                .withServers(servers);
        return Replicas.setup(reads, new ReplicaConfig("127.0.0.1", port, 1));
    }

    private static WorkerServer replica(SameAsServer same) {
        return same.proxy().servers().replicas().get(0);
    }

    /** Waits until a fan-out reads the replica. */
    private static void awaitReplica(SameAsServer same, Load load) {
        long before = replica(same).fanOuts();
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            load.requireRight();
            return replica(same).fanOuts() > before;
        });
    }

    /** Clients that ask for the sum until they are closed. */
    private static final class Load implements AutoCloseable {
        private final AtomicBoolean stop = new AtomicBoolean();
        private final AtomicInteger answers = new AtomicInteger();
        private final List<Future<Integer>> clients = new ArrayList<>();

        Load(SameAsServer same) throws Exception {
            for (int i = 0; i < CLIENTS; i++) {
                WireConnection client = same.proxy().proxied();
                client.execute("USE " + DATABASE.name());
                String total = client.query(SUM).rows().toString();
                clients.add(Background.start(() -> ask(client, total)));
            }
        }

        private int ask(WireConnection client, String total) throws Exception {
            int asked = 0;
            try (client) {
                while (!stop.get()) {
                    assertThat(client.query(SUM).rows()).hasToString(total);
                    answers.incrementAndGet();
                    asked++;
                }
            }
            return asked;
        }

        /** Fails if a client has ended, after a wrong answer or an error. */
        void requireRight() throws Exception {
            for (Future<Integer> client : clients) {
                if (client.isDone()) {
                    client.get();
                }
            }
        }

        void ask() {
            int due = answers.get() + STEP;
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                requireRight();
                return answers.get() >= due;
            });
        }

        void end() throws Exception {
            stop.set(true);
            for (Future<Integer> client : clients) {
                assertThat(client.get(20, TimeUnit.SECONDS)).as("answers").isPositive();
            }
        }

        @Override
        public void close() {
            stop.set(true);
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void noFaultShowsInAnAnswer(TestServer primary) throws Exception {
        boolean mySql = primary.kind() == ServerFlavor.MYSQL;
        for (int servers = 1; servers <= 2; servers++) {
            TestServer server = REPLICAS.of(primary).server();
            FaultProxy faults = FaultProxy.before(server);
            try (SameAsServer same = DATABASE.compared(primary, setup(servers, faults.port()))) {
                await().until(() -> {
                    long before = replica(same).fanOuts();
                    same.fansOut(SUM);
                    return replica(same).fanOuts() > before;
                });
                try (Transfers transfers =
                                Transfers.start(same.proxy(), DATABASE.name(), COMMITS_PER_SECOND, Replicas::transfer);
                        Load load = new Load(same)) {
                    load.ask();
                    faults = lost(faults, server, load);
                    awaitReplica(same, load);

                    Replicas.on(server, mySql ? "STOP REPLICA" : "STOP SLAVE");
                    load.ask();
                    Replicas.on(server, mySql ? "START REPLICA" : "START SLAVE");
                    awaitReplica(same, load);

                    ReplicaReadsIT.filter(server, mySql, "it_no_such_schema");
                    load.ask();
                    ReplicaReadsIT.filter(server, mySql, "");
                    awaitReplica(same, load);

                    promoted(server, mySql, faults);
                    load.ask();
                    long before = replica(same).fanOuts();
                    load.ask();
                    assertThat(replica(same).fanOuts())
                            .as("fan-outs on the promoted server")
                            .isEqualTo(before);
                    load.end();
                    transfers.end();
                }
            } finally {
                faults.close();
                // it is no replica any more
                REPLICAS.stop();
            }
        }
    }

    /** All connections end, nobody listens for a while, and then the server is back. */
    private static FaultProxy lost(FaultProxy faults, TestServer server, Load load) throws IOException {
        int port = faults.port();
        faults.close();
        load.ask();
        return FaultProxy.before(server, port);
    }

    /**
     * The replica becomes a server of its own, with a transaction that the primary does not have. This happens while a
     * fan-out has checked the replica, and has not yet opened its snapshots.
     */
    private static void promoted(TestServer server, boolean mySql, FaultProxy faults) throws Exception {
        faults.arm(new Fault(FaultProxy.Kind.HOLD_COMMAND, "WITH CONSISTENT SNAPSHOT", 0, true));
        await().until(() -> faults.befallen() > 0);
        String readOnly = "SET GLOBAL " + (mySql ? "super_read_only" : "read_only") + " = ";
        Replicas.on(
                server,
                mySql ? "STOP REPLICA" : "STOP SLAVE",
                mySql ? "RESET REPLICA ALL" : "RESET SLAVE ALL",
                readOnly + "0",
                "UPDATE " + DATABASE.name() + ".t SET v = v + 1000 WHERE id = 0",
                readOnly + "1");
        faults.release(1);
    }
}

package io.fanfold.it.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ReplicaConfig;
import io.fanfold.config.ReplicaReads;
import io.fanfold.config.ReplicaReads.ReadFrom;
import io.fanfold.inspect.Finding;
import io.fanfold.inspect.Inspector;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.TestReplica;
import io.fanfold.pool.WorkerPool;
import io.fanfold.pool.WorkerServer;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;

/** Fan-outs that read a replica have the answer that the primary has, and never read a replica that may differ. */
class ReplicaReadsIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_replica_reads", SmallTable::create);

    /** A worker account without rights to the tables in which a replica keeps its progress. */
    private static final String READER = "it_replica_reader";

    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM t";

    /** The write-then-read pairs: {@code -Dfanfold.it.pairs=10000}. */
    private static final int PAIRS = Integer.getInteger("fanfold.it.pairs", 60);

    /** A machine with other tests may be slow. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Replicas REPLICAS = new Replicas(41);

    @AfterAll
    static void stop() {
        REPLICAS.stop();
    }

    private static ProxySetup setup(ReadFrom from, ReplicaConfig... replicas) {
        return Replicas.setup(ReplicaReads.defaults().withFrom(from).withPatience(PATIENCE), replicas);
    }

    /** A proxy before a server and its replica, with a table of its own. */
    private static SameAsServer before(TestServer primary, ReadFrom from) throws Exception {
        SameAsServer same = DATABASE.compared(primary, setup(from, Replicas.at(REPLICAS.of(primary))));
        // the table may need longer than a statement waits
        awaitReplica(same);
        return same;
    }

    /** Waits until a statement reads the replica, and requires the right answers meanwhile. */
    private static void awaitReplica(SameAsServer same) {
        WorkerServer replica = only(same);
        await().until(() -> {
            long before = replica.fanOuts();
            same.fansOut(SUM);
            return replica.fanOuts() > before;
        });
    }

    private static WorkerServer only(SameAsServer same) {
        return same.proxy().servers().replicas().get(0);
    }

    private static void readsThePrimary(SameAsServer same, String because) throws Exception {
        WorkerServer primary = same.proxy().servers().primary();
        // a replica that was left out before is tried again in time; a new one first applies what the primary has
        // logged
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            long before = primary.fanOuts();
            same.fansOut(SUM);
            assertThat(primary.fanOuts()).as("fan-outs on the primary").isEqualTo(before + 1);
            Optional<String> why = only(same).leftOut();
            return why.orElse("").contains(because)
                    || only(same).skipped().orElse("").contains(because);
        });
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void answersOfTheReplicaAreThoseOfTheServer(TestServer primary) throws Exception {
        try (SameAsServer same = before(primary, ReadFrom.REPLICA)) {
            WorkerServer replica = only(same);
            long before = replica.fanOuts();
            long onPrimary = same.proxy().servers().primary().fanOuts();
            same.fansOut("SELECT name, COUNT(*), AVG(v) FROM t GROUP BY name ORDER BY name");
            same.fansOut("SELECT COUNT(DISTINCT name) FROM t WHERE v > 20");
            same.fansOut("SELECT * FROM t WHERE v < 10 ORDER BY id");
            assertThat(replica.fanOuts()).isEqualTo(before + 3);
            assertThat(explained(same)).contains("server=" + replica.name());
            assertThat(same.proxy().servers().primary().fanOuts()).isEqualTo(onPrimary);

            try (WireConnection client = same.proxy().proxied()) {
                client.execute("USE " + DATABASE.name());
                client.execute("START TRANSACTION");
                same.proxy().forget();
                client.query(SUM);
                assertThat(same.proxy().outcome().fannedOut()).isTrue();
                client.execute("COMMIT");
            }
            assertThat(replica.fanOuts()).as("a transaction, after EXPLAIN").isEqualTo(before + 4);
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void theLessBusyServerIsRead(TestServer primary) throws Exception {
        try (SameAsServer same = before(primary, ReadFrom.ANY)) {
            long before = only(same).fanOuts();
            long onPrimary = same.proxy().servers().primary().fanOuts();
            for (int i = 0; i < 10; i++) {
                same.fansOut(SUM);
            }
            assertThat(only(same).fanOuts()).isGreaterThan(before);
            assertThat(same.proxy().servers().primary().fanOuts()).isGreaterThan(onPrimary);
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void whatWasWrittenIsRead(TestServer primary) throws Exception {
        try (SameAsServer same = before(primary, ReadFrom.REPLICA);
                WireConnection client = same.proxy().proxied();
                WireConnection other = same.proxy().direct()) {
            client.execute("USE " + DATABASE.name());
            other.execute("USE " + DATABASE.name());
            long total = sum(client);
            long before = only(same).fanOuts();
            for (int pair = 0; pair < PAIRS; pair++) {
                WireConnection writer = pair % 2 == 0 ? client : other;
                writer.execute("UPDATE t SET v = v + 1 WHERE id = " + pair % 100);
                total++;
                assertThat(sum(client)).as("pair %s", pair).isEqualTo(total);
            }
            long read = only(same).fanOuts() - before;
            System.out.printf("%s: %d pairs, %d answered by the replica%n", primary, PAIRS, read);
            assertThat(read).as("fan-outs on the replica").isGreaterThan(PAIRS / 2);
        }
    }

    private static long sum(WireConnection client) throws Exception {
        return Long.parseLong(String.valueOf(client.query(SUM).rows().get(0).ascii(0)));
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void aReplicaThatIsBehindIsNotRead(TestServer primary) throws Exception {
        try (SameAsServer same = before(primary, ReadFrom.REPLICA)) {
            Replicas.whileNothingIsApplied(REPLICAS.of(primary), () -> {
                same.onBoth("UPDATE t SET v = v + 1 WHERE id = 7");
                readsThePrimary(same, "did not apply");
            });
            awaitReplica(same);
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void anOlderReplicaIsReadIfTheSettingsAllowIt(TestServer primary) throws Exception {
        TestReplica replica = REPLICAS.of(primary);
        ReplicaReads reads = ReplicaReads.defaults().withFrom(ReadFrom.REPLICA).withStaleness(Duration.ofHours(1));
        try (SameAsServer same = DATABASE.compared(primary, Replicas.setup(reads, Replicas.at(replica)));
                WireConnection client = same.proxy().proxied()) {
            awaitReplica(same);
            client.execute("USE " + DATABASE.name());
            await().until(() -> client.query(SUM).rows().toString().equals(Replicas.answer(same, DATABASE, SUM)));
            long total = sum(client);
            delay(replica, Duration.ofHours(1));
            try {
                // a replica that has just begun again does not receive the log yet, and is left out
                awaitReplica(same);
                client.execute("UPDATE t SET v = v + 1 WHERE id = 7");
                long before = only(same).fanOuts();
                assertThat(sum(client)).as("the sum before the update").isEqualTo(total);
                assertThat(only(same).fanOuts()).isEqualTo(before + 1);
            } finally {
                delay(replica, Duration.ZERO);
            }
            await().until(() -> sum(client) == total + 1);
        }
    }

    private static void delay(TestReplica replica, Duration delay) throws Exception {
        boolean mySql = replica.primary().kind() == ServerFlavor.MYSQL;
        Replicas.on(
                replica.server(),
                mySql ? "STOP REPLICA" : "STOP SLAVE",
                (mySql ? "CHANGE REPLICATION SOURCE TO SOURCE_DELAY = " : "CHANGE MASTER TO MASTER_DELAY = ")
                        + delay.toSeconds(),
                mySql ? "START REPLICA" : "START SLAVE");
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void theInspectionNamesTheReplicas(TestServer primary) throws Exception {
        ReplicaConfig replica = Replicas.at(REPLICAS.of(primary));
        ReplicaConfig none = new ReplicaConfig(primary.host(), primary.port(), 1);
        try (SameAsServer same = before(primary, ReadFrom.REPLICA)) {
            ProxySetup setup = setup(ReadFrom.REPLICA, replica, none);
            FanfoldConfig config = FanfoldConfig.defaults()
                    .withBackend(BackendConfig.defaults().at(primary.host(), primary.port()))
                    .withWorkers(setup.workers())
                    .withFanOut(setup.fanOut());
            try (WorkerPool pool = new WorkerPool(config.backend(), null, config.workers())) {
                assertThat(new Inspector(() -> config, pool).connect().findings())
                        .extracting(Finding::sentence)
                        .contains(
                                "replica " + replica.name() + " can be read",
                                "replica " + none.name() + " is not read: it replicates from 0 servers");
            }
            awaitReplica(same);
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void aWritableReplicaIsNotRead(TestServer primary) throws Exception {
        String variable = primary.kind() == ServerFlavor.MYSQL ? "super_read_only" : "read_only";
        try (SameAsServer same = before(primary, ReadFrom.REPLICA)) {
            TestServer replica = REPLICAS.of(primary).server();
            Replicas.on(replica, "SET GLOBAL " + variable + " = 0");
            try {
                readsThePrimary(same, variable + " is OFF");
            } finally {
                Replicas.on(replica, "SET GLOBAL " + variable + " = 1");
            }
            awaitReplica(same);
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void aReplicaWithAFilterIsNotRead(TestServer primary) throws Exception {
        boolean mySql = primary.kind() == ServerFlavor.MYSQL;
        try (SameAsServer same = before(primary, ReadFrom.REPLICA)) {
            TestServer replica = REPLICAS.of(primary).server();
            filter(replica, mySql, "it_no_such_schema");
            try {
                readsThePrimary(same, "filter");
            } finally {
                filter(replica, mySql, "");
            }
            awaitReplica(same);
        }
    }

    static void filter(TestServer replica, boolean mySql, String schema) throws Exception {
        if (mySql) {
            Replicas.on(
                    replica,
                    "STOP REPLICA SQL_THREAD",
                    "CHANGE REPLICATION FILTER REPLICATE_IGNORE_DB = (" + schema + ")",
                    "START REPLICA");
        } else {
            Replicas.on(replica, "STOP SLAVE", "SET GLOBAL replicate_ignore_db = '" + schema + "'", "START SLAVE");
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void aReplicaWithAnotherDefinitionIsNotRead(TestServer primary) throws Exception {
        try (SameAsServer same = before(primary, ReadFrom.REPLICA)) {
            TestServer replica = REPLICAS.of(primary).server();
            String table = DATABASE.name() + ".t";
            Replicas.on(replica, unlogged(primary, "ALTER TABLE " + table + " ADD KEY (name)"));
            readsThePrimary(same, "differs from that on the primary");
            Replicas.on(replica, unlogged(primary, "ALTER TABLE " + table + " DROP KEY name"));
            awaitReplica(same);
        }
    }

    /** The facts of EXPLAIN FORMAT=FANFOLD for the sum. */
    private static List<String> explained(SameAsServer same) throws Exception {
        try (WireConnection client = same.proxy().proxied()) {
            client.execute("USE " + DATABASE.name());
            return client.query("EXPLAIN FORMAT=FANFOLD " + SUM).rows().stream()
                    .map(row -> row.utf8(0) + "=" + row.utf8(1))
                    .toList();
        }
    }

    private static String[] unlogged(TestServer primary, String statement) {
        String variable = primary.kind() == ServerFlavor.MYSQL ? "super_read_only" : "read_only";
        return new String[] {
            "SET sql_log_bin = 0", "SET GLOBAL " + variable + " = 0", statement, "SET GLOBAL " + variable + " = 1",
        };
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void aKillEndsThePartitionQueriesOnTheReplica(TestServer primary) throws Exception {
        String endless = "SELECT COUNT(*) FROM t a JOIN t b JOIN t c JOIN t d JOIN t e"
                + " WHERE a.v + b.v + c.v + d.v + e.v < 0";
        TestServer server = REPLICAS.of(primary).server();
        try (SameAsServer same = before(primary, ReadFrom.REPLICA);
                WireConnection client = same.proxy().proxied();
                WireConnection killer = same.proxy().proxied();
                WireConnection admin = ProxiedServer.connect(
                        server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            client.execute("USE " + DATABASE.name());
            Future<Reply> reply = Background.ask(client, endless);
            await().until(() -> partitionQueries(admin) > 0);

            killer.execute("KILL QUERY " + client.threadId());

            assertThat(reply.get(20, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            Reply.Failed.class,
                            failed -> assertThat(failed.errno()).isEqualTo(1317));
            await().until(() -> partitionQueries(admin) == 0);
            assertThat(only(same).leftOut()).isEmpty();
        }
    }

    private static int partitionQueries(WireConnection admin) throws Exception {
        return admin.query("SELECT id FROM information_schema.processlist WHERE user = '" + ProxiedServer.WORKER
                        + "' AND info LIKE '%PARTITION (%'")
                .rows()
                .size();
    }

    /** The replica does not log what it applies, and the worker account may not read how far it has applied. */
    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void aReplicaWithoutAProofOfSnapshotsIsNotRead(TestServer primary) throws Exception {
        boolean mySql = primary.kind() == ServerFlavor.MYSQL;
        try (TestReplica silent = mySql
                ? TestReplica.inContainer(primary, "--server-id=42", "--log-replica-updates=OFF")
                : TestReplica.inContainer(primary, "--server-id=52")) {
            Replicas.prepare(silent);
            Replicas.on(
                    primary,
                    "CREATE USER IF NOT EXISTS " + READER + " IDENTIFIED BY '" + ProxiedServer.WORKER_PASSWORD + "'",
                    "GRANT SELECT ON " + DATABASE.name() + ".* TO " + READER);
            ProxySetup setup = setup(ReadFrom.REPLICA, Replicas.at(silent));
            try (SameAsServer same =
                    DATABASE.compared(primary, setup.withWorkers(setup.workers().withUser(READER)))) {
                readsThePrimary(same, "snapshot: ");
                assertThat(explained(same)).contains("decision=split");
            }
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void aReplicaThatIsLostShowsInNoAnswer(TestServer primary) throws Exception {
        TestReplica replica = REPLICAS.of(primary);
        try (FaultProxy faults = FaultProxy.before(replica.server());
                SameAsServer same = DATABASE.compared(
                        primary, setup(ReadFrom.REPLICA, new ReplicaConfig("127.0.0.1", faults.port(), 1)))) {
            awaitReplica(same);
            for (long bytes : List.of(0L, 100L, 1_000L)) {
                faults.arm(new FaultProxy.Fault(FaultProxy.Kind.CUT, "PARTITION (", bytes, true));
                int before = faults.befallen();
                long read = only(same).fanOuts();
                same.same("SELECT * FROM t WHERE v < 90 ORDER BY id");
                assertThat(only(same).fanOuts()).as("fan-outs on the replica").isEqualTo(read + 1);
                assertThat(faults.befallen()).as("lost connections").isGreaterThan(before);
                faults.disarm();
                awaitReplica(same);
            }
        }
    }
}

package io.fanfold.it.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.config.ReplicaConfig;
import io.fanfold.config.ReplicaReads;
import io.fanfold.config.ReplicaReads.ReadFrom;
import io.fanfold.it.answers.SplitIT;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.SplitTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.load.Transfers;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.TestReplica;
import io.fanfold.pool.WorkerServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;

/** One fan-out reads the primary and its replica, only if both show the same transactions. */
class SeveralServersIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_several_servers", SmallTable::create);

    private static final TestDatabase CORPUS = new TestDatabase(
            "it_several_corpus",
            "",
            admin -> SplitTables.create(admin, Map.of("t_hash", "PARTITION BY HASH (p) PARTITIONS 5")));

    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM t";

    /** The answers under load: {@code -Dfanfold.it.several=10000}. */
    private static final int ANSWERS = Integer.getInteger("fanfold.it.several", 100);

    /** Commits per second meanwhile. */
    private static final int PACE = Integer.getInteger("fanfold.it.several.commits", 40);

    /** Commits per second while tables are locked. */
    private static final int LOCKED_PACE = Integer.getInteger("fanfold.it.several.locked.commits", 200);

    /** 1 for all statements of the corpus: {@code -Dfanfold.it.several.step=1}. */
    private static final int STEP = Integer.getInteger("fanfold.it.several.step", 8);

    private static final Replicas REPLICAS = new Replicas(61);

    @AfterAll
    static void stop() {
        REPLICAS.stop();
    }

    private static ProxySetup setup(ReplicaConfig replica) {
        ReplicaReads reads = ReplicaReads.defaults()
                .withFrom(ReadFrom.ANY)
                // a machine with other tests may be slow
                .withPatience(Duration.ofSeconds(1))
                .withServers(2);
        ProxySetup setup = Replicas.setup(reads, replica);
        return setup.withFanOut(setup.fanOut().withDegree(4));
    }

    private static SameAsServer before(TestServer primary) throws Exception {
        return before(primary, setup(Replicas.at(REPLICAS.of(primary))));
    }

    private static SameAsServer before(TestServer primary, ProxySetup setup) throws Exception {
        SameAsServer same = DATABASE.compared(primary, setup);
        awaitBoth(same);
        return same;
    }

    private static WorkerServer replica(SameAsServer same) {
        return same.proxy().servers().replicas().get(0);
    }

    /** How many servers all fan-outs have read. */
    private static long reads(SameAsServer same) {
        return replica(same).fanOuts() + same.proxy().servers().primary().fanOuts();
    }

    /** Runs a statement, and returns whether it has read both servers. */
    private static boolean readsBoth(SameAsServer same, String sql) throws Exception {
        long replica = replica(same).fanOuts();
        long primary = same.proxy().servers().primary().fanOuts();
        same.fansOut(sql);
        return replica(same).fanOuts() > replica
                && same.proxy().servers().primary().fanOuts() > primary;
    }

    /** Waits until the replica has the table. */
    private static void awaitBoth(SameAsServer same) {
        await().until(() -> readsBoth(same, SUM));
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void aFanOutReadsBothServers(TestServer primary) throws Exception {
        try (SameAsServer same = before(primary);
                WireConnection client = same.proxy().proxied()) {
            for (String sql : List.of(
                    SUM,
                    "SELECT name, COUNT(*), AVG(v) FROM t GROUP BY name ORDER BY name",
                    "SELECT * FROM t WHERE v < 50 ORDER BY v, id LIMIT 7",
                    "SELECT * FROM t WHERE v < 10 ORDER BY id",
                    "SELECT name, v FROM t")) {
                assertThat(readsBoth(same, sql)).as(sql).isTrue();
            }
            client.execute("USE " + DATABASE.name());
            String explained =
                    client.query("EXPLAIN FORMAT=FANFOLD " + SUM).rows().toString();
            assertThat(explained)
                    .contains(
                            replica(same).name(),
                            same.proxy().servers().primary().name());
            String analyzed =
                    client.query("ANALYZE FORMAT=FANFOLD " + SUM).rows().toString();
            assertThat(analyzed).contains("workers|4");
        }
    }

    /** Each transaction moves an amount from one row to another, so the sum is the same in every state that was committed. */
    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void theSumsUnderTransfersAreRight(TestServer primary) throws Exception {
        int both = sumsOfBoth(primary, setup(Replicas.at(REPLICAS.of(primary))), PACE);
        assertThat(both).as("fan-outs on both servers").isGreaterThan(ANSWERS / 20);
    }

    /** With more commits than rounds can find equal snapshots between, a lock on the primary's tables makes them equal. */
    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void aLockMakesTheServersEqual(TestServer primary) throws Exception {
        // a machine with other tests may be slow
        ProxySetup locking = setup(Replicas.at(REPLICAS.of(primary))).locking(Duration.ofMillis(100));
        int both = sumsOfBoth(primary, locking, LOCKED_PACE);
        assertThat(both).as("fan-outs on both servers").isGreaterThan(ANSWERS / 2);
    }

    /** Runs sums meanwhile, none of which may be wrong. Returns how many have read both servers. */
    private static int sumsOfBoth(TestServer primary, ProxySetup setup, int pace) throws Exception {
        try (SameAsServer same = before(primary, setup);
                WireConnection client = same.proxy().proxied();
                Transfers transfers = Transfers.start(same.proxy(), DATABASE.name(), pace, Replicas::transfer)) {
            client.execute("USE " + DATABASE.name());
            String total = Replicas.answer(same, DATABASE, SUM);
            long before = reads(same);
            int wrong = 0;
            for (int i = 0; i < ANSWERS; i++) {
                wrong += client.query(SUM).rows().toString().equals(total) ? 0 : 1;
            }
            int both = Math.toIntExact(reads(same) - before - ANSWERS);
            long rate = transfers.end();
            System.out.printf(
                    "%s: %d sums at %d commits/s, %d of both servers, %d wrong%n", primary, ANSWERS, rate, both, wrong);
            assertThat(wrong).isZero();
            return both;
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void everyStatementMayReadBothServers(TestServer primary) throws Exception {
        List<String> corpus = SplitTables.statements("split-fans-out.sql");
        try (SameAsServer same = CORPUS.compared(primary, setup(Replicas.at(REPLICAS.of(primary))))) {
            await().until(() -> readsBoth(same, "SELECT COUNT(*) FROM t_hash WHERE id > 0"));
            int asked = 0;
            int both = 0;
            for (int i = 0; i < corpus.size(); i += STEP) {
                long before = reads(same);
                same.same(SplitIT.on(corpus.get(i), "t_hash").replace("it_split.", CORPUS.name() + "."));
                both += reads(same) == before + 2 ? 1 : 0;
                asked++;
            }
            System.out.printf("%s: %d of %d statements of both servers%n", primary, both, asked);
            assertThat(both).isGreaterThan(asked * 9 / 10);
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void aReplicaThatIsBehindIsNotRead(TestServer primary) throws Exception {
        try (SameAsServer same = before(primary)) {
            Replicas.whileNothingIsApplied(REPLICAS.of(primary), () -> {
                same.onBoth("UPDATE t SET v = v + 1 WHERE id = 7");
                for (int i = 0; i < 5; i++) {
                    assertThat(readsBoth(same, SUM)).isFalse();
                }
            });
            awaitBoth(same);
        }
    }

    /** The end of MariaDB's log needs a privilege, without which one server is read. */
    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void oneServerIsReadIfTheSnapshotsCannotBeCompared(TestServer primary) throws Exception {
        TestServer replica = REPLICAS.of(primary).server();
        Replicas.on(
                primary,
                "CREATE USER IF NOT EXISTS it_several IDENTIFIED BY '" + ProxiedServer.WORKER_PASSWORD + "'",
                "GRANT SELECT, BINLOG MONITOR, REPLICA MONITOR ON *.* TO it_several");
        ProxySetup setup = setup(Replicas.at(REPLICAS.of(primary)));
        setup = setup.withWorkers(setup.workers().withUser("it_several"));
        try (SameAsServer same = DATABASE.compared(primary, setup)) {
            awaitBoth(same);
            Replicas.on(replica, "SET sql_log_bin = 0", "REVOKE BINLOG MONITOR ON *.* FROM it_several");
            replica(same).pool().renew();
            await().until(() ->
                    !readsBoth(same, SUM) && replica(same).skipped().orElse("").contains("BINLOG MONITOR"));
            assertThat(readsBoth(same, SUM)).isFalse();
            assertThat(replica(same).leftOut()).isEmpty();
        }
    }

    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void aReplicaThatIsLostShowsInNoAnswer(TestServer primary) throws Exception {
        TestReplica replica = REPLICAS.of(primary);
        try (FaultProxy faults = FaultProxy.before(replica.server());
                SameAsServer same =
                        DATABASE.compared(primary, setup(new ReplicaConfig("127.0.0.1", faults.port(), 1)))) {
            awaitBoth(same);
            for (long bytes : List.of(0L, 100L)) {
                faults.arm(new FaultProxy.Fault(FaultProxy.Kind.CUT, "PARTITION (", bytes, true));
                int before = faults.befallen();
                same.same("SELECT * FROM t WHERE v < 90 ORDER BY id");
                assertThat(faults.befallen()).as("lost connections").isGreaterThan(before);
                faults.disarm();
                awaitBoth(same);
            }
        }
    }
}

package io.fanfold.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.catalog.TableName;
import io.fanfold.client.Accounts;
import io.fanfold.client.RealServer;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.TestReplica;
import io.fanfold.pool.Lease;
import io.fanfold.pool.PoolAwait;
import io.fanfold.pool.WorkerPool;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Snapshots of replicas while the replicas apply changes of their primary. No other proof applies, since these replicas
 * do not log replicated changes.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ReplicaIT {
    private static final String SCHEMA = "replica_it";
    private static final String TO_WORKER = " TO " + RealServer.WORKER + "@'%'";
    private static final String FROM_WORKER = " FROM " + RealServer.WORKER + "@'%'";
    private static final SnapshotConfig ONE_ROUND = config(Consistency.STRICT, 1);
    private static final SnapshotConfig PATIENT = config(Consistency.STRICT, 50);
    /** The number of proofs that each test requires: {@code -Dfanfold.it.snapshot.answers=10000}. */
    private static final int PROVEN = Integer.getInteger("fanfold.it.snapshot.answers", 60);

    private static final Duration LIMIT = Duration.ofSeconds(60L * (1 + PROVEN / 100));

    private static final Map<Kind, TestReplica> STARTED = new EnumMap<>(Kind.class);

    @TempDir
    private static Path folder;

    private enum Kind {
        MYSQL,
        MARIADB,
        /** A MariaDB without a binary log. */
        UNLOGGED
    }

    private static SnapshotConfig config(Consistency consistency, int rounds) {
        return new SnapshotConfig(
                consistency, rounds, Duration.ofSeconds(10), TableLocks.REFUSE, Duration.ofSeconds(1));
    }

    @AfterAll
    static void stop() {
        STARTED.values().forEach(TestReplica::close);
        STARTED.clear();
    }

    /** Returns the replica, which the first test that needs it starts. */
    private static RealServer replica(Kind kind, TestServer primary) throws Exception {
        TestReplica replica = STARTED.get(kind);
        if (replica == null) {
            replica = switch (kind) {
                case MYSQL -> TestReplica.inContainer(primary, "--server-id=21", "--log-replica-updates=OFF");
                case MARIADB ->
                    TestReplica.inContainer(
                            primary, "--server-id=31", "--gtid-domain-id=31", "--slave-parallel-threads=4");
                case UNLOGGED ->
                    TestReplica.embedded(primary, folder.resolve("data"), "--server-id=32", "--read-only=ON");
            };
            STARTED.put(kind, replica);
            RealServer real = new RealServer(replica.server());
            real.prepare();
            run(real, "GRANT SELECT ON " + SCHEMA + ".*" + TO_WORKER);
            run(real, rights(kind).stream().map(right -> "GRANT " + right + TO_WORKER));
            replica.follow();
        }
        RealServer real = new RealServer(replica.server());
        catchUp(real, primary);
        return real;
    }

    /** Waits until the replica has applied all commits of its primary. */
    private static void catchUp(RealServer replica, TestServer primary) throws IOException, ServerException {
        boolean mySql = primary.kind() == ServerFlavor.MYSQL;
        try (WireConnection source = new RealServer(primary).admin();
                WireConnection admin = replica.admin()) {
            String done = RealServer.value(
                    source, mySql ? "SELECT @@global.gtid_executed" : "SELECT @@global.gtid_binlog_pos");
            String wait = mySql ? "SELECT WAIT_FOR_EXECUTED_GTID_SET('" : "SELECT MASTER_GTID_WAIT('";
            assertThat(RealServer.value(admin, wait + done + "', 30)"))
                    .as("replicated")
                    .isEqualTo("0");
        }
    }

    private static List<String> rights(Kind kind) {
        return kind == Kind.MYSQL
                ? List.of("SELECT ON mysql.slave_worker_info", "SELECT ON mysql.slave_relay_log_info")
                : List.of("SELECT ON mysql.gtid_slave_pos", "SLAVE MONITOR ON *.*");
    }

    private static void run(RealServer server, Stream<String> statements) throws IOException, ServerException {
        run(server, statements.toArray(String[]::new));
    }

    private static void run(RealServer server, String... statements) throws IOException, ServerException {
        try (WireConnection admin = server.admin()) {
            for (String statement : statements) {
                admin.execute(statement);
            }
        }
    }

    /** Returns new accounts on the primary, once the replica has them too. */
    private static Accounts accounts(TestServer primary, RealServer replica) throws IOException, ServerException {
        RealServer real = new RealServer(primary);
        run(real, "DROP DATABASE IF EXISTS " + SCHEMA, "CREATE DATABASE " + SCHEMA);
        Accounts accounts = new Accounts(real, SCHEMA);
        accounts.create();
        catchUp(replica, primary);
        return accounts;
    }

    /**
     * The results of snapshots.
     *
     * @param proven the number of verified snapshots
     * @param refused the number of attempts that failed because commits came in between
     * @param wrong the number of wrong totals
     * @param states the states of each table that were seen
     */
    private record Tally(int proven, int refused, int wrong, List<Set<Long>> states) {}

    /** Opens snapshots until there are enough, or until a time limit. */
    private static Tally tally(
            RealServer replica, List<Accounts> tables, SnapshotConfig config, Predicate<Tally> enough)
            throws Exception {
        Tally tally = new Tally(
                0,
                0,
                0,
                tables.stream().map(table -> (Set<Long>) new HashSet<Long>()).toList());
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try (WorkerPool pool = new WorkerPool(replica.backend(), null, replica.workers(Accounts.PARTITIONS))) {
            while (!enough.test(tally) && System.nanoTime() - deadline < 0) {
                List<Lease> leases = PoolAwait.acquire(pool, Accounts.PARTITIONS);
                SnapshotOutcome outcome = open(pool, leases, config);
                int wrong = 0;
                if (outcome.usable()) {
                    List<WireConnection> workers =
                            leases.stream().map(Lease::connection).toList();
                    for (int i = 0; i < tables.size(); i++) {
                        Accounts.Seen seen = tables.get(i).read(workers);
                        tally.states().get(i).add(seen.state());
                        wrong |= seen.total() == Accounts.TOTAL ? 0 : 1;
                    }
                } else {
                    assertThat(outcome.kind()).as("%s", outcome).isEqualTo(SnapshotOutcome.SnapshotState.NOT_EQUAL);
                    assertThat(outcome.detail()).contains("committed in between");
                }
                int proven = outcome.kind() == SnapshotOutcome.SnapshotState.VERIFIED ? 1 : 0;
                tally = new Tally(
                        tally.proven() + proven,
                        tally.refused() + (outcome.usable() ? 0 : 1),
                        tally.wrong() + wrong,
                        tally.states());
                leases.forEach(Lease::close);
            }
        }
        System.err.printf(
                "snapshots on a replica: %d proven, %d refused, %d wrong, states %s%n",
                tally.proven(),
                tally.refused(),
                tally.wrong(),
                tally.states().stream().map(Set::size).toList());
        return tally;
    }

    private static SnapshotOutcome open(WorkerPool pool, List<Lease> leases, SnapshotConfig config) throws Exception {
        ServerFacts facts = leases.get(0).facts();
        assertThat(facts.logBin() && facts.logReplicaUpdates()).isFalse();
        List<WireConnection> workers = leases.stream().map(Lease::connection).toList();
        return pool.snapshots().open(workers, facts, config, List.of(new TableName(SCHEMA, "account")), () -> true);
    }

    /** Makes one attempt on workers that were connected before. */
    private static SnapshotOutcome attempt(WorkerPool pool) throws Exception {
        List<Lease> leases = PoolAwait.acquire(pool, 3);
        try {
            return open(pool, leases, PATIENT);
        } finally {
            leases.forEach(Lease::close);
        }
    }

    private static void refuses(WorkerPool pool, String why) throws Exception {
        SnapshotOutcome outcome = attempt(pool);
        assertThat(outcome.kind()).as("%s", outcome).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(outcome.detail()).contains(why);
    }

    private static void proves(WorkerPool pool) throws Exception {
        SnapshotOutcome outcome = attempt(pool);
        assertThat(outcome.kind()).as("%s", outcome).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
    }

    private static void neverDisagree(Tally tally) {
        assertThat(tally.wrong()).as("wrong totals").isZero();
        assertThat(tally.proven()).as("proven").isGreaterThanOrEqualTo(PROVEN);
        assertThat(tally.refused()).as("refused").isPositive();
        assertThat(tally.states()).as("states seen").allMatch(states -> states.size() > 10);
    }

    private static boolean both(Tally tally) {
        return tally.proven() >= PROVEN && tally.refused() > 0;
    }

    @OnServers(ServerName.MYSQL)
    void snapshotsOfAMySqlReplicaNeverDisagree(TestServer primary) throws Exception {
        RealServer replica = replica(Kind.MYSQL, primary);
        Accounts accounts = accounts(primary, replica);
        try (Accounts.Writers writers = accounts.transfers(3)) {
            neverDisagree(tally(replica, List.of(accounts), ONE_ROUND, ReplicaIT::both));
            assertThat(writers.commits()).hasPositiveValue();
        }
    }

    /** Local changes move the position in the binary log, and replicated ones change the rows. Both are watched. */
    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void snapshotsOfAMariaDbReplicaThatIsWrittenToNeverDisagree(TestServer primary) throws Exception {
        RealServer replica = replica(Kind.MARIADB, primary);
        Accounts replicated = accounts(primary, replica);
        Accounts local = new Accounts(replica, RealServer.SCHEMA);
        local.create();
        try (Accounts.Writers far = replicated.transfers(2);
                Accounts.Writers near = local.transfers(1)) {
            neverDisagree(tally(replica, List.of(replicated, local), ONE_ROUND, ReplicaIT::both));
            assertThat(far.commits()).hasPositiveValue();
            assertThat(near.commits()).hasPositiveValue();
        }
    }

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void snapshotsOfAMariaDbReplicaWithoutABinaryLogNeverDisagree(TestServer primary) throws Exception {
        RealServer replica = replica(Kind.UNLOGGED, primary);
        Accounts accounts = accounts(primary, replica);
        try (Accounts.Writers writers = accounts.transfers(3)) {
            neverDisagree(tally(replica, List.of(accounts), ONE_ROUND, ReplicaIT::both));
            assertThat(writers.commits()).hasPositiveValue();
        }
        catchUp(replica, primary);
        try (WorkerPool pool = new WorkerPool(replica.backend(), null, replica.workers(3))) {
            proves(pool);
            run(replica, "SET GLOBAL read_only = 0");
            try {
                refuses(pool, "read_only is not on");
            } finally {
                run(replica, "SET GLOBAL read_only = 1");
            }
            proves(pool);
        }
    }

    /** The totals that the tests above would see without a proof. */
    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void withoutAProofTotalsOfAReplicaAreWrong(TestServer primary) throws Exception {
        RealServer replica = replica(primary.kind() == ServerFlavor.MYSQL ? Kind.MYSQL : Kind.MARIADB, primary);
        Accounts accounts = accounts(primary, replica);
        try (Accounts.Writers writers = accounts.transfers(3)) {
            Tally tally = tally(replica, List.of(accounts), config(Consistency.RELAXED, 1), seen -> seen.wrong() > 0);
            assertThat(tally.wrong()).as("wrong totals").isPositive();
            assertThat(writers.commits()).hasPositiveValue();
        }
    }

    @OnServers(ServerName.MYSQL)
    void aMySqlReplicaProvesNothingIfItsRowsAreInconclusive(TestServer primary) throws Exception {
        RealServer replica = replica(Kind.MYSQL, primary);
        try (WorkerPool pool = new WorkerPool(replica.backend(), null, replica.workers(3))) {
            proves(pool);
            run(replica, "SET GLOBAL super_read_only = 0");
            try {
                refuses(pool, "super_read_only is not on");
                run(replica, "REVOKE " + rights(Kind.MYSQL).get(0) + FROM_WORKER, "SET GLOBAL super_read_only = 1");
                refuses(pool, "may not be read");
                run(
                        replica,
                        "SET GLOBAL super_read_only = 0",
                        "GRANT " + rights(Kind.MYSQL).get(0) + TO_WORKER);
            } finally {
                run(replica, "SET GLOBAL super_read_only = 1");
            }
            proves(pool);
            channel(replica, "REQUIRE_ROW_FORMAT = 1, GTID_ONLY = 1");
            try {
                refuses(pool, "no positions");
            } finally {
                channel(replica, "GTID_ONLY = 0, REQUIRE_ROW_FORMAT = 0");
            }
            proves(pool);
        }
    }

    private static void channel(RealServer replica, String options) throws IOException, ServerException {
        run(replica, "STOP REPLICA", "CHANGE REPLICATION SOURCE TO " + options, "START REPLICA");
    }

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void aMariaDbReplicaProvesNothingIfItsRowsAreInconclusive(TestServer primary) throws Exception {
        RealServer replica = replica(Kind.MARIADB, primary);
        try (WorkerPool pool = new WorkerPool(replica.backend(), null, replica.workers(3))) {
            proves(pool);
            run(replica, "STOP SLAVE", "CHANGE MASTER TO MASTER_USE_GTID = no", "START SLAVE");
            try {
                refuses(pool, "does not use GTIDs");
            } finally {
                run(replica, "STOP SLAVE", "CHANGE MASTER TO MASTER_USE_GTID = slave_pos", "START SLAVE");
            }
            proves(pool);
            run(replica, rights(Kind.MARIADB).stream().map(right -> "REVOKE " + right + FROM_WORKER));
            // global privileges are those at the beginning of the connection
            try (WorkerPool later = new WorkerPool(replica.backend(), null, replica.workers(3))) {
                refuses(later, "gtid_slave_pos may not be read");
                run(replica, "GRANT " + rights(Kind.MARIADB).get(0) + TO_WORKER);
                refuses(later, "may not be seen");
                run(replica, "STOP SLAVE");
                proves(later);
            } finally {
                run(replica, rights(Kind.MARIADB).stream().map(right -> "GRANT " + right + TO_WORKER));
                run(replica, "START SLAVE");
            }
        }
    }

    /**
     * The row of XA COMMIT is written after its changes: if nobody can write such rows, the changes are visible before.
     * This test runs last, since servers count XA commits until they are restarted.
     */
    @Order(Integer.MAX_VALUE)
    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void afterXaAReplicaProvesNothing(TestServer primary) throws Exception {
        boolean mySql = primary.kind() == ServerFlavor.MYSQL;
        RealServer replica = replica(mySql ? Kind.MYSQL : Kind.MARIADB, primary);
        Accounts accounts = accounts(primary, replica);
        String positions = mySql ? "mysql.slave_worker_info" : "mysql.gtid_slave_pos";
        String last = "SELECT MAX(" + (mySql ? "Master_log_pos" : "seq_no") + ") FROM " + positions;
        String balance = "SELECT balance FROM " + accounts.table() + " WHERE id = 1";
        try (WorkerPool pool = new WorkerPool(replica.backend(), null, replica.workers(3));
                WireConnection admin = replica.admin();
                WireConnection locking = replica.admin()) {
            proves(pool);
            run(
                    accounts.server(),
                    "XA START 'replica_it'",
                    "UPDATE " + accounts.table() + " SET balance = balance + 5 WHERE id = 1",
                    "XA END 'replica_it'",
                    "XA PREPARE 'replica_it'");
            String prepared = position(primary);
            await().until(() -> RealServer.value(admin, last).equals(prepared));
            locking.execute("LOCK TABLES " + positions + " READ");
            run(accounts.server(), "XA COMMIT 'replica_it'");
            await().until(() -> RealServer.value(admin, balance).equals("1005"));
            assertThat(RealServer.value(admin, last)).isEqualTo(prepared);
            refuses(pool, "XA");
            locking.execute("UNLOCK TABLES");
            String committed = position(primary);
            await().until(() -> RealServer.value(admin, last).equals(committed));
            refuses(pool, "XA");
        }
    }

    /** Returns the end of the primary's log as its replica stores it in its rows. */
    private static String position(TestServer primary) throws IOException, ServerException {
        try (WireConnection source = new RealServer(primary).admin()) {
            return primary.kind() == ServerFlavor.MYSQL
                    ? String.valueOf(
                            source.query("SHOW BINARY LOG STATUS").rows().get(0).ascii(1))
                    : RealServer.value(source, "SELECT SUBSTRING_INDEX(@@global.gtid_binlog_pos, '-', -1)");
        }
    }
}

package io.fanfold.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.catalog.TableName;
import io.fanfold.client.Accounts;
import io.fanfold.client.RealServer;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.pool.Lease;
import io.fanfold.pool.PoolAwait;
import io.fanfold.pool.WorkerPool;
import java.time.Duration;
import java.util.List;

class SnapshotOpenerIT {
    private static final int ROUNDS = Integer.getInteger("fanfold.it.snapshot.rounds", 60);

    /** Writers move amounts between partitions, so the sum over one snapshot is always the same. */
    @AllServers
    void verifiedSnapshotsNeverDisagree(TestServer server) throws Exception {
        int verified = whileMoneyMoves(
                server,
                SnapshotOutcome.SnapshotState.VERIFIED,
                (pool, leases) -> open(pool, leases, strict(20, Duration.ofMillis(500))));
        assertThat(verified).isPositive();
    }

    /** One way to open snapshots. */
    private interface Opening {
        SnapshotOutcome open(WorkerPool pool, List<Lease> leases) throws Exception;
    }

    /** Sums up snapshots while writers move amounts. Returns the number of usable snapshots of that kind. */
    private static int whileMoneyMoves(TestServer server, SnapshotOutcome.SnapshotState kind, Opening opening)
            throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        accounts(real).create();
        try (Accounts.Writers writers = accounts(real).transfers(3);
                WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(Accounts.PARTITIONS + 1))) {
            int usable = 0;
            long before = writers.commits().get();
            for (int round = 0; round < ROUNDS; round++) {
                List<Lease> leases = PoolAwait.acquire(pool, Accounts.PARTITIONS);
                SnapshotOutcome outcome = opening.open(pool, leases);
                assertThat(outcome.kind()).isIn(kind, SnapshotOutcome.SnapshotState.NOT_EQUAL);
                if (outcome.usable()) {
                    usable++;
                    List<WireConnection> workers =
                            leases.stream().map(Lease::connection).toList();
                    assertThat(accounts(real).read(workers).total())
                            .as("%s in round %d", kind, round)
                            .isEqualTo(Accounts.TOTAL);
                }
                leases.forEach(Lease::close);
            }
            assertThat(writers.commits().get()).isGreaterThan(before);
            return usable;
        }
    }

    @AllServers
    void anIdleServerIsVerifiedInOneRound(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        accounts(real).create();
        try (WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(3))) {
            List<Lease> leases = PoolAwait.acquire(pool, 3);
            List<WireConnection> workers =
                    leases.stream().map(Lease::connection).toList();
            // Other tests of the run may be writing, so a few rounds are allowed.
            SnapshotOutcome outcome = open(pool, leases, strict(50, Duration.ofSeconds(10)));
            assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
            assertThat(workers).allMatch(WireConnection::inTransaction);
            SnapshotOutcome again = open(pool, leases, strict(50, Duration.ofSeconds(10)));
            assertThat(again.kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
            leases.forEach(Lease::close);
            List<Lease> reused = PoolAwait.acquire(pool, 3);
            assertThat(reused).noneMatch(lease -> lease.connection().inTransaction());
            reused.forEach(Lease::close);
        }
    }

    @AllServers
    void relaxedSnapshotsAreTakenWithoutProof(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        accounts(real).create();
        try (WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(2))) {
            List<Lease> leases = PoolAwait.acquire(pool, 2);
            List<WireConnection> workers =
                    leases.stream().map(Lease::connection).toList();
            SnapshotOutcome outcome = open(
                    pool,
                    leases,
                    new SnapshotConfig(
                            Consistency.RELAXED, 1, Duration.ofSeconds(1), TableLocks.REFUSE, Duration.ofSeconds(1)));
            assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.SnapshotState.RELAXED);
            assertThat(workers).allMatch(WireConnection::inTransaction);
            leases.forEach(Lease::close);
        }
    }

    /** If an account is being written, the lock is given up, and it blocks no other writer. */
    @AllServers
    void locksAreGivenUpWhileATableIsWrittenTo(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        accounts(real).create();
        try (WireConnection writer = real.admin();
                WireConnection other = real.admin();
                WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(3))) {
            List<Lease> leases = PoolAwait.acquire(pool, 2);
            writer.execute("BEGIN");
            writer.execute("UPDATE " + RealServer.SCHEMA + ".account SET balance = balance + 1 WHERE id = 1");
            SnapshotOutcome outcome = locked(pool, leases, Duration.ofMillis(200));
            assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_EQUAL);
            assertThat(outcome.detail()).contains("written to");
            other.execute("UPDATE " + RealServer.SCHEMA + ".account SET balance = balance + 0 WHERE id = 2");
            writer.execute("ROLLBACK");
            await().untilAsserted(() -> assertThat(
                            locked(pool, leases, Duration.ofSeconds(10)).kind())
                    .isEqualTo(SnapshotOutcome.SnapshotState.LOCKED));
            // the tables are unlocked again
            other.execute("UPDATE " + RealServer.SCHEMA + ".account SET balance = balance + 0 WHERE id = 2");
            leases.forEach(Lease::close);
            List<Lease> all = PoolAwait.acquire(pool, 3);
            assertThat(all).hasSize(3);
            all.forEach(Lease::close);
        }
    }

    /** An additional connection is opened for the lock. */
    @AllServers
    void tablesAreLockedThoughAllConnectionsAreTaken(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        accounts(real).create();
        try (WireConnection admin = real.admin();
                WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(2))) {
            List<Lease> leases = PoolAwait.acquire(pool, 2);
            assertThat(locked(pool, leases, Duration.ofSeconds(1)).kind())
                    .isEqualTo(SnapshotOutcome.SnapshotState.LOCKED);
            // the tables are unlocked again
            admin.execute("UPDATE " + RealServer.SCHEMA + ".account SET balance = balance + 0 WHERE id = 2");
            leases.forEach(Lease::close);
        }
    }

    @AllServers
    void withoutTheRightNothingIsLocked(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        accounts(real).create();
        String rights = " LOCK TABLES ON " + RealServer.SCHEMA + ".* ";
        try (WireConnection admin = real.admin();
                WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(3))) {
            admin.execute("REVOKE" + rights + "FROM " + RealServer.WORKER + "@'%'");
            List<Lease> leases = PoolAwait.acquire(pool, 2);
            SnapshotOutcome outcome = locked(pool, leases, Duration.ofSeconds(1));
            assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
            assertThat(outcome.detail()).contains("no binary log", "cannot be locked: 1044");
            leases.forEach(Lease::close);
        } finally {
            try (WireConnection admin = real.admin()) {
                admin.execute("GRANT" + rights + "TO " + RealServer.WORKER + "@'%'");
            }
        }
    }

    @AllServers
    void snapshotsUnderALockNeverDisagree(TestServer server) throws Exception {
        int locked = whileMoneyMoves(
                server,
                SnapshotOutcome.SnapshotState.LOCKED,
                (pool, leases) -> locked(pool, leases, Duration.ofMillis(500)));
        assertThat(locked).isGreaterThan(ROUNDS / 2);
    }

    /** Opens snapshots of a server that reports nothing about its commits. */
    private static SnapshotOutcome locked(WorkerPool pool, List<Lease> leases, Duration patience) throws Exception {
        ServerFacts own = leases.get(0).facts();
        ServerFacts silent = new ServerFacts(
                own.identity(),
                own.obstacle(),
                own.serverKey(),
                own.lowerCaseTableNames(),
                false,
                own.logReplicaUpdates(),
                own.galera(),
                own.readOnly(),
                own.appliedInTables(),
                own.fixed(),
                own.systemUtc(),
                own.maxPacket(),
                own.variables());
        List<WireConnection> workers = leases.stream().map(Lease::connection).toList();
        SnapshotConfig config =
                new SnapshotConfig(Consistency.STRICT, 1, Duration.ofSeconds(1), TableLocks.ALLOW, patience);
        return pool.snapshots()
                .open(workers, silent, config, List.of(new TableName(RealServer.SCHEMA, "account")), () -> true);
    }

    @OnServers(ServerName.MYSQL)
    void withoutGtidsNothingIsProven(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        accounts(real).create();
        try (WireConnection admin = real.admin();
                WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(2))) {
            List<Lease> leases = PoolAwait.acquire(pool, 2);
            admin.execute("SET GLOBAL gtid_mode = ON_PERMISSIVE");
            try {
                assertThat(open(pool, leases, strict(10, Duration.ofSeconds(1))).kind())
                        .isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
            } finally {
                admin.execute("SET GLOBAL gtid_mode = ON");
                leases.forEach(Lease::close);
            }
        }
    }

    private static SnapshotConfig strict(int rounds, Duration time) {
        return new SnapshotConfig(Consistency.STRICT, rounds, time, TableLocks.REFUSE, Duration.ofSeconds(1));
    }

    private static SnapshotOutcome open(WorkerPool pool, List<Lease> leases, SnapshotConfig config) throws Exception {
        List<WireConnection> workers = leases.stream().map(Lease::connection).toList();
        return pool.snapshots()
                .open(
                        workers,
                        leases.get(0).facts(),
                        config,
                        List.of(new TableName(RealServer.SCHEMA, "account")),
                        () -> true);
    }

    private static Accounts accounts(RealServer real) {
        return new Accounts(real, RealServer.SCHEMA);
    }
}

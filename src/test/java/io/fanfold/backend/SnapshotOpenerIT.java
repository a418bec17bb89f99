package io.fanfold.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.FanOutConfig;
import io.fanfold.it.AllServers;
import io.fanfold.it.OnServers;
import io.fanfold.it.ServerName;
import io.fanfold.it.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

class SnapshotOpenerIT {
    private static final int PARTITIONS = 4;
    private static final int ACCOUNTS = 400;
    private static final long TOTAL = ACCOUNTS * 1000L;
    private static final int ROUNDS = Integer.getInteger("fanfold.it.snapshot.rounds", 60);

    /** Writers move amounts between partitions, so the sum over one snapshot is always the same. */
    @AllServers
    void verifiedSnapshotsNeverDisagree(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        createAccounts(real);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong commits = new AtomicLong();
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int seed = i;
            writers.add(CompletableFuture.runAsync(() -> transfer(real, seed, stop, commits)));
        }
        try (WorkerPool pool = new WorkerPool(real.backend(), real.workers(PARTITIONS))) {
            int verified = 0;
            long before = commits.get();
            for (int round = 0; round < ROUNDS; round++) {
                List<Lease> leases = PoolAwait.acquire(pool, PARTITIONS);
                List<WireConnection> workers =
                        leases.stream().map(Lease::connection).toList();
                SnapshotOutcome outcome = pool.snapshots().open(workers, strict(20, Duration.ofMillis(500)));
                assertThat(outcome.kind()).isIn(SnapshotOutcome.Kind.VERIFIED, SnapshotOutcome.Kind.NOT_EQUAL);
                if (outcome.usable()) {
                    verified++;
                    assertThat(sum(workers)).as("verified in round %d", round).isEqualTo(TOTAL);
                }
                leases.forEach(Lease::close);
            }
            assertThat(verified).isPositive();
            assertThat(commits.get()).isGreaterThan(before);
        } finally {
            stop.set(true);
            CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new)).join();
        }
    }

    @AllServers
    void anIdleServerIsVerifiedInOneRound(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        try (WorkerPool pool = new WorkerPool(real.backend(), real.workers(3))) {
            List<Lease> leases = PoolAwait.acquire(pool, 3);
            List<WireConnection> workers =
                    leases.stream().map(Lease::connection).toList();
            // Other tests of the run may be writing: a few rounds are allowed.
            SnapshotOutcome outcome = pool.snapshots().open(workers, strict(50, Duration.ofSeconds(10)));
            assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.Kind.VERIFIED);
            assertThat(workers).allMatch(WireConnection::inTransaction);
            SnapshotOutcome again = pool.snapshots().open(workers, strict(50, Duration.ofSeconds(10)));
            assertThat(again.kind()).isEqualTo(SnapshotOutcome.Kind.VERIFIED);
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
        try (WorkerPool pool = new WorkerPool(real.backend(), real.workers(2))) {
            List<Lease> leases = PoolAwait.acquire(pool, 2);
            List<WireConnection> workers =
                    leases.stream().map(Lease::connection).toList();
            FanOutConfig defaults = FanOutConfig.defaults();
            SnapshotOutcome outcome = pool.snapshots()
                    .open(
                            workers,
                            new FanOutConfig(
                                    true,
                                    2,
                                    0,
                                    FanOutConfig.Consistency.RELAXED,
                                    1,
                                    Duration.ofSeconds(1),
                                    false,
                                    FanOutConfig.Approximate.REFUSE,
                                    defaults.catalogRefresh()));
            assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.Kind.RELAXED);
            assertThat(workers).allMatch(WireConnection::inTransaction);
            leases.forEach(Lease::close);
        }
    }

    @OnServers(ServerName.MYSQL)
    void withoutGtidsNothingIsProven(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        try (WireConnection admin = real.admin();
                WorkerPool pool = new WorkerPool(real.backend(), real.workers(2))) {
            List<Lease> leases = PoolAwait.acquire(pool, 2);
            List<WireConnection> workers =
                    leases.stream().map(Lease::connection).toList();
            admin.execute("SET GLOBAL gtid_mode = ON_PERMISSIVE");
            try {
                assertThat(pool.snapshots()
                                .open(workers, strict(10, Duration.ofSeconds(1)))
                                .kind())
                        .isEqualTo(SnapshotOutcome.Kind.NOT_PROVABLE);
            } finally {
                admin.execute("SET GLOBAL gtid_mode = ON");
                leases.forEach(Lease::close);
            }
        }
    }

    private static FanOutConfig strict(int rounds, Duration time) {
        FanOutConfig defaults = FanOutConfig.defaults();
        return new FanOutConfig(
                true,
                PARTITIONS,
                0,
                FanOutConfig.Consistency.STRICT,
                rounds,
                time,
                false,
                FanOutConfig.Approximate.REFUSE,
                defaults.catalogRefresh());
    }

    private static void createAccounts(RealServer real) throws IOException, ServerException {
        try (WireConnection admin = real.admin()) {
            admin.execute("USE " + RealServer.SCHEMA);
            admin.execute("DROP TABLE IF EXISTS account");
            admin.execute("CREATE TABLE account (id INT PRIMARY KEY, balance BIGINT) PARTITION BY HASH (id) PARTITIONS "
                    + PARTITIONS);
            StringBuilder insert = new StringBuilder("INSERT INTO account VALUES (0, 1000)");
            for (int i = 1; i < ACCOUNTS; i++) {
                insert.append(",(").append(i).append(", 1000)");
            }
            admin.execute(insert.toString());
        }
    }

    private static void transfer(RealServer real, int seed, AtomicBoolean stop, AtomicLong commits) {
        Random random = new Random(seed);
        try (WireConnection writer = real.admin()) {
            writer.execute("USE " + RealServer.SCHEMA);
            while (!stop.get()) {
                int low = random.nextInt(ACCOUNTS - 1);
                int high = low + 1 + random.nextInt(ACCOUNTS - low - 1);
                int amount = 1 + random.nextInt(1000);
                List<Reply> replies = writer.pipeline(List.of(
                        "START TRANSACTION",
                        "UPDATE account SET balance = balance - " + amount + " WHERE id = " + low,
                        "UPDATE account SET balance = balance + " + amount + " WHERE id = " + high,
                        "COMMIT"));
                // Rows are locked in the order of their ids, so no deadlock can undo a half.
                assertThat(replies).hasOnlyElementsOfType(Reply.Ok.class);
                commits.incrementAndGet();
            }
        } catch (IOException | ServerException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long sum(List<WireConnection> workers) throws IOException {
        for (int i = 0; i < workers.size(); i++) {
            workers.get(i)
                    .sendTexts(List.of(
                            "SELECT SUM(balance) FROM " + RealServer.SCHEMA + ".account PARTITION (p" + i + ")"));
        }
        long sum = 0;
        for (WireConnection worker : workers) {
            sum += Long.parseLong(String.valueOf(
                    ((Reply.Result) worker.receive()).rows().get(0).ascii(0)));
        }
        return sum;
    }
}

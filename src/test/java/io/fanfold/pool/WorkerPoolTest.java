package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.FakeServer;
import io.fanfold.client.ScriptedServer;
import io.fanfold.client.ServerException;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import io.fanfold.variables.ResultsCharset;
import io.fanfold.variables.SessionSettings;
import io.fanfold.variables.SessionVariables;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WorkerPoolTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private static ScriptedServer script() {
        return new ScriptedServer("9.7.0", Map.of("hostname", "a"), sql -> List.of());
    }

    private static WorkerPool pool(FakeServer server, int connections) {
        return pool(server.port(), connections);
    }

    private static WorkerPool pool(int port, int connections) {
        return new WorkerPool(
                new BackendConfig(
                        InetAddress.getLoopbackAddress().getHostAddress(), port, Duration.ofSeconds(10), Duration.ZERO),
                null,
                WorkersConfig.defaults()
                        .with("worker", Secret.EMPTY, connections)
                        .withConnectionsPerUser(connections)
                        .withQueueLength(100));
    }

    @Test
    void needsAnAccount() {
        assertThatThrownBy(() -> new WorkerPool(BackendConfig.defaults(), null, WorkersConfig.defaults()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void leasesTheWantedConnectionsOrFewerOrNone() throws Exception {
        try (FakeServer server = new FakeServer(script());
                WorkerPool pool = pool(server, 5)) {
            List<Lease> three = PoolAwait.acquire(pool, 3);
            List<Lease> two = pool.acquire(4, 2, Duration.ZERO);
            assertThat(two).hasSize(2);
            assertThat(pool.acquire(1, 1, Duration.ZERO)).isEmpty();
            assertThat(pool.free()).isZero();
            Set<Long> ids = new HashSet<>();
            three.forEach(lease -> ids.add(lease.connection().threadId()));
            two.forEach(lease -> ids.add(lease.connection().threadId()));
            assertThat(ids).hasSize(5);
            three.forEach(Lease::close);
            two.forEach(Lease::close);
            two.forEach(Lease::close);
            assertThat(pool.free()).isEqualTo(5);
        }
    }

    /** The timeout of a rollback must not apply to the partition queries of the next lease. */
    @Test
    void aRefusedRollbackLeavesNoTimeout() throws Exception {
        ScriptedServer script = script();
        try (FakeServer server = new FakeServer(script);
                WorkerPool pool = pool(server, 2)) {
            List<Lease> two = PoolAwait.acquire(pool, 2);
            for (Lease lease : two) {
                lease.connection().execute("START TRANSACTION");
            }
            script.fail("ROLLBACK", 1317);
            assertThatThrownBy(() -> Lease.endTransactions(two)).isInstanceOf(ServerException.class);
            assertThat(two).allMatch(lease -> lease.connection().readTimeout().isZero());
            Lease.closeAll(two);
            await().until(() -> pool.free() == 2);
        }
    }

    @Test
    void connectionsThatOthersWaitForAreRevokedAndReleasedTogether() throws Exception {
        try (FakeServer server = new FakeServer(script());
                WorkerPool pool = pool(server, 4)) {
            List<Lease> four = PoolAwait.acquire(pool, 4);
            assertThat(four.get(1).revoked()).isFalse();
            CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> admitted(pool, 3));
            await().until(() -> pool.waiting() == 1);
            for (int i : List.of(1, 2, 3)) {
                assertThat(four.get(i).revoked()).isTrue();
                assertThat(four.get(i).revoked()).as("again").isTrue();
            }
            assertThat(four.get(0).revoked()).as("the last one").isFalse();
            four.get(1).close();
            assertThat(pool.waiting()).isEqualTo(1);
            assertThat(four.get(1).closed()).isTrue();
            Lease.closeAll(four.subList(1, 4));
            assertThat(waiting.join()).isEqualTo(3);
            Lease.closeAll(four);
            assertThat(pool.free()).isEqualTo(4);
        }
    }

    @Test
    void aUserGetsNoMoreThanItsShare() throws Exception {
        try (FakeServer server = new FakeServer(script());
                WorkerPool pool = new WorkerPool(
                        new BackendConfig(
                                InetAddress.getLoopbackAddress().getHostAddress(),
                                server.port(),
                                Duration.ofSeconds(10),
                                Duration.ZERO),
                        null,
                        WorkersConfig.defaults()
                                .with("worker", Secret.EMPTY, 8)
                                .withConnectionsPerUser(3)
                                .withQueueLength(0)
                                .withQueueWait(Duration.ZERO))) {
            PoolAwait.acquire(pool, 1).forEach(Lease::close);
            Admission first = pool.admit(new WorkerRequest("a", 8, 2, LONG));
            assertThat(first.leases()).hasSize(3);
            Admission second = pool.admit(new WorkerRequest("a", 8, 2, LONG));
            assertThat(second).isEqualTo(new Admission(List.of(), WorkerRequest.AdmissionOutcome.QUEUE_FULL));
            Admission other = pool.admit(new WorkerRequest("b", 8, 2, LONG));
            assertThat(other.leases()).hasSize(3);
            Lease.closeAll(first.leases());
            Lease.closeAll(other.leases());
            assertThat(pool.free()).isEqualTo(8);
        }
    }

    /** Returns the number of connections that a request got, and closes them. */
    private static int admitted(WorkerPool pool, int wanted) {
        try {
            List<Lease> leases =
                    pool.admit(new WorkerRequest("b", wanted, wanted, LONG)).leases();
            Lease.closeAll(leases);
            return leases.size();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void threadsTakingFourOfEightNeverDeadlock() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(10);
        try (FakeServer server = new FakeServer(script());
                WorkerPool pool = pool(server, 8)) {
            PoolAwait.acquire(pool, 1).forEach(Lease::close);
            AtomicInteger used = new AtomicInteger();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                threads.add(CompletableFuture.runAsync(
                        () -> {
                            for (int k = 0; k < 40; k++) {
                                useFour(pool, used);
                            }
                        },
                        executor));
            }
            CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).join();
            assertThat(pool.free()).isEqualTo(8);
            assertThat(server.accepted()).isLessThanOrEqualTo(8);
        } finally {
            executor.shutdownNow();
        }
    }

    private static void useFour(WorkerPool pool, AtomicInteger used) {
        List<Lease> leases;
        try {
            leases = pool.acquire(4, 4, LONG);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        assertThat(leases).hasSize(4);
        assertThat(used.addAndGet(4)).isLessThanOrEqualTo(8);
        for (Lease lease : leases) {
            assertThat(lease.connection().ping()).isTrue();
        }
        used.addAndGet(-4);
        leases.forEach(Lease::close);
    }

    @Test
    void openTransactionsAreRolledBack() throws Exception {
        ScriptedServer script = script();
        try (FakeServer server = new FakeServer(script);
                WorkerPool pool = pool(server, 1)) {
            Lease lease = PoolAwait.acquire(pool, 1).get(0);
            long id = lease.connection().threadId();
            lease.connection().execute("START TRANSACTION");
            lease.close();
            Lease again = PoolAwait.acquire(pool, 1).get(0);
            assertThat(again.connection().threadId()).isEqualTo(id);
            assertThat(again.connection().inTransaction()).isFalse();
            assertThat(script.log()).contains(id + ": ROLLBACK AND NO CHAIN NO RELEASE");
            again.close();
        }
    }

    @Test
    void spoiltConnectionsAreNotReused() throws Exception {
        ScriptedServer script = script();
        script.fail("ROLLBACK", 1105);
        try (FakeServer server = new FakeServer(script);
                WorkerPool pool = pool(server, 1)) {
            Lease aborted = PoolAwait.acquire(pool, 1).get(0);
            aborted.connection().abort();
            Lease unread = replaced(pool, aborted);
            unread.connection().sendTexts(List.of("DO 1"));
            Lease notRolledBack = replaced(pool, unread);
            notRolledBack.connection().execute("START TRANSACTION");
            Lease last = replaced(pool, notRolledBack);
            assertThat(last.connection().ping()).isTrue();
            last.close();
            assertThat(pool.free()).isEqualTo(1);
        }
    }

    private static Lease replaced(WorkerPool pool, Lease lease) {
        long id = lease.connection().threadId();
        lease.close();
        Lease next = PoolAwait.acquire(pool, 1).get(0);
        assertThat(next.connection().threadId()).isNotEqualTo(id);
        return next;
    }

    @Test
    void canBeMadeWhileTheServerIsDownAndRecovers() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (WorkerPool pool = pool(port, 4)) {
            await().until(() -> pool.failure().isPresent());
            assertThat(pool.acquire(4, 1, LONG)).isEmpty();
            assertThat(pool.facts()).isEmpty();
            try (FakeServer server = new FakeServer(script(), FakeServer.WHOLE, port)) {
                List<Lease> leases = PoolAwait.acquire(pool, 4);
                assertThat(leases).hasSize(4);
                assertThat(server.accepted()).isPositive();
                assertThat(pool.failure()).isEmpty();
                assertThat(pool.facts()).isPresent();
                leases.forEach(Lease::close);
            }
        }
    }

    @Test
    void cutIdleConnectionsAreReplaced() throws Exception {
        try (FakeServer server = new FakeServer(script());
                WorkerPool pool = pool(server, 3)) {
            PoolAwait.acquire(pool, 3).forEach(Lease::close);
            server.cutAll();
            List<Lease> leases = PoolAwait.acquire(pool, 3);
            assertThat(leases).allMatch(lease -> lease.connection().ping());
            leases.forEach(Lease::close);
            assertThat(server.accepted()).isEqualTo(6);
        }
    }

    @Test
    void connectionsToAnotherServerOfTheSameNameAreDropped() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        FakeServer.Script moving = peer -> new ScriptedServer(
                        "9.7.0",
                        Map.of("hostname", connections.incrementAndGet() <= 2 ? "old" : "new"),
                        sql -> List.of())
                .play(peer);
        try (FakeServer server = new FakeServer(moving);
                WorkerPool pool = pool(server, 4)) {
            PoolAwait.acquire(pool, 2).forEach(Lease::close);
            List<Lease> leases = PoolAwait.acquire(pool, 4);
            assertThat(leases).allMatch(lease -> lease.facts().serverKey().startsWith("new"));
            leases.forEach(Lease::close);
        }
    }

    @Test
    void settingsThatAreRefusedSpoilTheConnection() throws Exception {
        ScriptedServer script = script();
        script.fail("USE", 1044);
        SessionVariables variables = SessionVariables.of(List.of("sql_mode"));
        SessionSettings settings =
                new SessionSettings(variables, Map.of("sql_mode", ""), "secret", new SessionSettings.Account("", ""));
        try (FakeServer server = new FakeServer(script);
                WorkerPool pool = pool(server, 1)) {
            Lease lease = PoolAwait.acquire(pool, 1).get(0);
            assertThatThrownBy(() -> Lease.apply(List.of(lease), settings, ResultsCharset.AS_CLIENT))
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(1044));
            replaced(pool, lease).close();
        }
    }

    /** The session of the worker is then unknown. The settings themselves were taken. */
    @Test
    void resultsCharsetThatIsRefusedSpoilsTheConnection() throws Exception {
        ScriptedServer script = script();
        SessionVariables variables = SessionVariables.of(List.of("sql_mode", "character_set_results"));
        SessionSettings settings = new SessionSettings(
                variables,
                Map.of("sql_mode", "", "character_set_results", "utf8mb4"),
                "db",
                new SessionSettings.Account("", ""));
        try (FakeServer server = new FakeServer(script);
                WorkerPool pool = pool(server, 1)) {
            Lease lease = PoolAwait.acquire(pool, 1).get(0);
            script.fail("SET character_set_results = NULL", 1231);
            script.fail("SELECT typing", 1054);
            Lease.send(List.of(lease), settings, ResultsCharset.AS_CLIENT);
            Lease.Inquiry inquiry =
                    lease.inquire(List.of("SELECT 1"), "SELECT typing", settings, ResultsCharset.AS_CLIENT);
            inquiry.send();
            inquiry.receive();
            Lease.settle(List.of(lease));
            assertThatThrownBy(inquiry::answers)
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(1231));
            replaced(pool, lease).close();
        }
    }

    @Test
    void onlySettingsThatDifferAreSent() throws Exception {
        ScriptedServer script = script();
        SessionVariables variables = SessionVariables.of(List.of("sql_mode", "timestamp"));
        try (FakeServer server = new FakeServer(script);
                WorkerPool pool = pool(server, 1)) {
            Lease lease = PoolAwait.acquire(pool, 1).get(0);
            script.log().clear();
            for (String timestamp : List.of("1.5", "1.5", "2.5")) {
                Lease.apply(
                        List.of(lease),
                        new SessionSettings(
                                variables,
                                Map.of("sql_mode", "", "timestamp", timestamp),
                                "db",
                                new SessionSettings.Account("", "")),
                        ResultsCharset.AS_CLIENT);
            }
            assertThat(script.log()).hasSize(3);
            assertThat(script.log().get(0)).endsWith("USE `db`");
            assertThat(script.log().get(1))
                    .contains("sql_mode = _utf8mb4 x''", "timestamp = 1.5", "lock_wait_timeout = 1");
            assertThat(script.log().get(2)).endsWith(": SET timestamp = 2.5");
            lease.close();
        }
    }

    @Test
    void theNumberOfConnectionsChangesWhileSomeAreInUse() throws Exception {
        try (FakeServer server = new FakeServer(script());
                WorkerPool pool = pool(server, 2)) {
            WorkersConfig two = WorkersConfig.defaults().with("worker", Secret.EMPTY, 2);
            List<Lease> first = pool.acquire(2, 2, LONG);
            assertThat(pool.acquire(1, 1, Duration.ZERO)).isEmpty();
            WorkersConfig five = two.withConnections(5);
            pool.change(two, five);
            List<Lease> more = pool.acquire(9, 1, LONG);
            assertThat(more).hasSize(3);
            pool.change(five, two);
            Lease.closeAll(first);
            assertThat(pool.acquire(1, 1, Duration.ZERO))
                    .as("three are still in use")
                    .isEmpty();
            assertThat(more).allMatch(Lease::alive);
            Lease.closeAll(more);
            List<Lease> last = pool.acquire(9, 1, LONG);
            assertThat(last).hasSize(2);
            Lease.closeAll(last);
        }
    }

    @Test
    void connectionsAreReplacedIfTheirLifetimeChanges() throws Exception {
        try (FakeServer server = new FakeServer(script());
                WorkerPool pool = pool(server, 1)) {
            WorkersConfig before = WorkersConfig.defaults().with("worker", Secret.EMPTY, 1);
            long first = thread(pool);
            pool.change(before, before.withIdleTimeout(Duration.ofMinutes(3)));
            assertThat(thread(pool)).isEqualTo(first);
            pool.change(before, before.withMaxLifetime(Duration.ofMinutes(3)));
            assertThat(thread(pool)).isNotEqualTo(first);
        }
    }

    /** The thread of the server that serves the only connection. */
    private static long thread(WorkerPool pool) throws Exception {
        try (Lease lease = pool.acquire(1, 1, LONG).get(0)) {
            return lease.connection().threadId();
        }
    }
}

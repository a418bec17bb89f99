package io.fanfold.it.support.proxy;

import static org.awaitility.Awaitility.await;

import io.fanfold.binlog.StreamState;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HttpConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.LogConfig;
import io.fanfold.config.ReuseConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import io.fanfold.discovery.SplitObserver;
import io.fanfold.execute.FanOutService;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.metrics.FanfoldMetrics.ReuseOutcome;
import io.fanfold.metrics.VerifyReport;
import io.fanfold.metrics.VerifyResult;
import io.fanfold.pool.WorkerPool;
import io.fanfold.pool.WorkerServers;
import io.fanfold.reason.Reason;
import io.fanfold.server.ProxyServer;
import io.fanfold.sql.KillStatement;
import io.fanfold.tls.Encryption;
import io.fanfold.tls.SharedKeys;
import io.fanfold.verify.DifferingStatements;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in this JVM in front of a test server, with a worker account of its own. Tests can query the outcome of each
 * statement. The cost gate is open, so that small tables fan out.
 */
public final class ProxiedServer implements AutoCloseable {
    /** The worker account. It may read everything. */
    public static final String WORKER = "fanfold_it";

    public static final String WORKER_PASSWORD = "w0rker";

    /** How long a connection is silent before TCP keep-alive probes the other side. */
    public static final Duration KEEP_ALIVE = Duration.ofSeconds(47);

    /** The outcome of one statement. It was fanned out if there is no reason. */
    public record Outcome(
            @Nullable Reason reason, int partitions, int degree, String snapshot, List<Integer> filterKeys) {
        public boolean fannedOut() {
            return reason == null;
        }
    }

    /** An attempt to open equal snapshots: its outcome, the number of rounds, and the nanoseconds it took. */
    public record Attempt(String outcome, int rounds, long nanos) {}

    private final TestServer server;
    private final Encryption encryption;
    private final WorkerServers servers;
    private final WorkerPool pool;
    private final FanOutService fanOut;
    private final ProxyServer proxy;
    private final Outcomes outcomes;

    private ProxiedServer(
            TestServer server,
            Encryption encryption,
            WorkerServers servers,
            FanOutService fanOut,
            ProxyServer proxy,
            Outcomes outcomes) {
        this.server = server;
        this.encryption = encryption;
        this.servers = servers;
        this.pool = servers.primary().pool();
        this.fanOut = fanOut;
        this.proxy = proxy;
        this.outcomes = outcomes;
    }

    /** Starts a proxy with the given degree and the cost gate open. */
    public static ProxiedServer start(TestServer server, int degree) throws Exception {
        return start(server, ProxySetup.ofDegree(degree));
    }

    static ProxiedServer start(TestServer server, FanOutConfig fanOut) throws Exception {
        return start(server, ProxySetup.ofDegree(fanOut.degree()).withFanOut(fanOut));
    }

    public static ProxiedServer start(TestServer server, ProxySetup setup) throws Exception {
        EventLoopGuard.install();
        WorkersConfig workers = setup.workers();
        try (WireConnection admin = connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            String account = "'" + workers.user() + "'@'%'";
            admin.execute("CREATE USER IF NOT EXISTS " + account + " IDENTIFIED BY '" + WORKER_PASSWORD + "'");
            if (workers.user().equals(WORKER)) {
                admin.execute("GRANT SELECT, LOCK TABLES ON *.* TO " + account);
            }
            if (!workers.servers().isEmpty()) {
                admin.execute("GRANT "
                        + (server.kind() == ServerFlavor.MYSQL
                                ? "REPLICATION CLIENT"
                                : "BINLOG MONITOR, REPLICA MONITOR")
                        + " ON *.* TO " + account);
            }
            if (setup.fanOut().reuse().mode() == ReuseConfig.Reuse.ON) {
                // Fanfold asks for a log of rows
                admin.execute("SET GLOBAL binlog_format = ROW");
                // not the first file, which Fanfold refuses
                admin.execute("FLUSH BINARY LOGS");
                admin.execute("GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO " + account);
            }
        }
        FanfoldConfig config = new FanfoldConfig(
                SharedKeys.of(new ListenerConfig("127.0.0.1", 0, 128, KEEP_ALIVE)
                        .withTls(setup.tls().clients())
                        .withCompression(ListenerConfig.ClientCompression.ON)),
                backend(server, setup.clientPort())
                        .withTls(setup.tls().server())
                        .withCompression(setup.tls().compression()),
                workers,
                setup.fanOut(),
                setup.tables(),
                setup.accounts(),
                setup.limits(),
                setup.verify(),
                HttpConfig.defaults(),
                LogConfig.defaults());
        Outcomes outcomes = new Outcomes();
        Encryption encryption = Encryption.open(config);
        WorkerPool pool = new WorkerPool(
                backend(server, setup.workerPort()), encryption.backend(), workers, outcomes, setup.silence());
        WorkerServers servers = WorkerServers.of(pool, RunningSettings.of(config), encryption.backend(), outcomes);
        FanOutService service =
                new FanOutService(RunningSettings.of(config), servers, outcomes, SplitObserver.NONE, Map.of());
        ProxyServer proxy = new ProxyServer(
                RunningSettings.of(config), encryption, service, Optional.empty(), ProxiedServer::killed, outcomes);
        proxy.start();
        return new ProxiedServer(server, encryption, servers, service, proxy, outcomes);
    }

    private static BackendConfig backend(TestServer server, int port) {
        return port == 0
                ? new BackendConfig(server.host(), server.port(), Duration.ofSeconds(10), KEEP_ALIVE)
                : new BackendConfig("127.0.0.1", port, Duration.ofSeconds(10), KEEP_ALIVE);
    }

    private static OptionalLong killed(byte[] sql, int offset, int length) {
        return KillStatement.parse(sql, offset, length)
                .map(kill -> OptionalLong.of(kill.threadId()))
                .orElse(OptionalLong.empty());
    }

    public static WireConnection connect(String host, int port, String user, String password)
            throws IOException, ServerException {
        return WireConnection.open(new WireSettings(
                host,
                port,
                user,
                new Secret(password),
                Duration.ofSeconds(10),
                Duration.ofSeconds(120),
                Duration.ZERO,
                WireSettings.DEFAULT_MAX_PAYLOAD_BYTES));
    }

    public TestServer server() {
        return server;
    }

    public int port() {
        return proxy.port();
    }

    /** Opens an administrator's connection direct to the server. */
    public WireConnection direct() throws IOException, ServerException {
        return direct(server.adminUser(), server.adminPassword());
    }

    public WireConnection direct(String user, String password) throws IOException, ServerException {
        return connect(server.host(), server.port(), user, password);
    }

    /** Opens an administrator's connection through the proxy. */
    public WireConnection proxied() throws IOException, ServerException {
        return proxied(server.adminUser(), server.adminPassword());
    }

    public WireConnection proxied(String user, String password) throws IOException, ServerException {
        return connect("127.0.0.1", proxy.port(), user, password);
    }

    /** Returns the servers that fan-outs may read. */
    public WorkerServers servers() {
        return servers;
    }

    /** Returns what splits the statements of this proxy. */
    public FanOutService fanOut() {
        return fanOut;
    }

    /** Refreshes the proxy's catalog after tables were created. */
    public void tablesChanged() {
        if (!fanOut.refreshCatalog()) {
            throw new IllegalStateException("the catalog could not be read");
        }
    }

    /** Has the proxy try at once to lock tables that it could not lock. */
    public void endLockPauses() {
        pool.snapshots().forget();
    }

    /** Forgets all outcomes so far. */
    public void forget() {
        outcomes.queue.clear();
        outcomes.attempts.clear();
    }

    /** Returns the attempts to open equal snapshots since the last call. */
    public List<Attempt> attempts() {
        List<Attempt> attempts = new ArrayList<>();
        outcomes.attempts.drainTo(attempts);
        return attempts;
    }

    /** Returns the outcome of the next statement that the proxy analyzed. Fails if there is none. */
    public Outcome outcome() throws InterruptedException {
        Outcome outcome = outcomes.queue.poll(20, TimeUnit.SECONDS);
        if (outcome == null) {
            throw new AssertionError("the proxy did not even look at the statement");
        }
        return outcome;
    }

    /** Whether {@link #outcome} has nothing to return. */
    public boolean lookedAtNothing() {
        return outcomes.queue.isEmpty();
    }

    /** Returns the number of fan-outs since {@link #forget} that {@link #outcome} has not returned. */
    long fanOuts() {
        return outcomes.queue.stream().filter(Outcome::fannedOut).count();
    }

    /** Returns the number of cancelled fan-outs. */
    public int cancelled() {
        return outcomes.cancelled.get();
    }

    /** Returns the number of answers that ended with an error after their first rows. */
    public int brokenOff() {
        return outcomes.brokenOff.get();
    }

    /** Returns the number of waiting requests for worker connections. */
    public int waiting() {
        return pool.waiting();
    }

    /** Returns the number of worker connections that were revoked while others waited. */
    public int revoked() {
        return outcomes.revoked.get();
    }

    /** Returns the number of idle worker connections. */
    public int freeWorkers() {
        return pool.free();
    }

    /** Returns the number of transactions that keep snapshots of workers open without reading at the moment. */
    public int retained() {
        return pool.retained().idle();
    }

    /** Returns the number of fan-outs that answered the first statement of a transaction, or later ones. */
    public int inTransaction(boolean first) {
        return (first ? outcomes.firstInTransaction : outcomes.laterInTransaction).get();
    }

    /** Returns the number of statements that were considered for splitting and whose end was not counted yet. */
    public int openAttempts() {
        return outcomes.open.get();
    }

    /** Returns the number of verifications with a result. */
    public int verified(VerifyResult result) {
        return outcomes.verified.getOrDefault(result, 0);
    }

    /** Returns the number of verifications that have ended. */
    public int verified() {
        return outcomes.verified.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Returns the statements whose answer differed from the server's. */
    public DifferingStatements differing() {
        return fanOut.differing();
    }

    /** Waits until the proxy reads the server's binary log. */
    public void awaitChangeStream() {
        await().until(() -> fanOut.changeStream().orElseThrow(), StreamState::connected);
    }

    /** Returns the number of partition queries with this outcome since the last call. */
    public int reuse(ReuseOutcome outcome) {
        Integer found = outcomes.reuse.remove(outcome);
        return found == null ? 0 : found;
    }

    /** Returns the heap used by rows that may be used again, in bytes. */
    public long reuseBytes() {
        return fanOut.reuseBytes();
    }

    /** Returns the number of connected clients. */
    public int sessions() {
        return proxy.sessions();
    }

    /** Returns the heap used by merges, in bytes. */
    public long heldMemoryBytes() {
        return fanOut.heldMemoryBytes();
    }

    @Override
    public void close() throws InterruptedException {
        proxy.stop(Duration.ZERO);
        fanOut.close();
        encryption.close();
        EventLoopGuard.requireNothingBlocked();
    }

    private static final class Outcomes implements FanfoldMetrics {
        private final BlockingQueue<Outcome> queue = new LinkedBlockingQueue<>();
        private final BlockingQueue<Attempt> attempts = new LinkedBlockingQueue<>();
        private final AtomicInteger open = new AtomicInteger();
        private final Map<VerifyResult, Integer> verified = new ConcurrentHashMap<>();
        private final Map<ReuseOutcome, Integer> reuse = new ConcurrentHashMap<>();
        private final AtomicInteger cancelled = new AtomicInteger();
        private final AtomicInteger brokenOff = new AtomicInteger();
        private final AtomicInteger revoked = new AtomicInteger();
        private final AtomicInteger firstInTransaction = new AtomicInteger();
        private final AtomicInteger laterInTransaction = new AtomicInteger();

        @Override
        public void attempted() {
            open.incrementAndGet();
        }

        @Override
        public void passedThrough(Reason reason) {
            open.decrementAndGet();
            queue.add(new Outcome(reason, 0, 0, "", List.of()));
        }

        @Override
        public void fannedOut(int partitions, int degree, String snapshot, List<Integer> filterKeys, long nanos) {
            open.decrementAndGet();
            queue.add(new Outcome(null, partitions, degree, snapshot, filterKeys));
        }

        @Override
        public void inTransaction(boolean first) {
            (first ? firstInTransaction : laterInTransaction).incrementAndGet();
        }

        @Override
        public void snapshot(String outcome, int rounds, long nanos) {
            attempts.add(new Attempt(outcome, rounds, nanos));
        }

        @Override
        public void reuse(ReuseOutcome outcome, long savedNanos) {
            reuse.merge(outcome, 1, Integer::sum);
        }

        @Override
        public void verified(VerifyReport report) {
            verified.merge(report.result(), 1, Integer::sum);
        }

        @Override
        public void revoked() {
            revoked.incrementAndGet();
        }

        @Override
        public void cancelled() {
            open.decrementAndGet();
            cancelled.incrementAndGet();
        }

        @Override
        public void brokeOff(Reason reason) {
            open.decrementAndGet();
            brokenOff.incrementAndGet();
        }
    }
}

package io.fanfold.backend;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.WorkersConfig;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.row.Row;
import io.fanfold.tls.BackendTls;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker connections to one server. A query gets its connections all at once, or fewer, or none: it never waits while
 * it holds some. Can be made while the server is down; connecting is tried again in the background. Safe for all threads.
 */
public final class WorkerPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);

    /** Connections kept open when nothing is asked for; also what finds out that a server is back. */
    private static final int IDLE = 2;

    /** The longest a query waits for a connection that has to be opened. */
    private static final long OPEN_WAIT_MILLIS = 2_000;

    private static final long KEEP_ALIVE_MILLIS = 120_000;

    /** Where a name stands for several servers, a look may change the workers' server each time. */
    private static final long LOOK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** After how long without a byte a server is asked whether it still works on a statement. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    /** How long a connection with a user-level lock may be idle. */
    private static final int LOCKED_SECONDS = 86_400;

    /** For a connection that is to be there soon or not at all. */
    private final WireSettings sideSettings;

    private final WorkerDataSource source;
    private final HikariDataSource connections;
    private final Permits permits;
    private final RetainedSnapshots retained;
    private final SnapshotOpener snapshots;
    private final KillSwitch killSwitch;
    private final AtomicLong nextLook = new AtomicLong(System.nanoTime());
    private final StatementWatch watch;

    /**
     * Makes the pool and starts connecting in the background.
     *
     * @param tls encrypts its connections; null for none
     * @throws IllegalArgumentException when no worker account is configured
     */
    public WorkerPool(BackendConfig backend, @Nullable BackendTls tls, WorkersConfig workers) {
        this(backend, tls, workers, FanfoldMetrics.NONE);
    }

    /** The same; what happens in the queue is counted. */
    public WorkerPool(BackendConfig backend, @Nullable BackendTls tls, WorkersConfig workers, FanfoldMetrics metrics) {
        this(backend, tls, workers, metrics, SILENCE);
    }

    /**
     * The same.
     *
     * @param silence how long a server may send nothing until it is asked, over another connection, whether it still works on
     *     the statement; where it does not, the connection is given up after as long again. Positive
     */
    public WorkerPool(
            BackendConfig backend,
            @Nullable BackendTls tls,
            WorkersConfig workers,
            FanfoldMetrics metrics,
            Duration silence) {
        if (!workers.enabled()) {
            throw new IllegalArgumentException("no worker account is configured");
        }
        WireSettings settings = WireSettings.of(backend, tls, workers);
        this.sideSettings = SideConnection.hurried(settings);
        this.watch = new StatementWatch(settings, silence);
        this.source = new WorkerDataSource(settings, watch);
        this.retained = new RetainedSnapshots(this::awaited);
        this.permits = new Permits(
                new Permits.Bounds(workers.connections(), workers.connectionsPerUser(), workers.queueLength()),
                metrics,
                retained::releaseAll);
        this.killSwitch = new KillSwitch(settings);
        this.snapshots = new SnapshotOpener(new Locking());
        this.connections = new HikariDataSource(hikari(backend, workers));
    }

    private HikariConfig hikari(BackendConfig backend, WorkersConfig workers) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setPoolName("workers");
        config.setMaximumPoolSize(workers.connections());
        config.setMinimumIdle(Math.min(IDLE, workers.connections()));
        config.setInitializationFailTimeout(-1);
        long connectMillis = Math.max(250, backend.connectTimeout().toMillis());
        config.setConnectionTimeout(Math.min(OPEN_WAIT_MILLIS, connectMillis));
        config.setValidationTimeout(Math.min(1_000, connectMillis));
        config.setIdleTimeout(workers.idleTimeout().toMillis());
        config.setMaxLifetime(workers.maxLifetime().toMillis());
        config.setKeepaliveTime(workers.maxLifetime().toMillis() > 2 * KEEP_ALIVE_MILLIS ? KEEP_ALIVE_MILLIS : 0);
        return config;
    }

    /**
     * Takes worker connections to one server for the proxy's own use, see {@link #admit}.
     *
     * @param atMost how many are wanted, 1 or more
     * @param atLeast how few will do, 1..atMost
     * @param wait how long to wait until the fewest are free
     * @return atLeast..atMost leases, each to be closed; none when too few were free in time, or the server could not be
     *     reached (see {@link #failure})
     */
    public List<Lease> acquire(int atMost, int atLeast, Duration wait) throws InterruptedException {
        return admit(new WorkerRequest(null, atMost, atLeast, wait)).leases();
    }

    /**
     * Takes worker connections to one server, or waits in the queue until the fewest that will do are free; where
     * connections have to be opened first, up to 2 s more.
     *
     * @param request made once; may be withdrawn by another thread
     */
    public Admission admit(WorkerRequest request) throws InterruptedException {
        if (source.failure() != null && idleConnections() < request.atLeast) {
            // Opening more would only cost the wait; the pool goes on trying in the background.
            return Admission.refused(Admission.Outcome.UNREACHABLE);
        }
        ServerFacts newest = source.facts();
        if (request.server != null && newest != null && !newest.serverKey().equals(request.server)) {
            return Admission.refused(Admission.Outcome.OTHER_SERVER);
        }
        retained.makeRoom(() -> permits.free() >= request.atMost);
        Admission.Outcome outcome = permits.take(request);
        Permits.Holding holding = request.holding;
        if (holding == null) {
            return Admission.refused(outcome);
        }
        List<Lease> leases = borrow(holding);
        if (request.server != null
                && leases.stream().anyMatch(lease -> !lease.facts().serverKey().equals(request.server))) {
            Lease.closeAll(leases);
            return Admission.refused(Admission.Outcome.OTHER_SERVER);
        }
        if (leases.size() < request.atLeast) {
            Lease.closeAll(leases);
            return Admission.refused(Admission.Outcome.UNREACHABLE);
        }
        return new Admission(leases, Admission.Outcome.ADMITTED);
    }

    private boolean awaited() {
        return permits.waiting() > 0;
    }

    /** The snapshots that stay open for the next statements of their transactions. */
    public RetainedSnapshots retained() {
        return retained;
    }

    /** Ends a request that waits; does nothing when it has ended. Returns at once. */
    public void withdraw(WorkerRequest request) {
        permits.withdraw(request);
    }

    /**
     * Finds out, in the background and not all the time, where a new connection leads: when a client is connected to another
     * server than the workers, either of them may be left over from before the name was pointed elsewhere. Connections to a server
     * that is not there any more, by that name, are closed, those in use when they are given back.
     */
    public void lookAgain() {
        long now = System.nanoTime();
        long due = nextLook.get();
        if (now - due >= 0 && nextLook.compareAndSet(due, now + LOOK_PAUSE_NANOS)) {
            Thread looking = new Thread(this::look, "workers-look");
            looking.setDaemon(true);
            looking.start();
        }
    }

    private void look() {
        ServerFacts before = source.facts();
        try {
            source.getConnection().close();
        } catch (SQLException e) {
            return;
        }
        ServerFacts now = source.facts();
        if (before != null && now != null && !now.serverKey().equals(before.serverKey())) {
            LOG.info(
                    "worker connections lead to another server now: {} instead of {}",
                    now.serverKey(),
                    before.serverKey());
            HikariPoolMXBean pool = connections.getHikariPoolMXBean();
            if (pool != null) {
                pool.softEvictConnections();
            }
        }
    }

    private int idleConnections() {
        return connections.getHikariPoolMXBean() == null
                ? 0
                : connections.getHikariPoolMXBean().getIdleConnections();
    }

    /**
     * A query that holds connections asks for one more, and never waits for it: where none is free, one beside those of the pool is
     * opened.
     */
    private final class Locking implements LockConnections {
        @Override
        public Optional<Holder> connect(ServerFacts server) throws IOException, ServerException, InterruptedException {
            for (Lease lease : acquire(1, 1, Duration.ZERO)) {
                if (lease.facts().serverKey().equals(server.serverKey())) {
                    return Optional.of(new Leased(lease, killSwitch));
                }
                lease.close();
                return Optional.empty();
            }
            WireConnection extra = WireConnection.open(sideSettings);
            boolean used = false;
            try {
                SideConnection.Place place =
                        new SideConnection.Place(ServerFacts.discover(extra).serverKey(), extra.address());
                used = place.serverKey().equals(server.serverKey());
                return used ? Optional.of(new Extra(extra, place, killSwitch)) : Optional.empty();
            } finally {
                if (!used) {
                    extra.abort();
                }
            }
        }

        private record Leased(Lease lease, KillSwitch kills) implements Holder {
            @Override
            public WireConnection connection() {
                return lease.connection();
            }

            @Override
            public void killQuery() throws IOException, ServerException {
                kills.killQuery(List.of(lease));
            }

            @Override
            public void close() {
                lease.close();
            }
        }

        private record Extra(WireConnection connection, SideConnection.Place place, KillSwitch kills)
                implements Holder {
            @Override
            public void killQuery() throws IOException, ServerException {
                kills.killQuery(place, List.of(connection.threadId()));
            }

            @Override
            public void close() {
                connection.close();
            }
        }
    }

    /** Borrows as many connections as permits were taken, or fewer, giving the other permits back. */
    private List<Lease> borrow(Permits.Holding holding) throws InterruptedException {
        int taken = holding.held();
        int there = source.failure() == null ? taken : Math.min(taken, idleConnections());
        List<Lease> leases = new ArrayList<>(taken);
        boolean interrupted = false;
        try {
            for (int i = 0; i < there; i++) {
                leases.add(new Lease(this, connections.getConnection(), holding));
            }
        } catch (SQLException e) {
            interrupted = Thread.interrupted();
        } finally {
            permits.giveBack(holding, taken - leases.size(), 0);
        }
        if (interrupted) {
            Lease.closeAll(leases);
            throw new InterruptedException("interrupted while waiting for a worker connection");
        }
        return ofOneServer(leases);
    }

    /** Drops connections that lead elsewhere than the newest: behind one name there may be another server by now. */
    private List<Lease> ofOneServer(List<Lease> leases) {
        ServerFacts newest = source.facts();
        if (newest == null) {
            return leases;
        }
        List<Lease> same = new ArrayList<>();
        for (Lease lease : leases) {
            if (lease.facts().serverKey().equals(newest.serverKey())) {
                same.add(lease);
            } else {
                lease.connection().abort();
                lease.close();
            }
        }
        return same;
    }

    /** Takes a connection back; its permit is given back by {@link #giveBack}. */
    void putBack(Connection pooled, boolean reusable) {
        try {
            if (!reusable) {
                connections.evictConnection(pooled);
            }
            pooled.close();
        } catch (SQLException e) {
            connections.evictConnection(pooled);
        }
    }

    void giveBack(Permits.Holding holding, int count, int asked) {
        permits.giveBack(holding, count, asked);
    }

    boolean askBack(Permits.Holding holding) {
        return permits.askBack(holding);
    }

    /** What is known of the server; empty until the first worker connection was opened. */
    public Optional<ServerFacts> facts() {
        return Optional.ofNullable(source.facts());
    }

    /** Why no worker connection can be opened at present; empty when the last attempt succeeded or is still under way. */
    public Optional<ConnectFailure> failure() {
        return Optional.ofNullable(source.failure()).map(ConnectFailure::of);
    }

    /**
     * Opens a connection and closes it again, if none was tried yet. Afterwards {@link #acquire} does not wait for a server that
     * cannot be reached, nor for an account that is refused. Returns when the attempt has ended.
     */
    public void tryOnce() {
        if (source.facts() != null || source.failure() != null) {
            return;
        }
        try {
            source.getConnection().close();
        } catch (SQLException e) {
            LOG.debug("the first attempt to open a worker connection failed", e);
        }
    }

    /** How many requests wait for worker connections now; for display. */
    public int waiting() {
        return permits.waiting();
    }

    /** How many worker connections are free to be taken now; for display. */
    public int free() {
        return permits.free();
    }

    /** Opens proven snapshots on connections of this pool. */
    public SnapshotOpener snapshots() {
        return snapshots;
    }

    /**
     * Takes a user-level lock on the server of a lease, over a connection of its own, which needs no right. The server has to
     * answer within a second.
     *
     * @param name at most 64 letters, digits and spaces
     * @return the connection, which has the lock until it is closed
     */
    public WireConnection lock(Lease lease, String name) throws IOException, ServerException {
        WireConnection connection =
                WireConnection.open(sideSettings.at(lease.place().address()));
        boolean taken = false;
        try {
            // else a server that closes idle connections soon would give the lock away
            connection.execute("SET SESSION wait_timeout = " + LOCKED_SECONDS);
            List<Row> rows =
                    connection.query("SELECT GET_LOCK('" + name + "', 0)").rows();
            taken = rows.toString().equals("[1]");
            if (!taken) {
                throw new IOException("the lock " + name + " is not to be had: " + rows);
            }
            return connection;
        } finally {
            if (!taken) {
                connection.abort();
            }
        }
    }

    /** Kills statements of this pool's connections. */
    public KillSwitch killSwitch() {
        return killSwitch;
    }

    /** Closes all connections; those in use are aborted. */
    @Override
    public void close() {
        retained.close();
        connections.close();
        killSwitch.close();
        watch.close();
    }
}

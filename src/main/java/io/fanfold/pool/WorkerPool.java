package io.fanfold.pool;

import io.fanfold.client.ConnectFailure;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.SideConnection;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.WorkersConfig;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.pool.WorkerRequest.AdmissionOutcome;
import io.fanfold.row.Row;
import io.fanfold.snapshot.LockConnections;
import io.fanfold.snapshot.SnapshotOpener;
import io.fanfold.tls.BackendTls;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Pools the worker connections to one server. A query takes all its connections in one step, so it never waits while it
 * holds some.
 *
 * <p>The pool can be created while the server is down; it keeps trying to connect in the background. Safe for use by
 * multiple threads.
 */
public final class WorkerPool implements AutoCloseable {
    /** After this time without a byte, the pool checks whether the server still runs the statement. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    /** wait_timeout, in seconds, of a connection that holds a user-level lock. */
    private static final int LOCKED_SECONDS = 86_400;

    /** Settings with short timeouts, for connections that must open quickly or fail. */
    private volatile WireSettings sideSettings;

    private final PooledConnections connections;
    private final AdmissionController permits;
    private final RetainedSnapshots retained;
    private final SnapshotOpener snapshots;
    private final KillSwitch killSwitch;

    /**
     * Creates the pool and starts connecting in the background.
     *
     * @param tls encrypts the connections; null for no encryption
     * @throws IllegalArgumentException if no worker account is configured
     */
    public WorkerPool(BackendConfig backend, @Nullable BackendTls tls, WorkersConfig workers) {
        this(backend, tls, workers, FanfoldMetrics.NONE);
    }

    /** Creates a pool that records the queue's events in {@code metrics}. */
    public WorkerPool(BackendConfig backend, @Nullable BackendTls tls, WorkersConfig workers, FanfoldMetrics metrics) {
        this(backend, tls, workers, metrics, SILENCE);
    }

    /**
     * Creates a pool with a given silence limit.
     *
     * @param silence how long a server may send nothing before the pool asks it, over another connection, whether it
     *     still runs the statement. If it does not, the connection is given up after the same time again. Positive
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
        this.retained = new RetainedSnapshots(this::awaited);
        this.permits = new AdmissionController(PoolLimits.of(workers), metrics, retained::releaseAll);
        this.killSwitch = new KillSwitch(settings);
        this.snapshots = new SnapshotOpener(new Locking());
        this.connections = new PooledConnections(settings, backend, workers, silence);
    }

    /**
     * Takes changed settings over, except another account. Queries keep the connections that they have.
     */
    public void change(WorkersConfig before, WorkersConfig now) {
        if (!now.password().equals(before.password())) {
            sideSettings = sideSettings.withPassword(now.password());
            killSwitch.password(now.password());
        }
        // connections first: what the permits allow must be there
        boolean more = now.connections() > before.connections();
        if (more) {
            connections.change(before, now);
        }
        permits.limit(PoolLimits.of(now));
        if (!more) {
            connections.change(before, now);
        }
    }

    /** Connects to another server from now on. Queries keep the connections that they have. */
    void moveTo(HostPort server) {
        sideSettings = sideSettings.to(server);
        killSwitch.moveTo(server);
        connections.moveTo(server);
    }

    /**
     * Takes worker connections to one server for the proxy's own use, see {@link #admit}. They have answered a ping.
     *
     * @param atMost the wanted number of connections, 1 or more
     * @param atLeast the smallest acceptable number, 1..atMost
     * @param wait how long to wait until {@code atLeast} connections are free
     * @return atLeast..atMost leases, which the caller closes. Empty if too few were free in time or the server could
     *     not be reached (see {@link #failure})
     */
    public List<Lease> acquire(int atMost, int atLeast, Duration wait) throws InterruptedException {
        List<Lease> leases =
                admit(new WorkerRequest(null, atMost, atLeast, wait)).leases();
        if (leases.stream().allMatch(Lease::alive)) {
            return leases;
        }
        Lease.closeAll(leases);
        renew();
        return admit(new WorkerRequest(null, atMost, atLeast, wait)).leases();
    }

    /**
     * Takes worker connections to one server, or queues the request until enough are free. Opening new connections may
     * add up to 2 s. A connection may have died while it was idle; after an {@link IOException} the caller may
     * call {@link #renew} and try once more.
     *
     * @param request used for this call only; another thread may withdraw it
     */
    public Admission admit(WorkerRequest request) throws InterruptedException {
        if (connections.promising(request.atLeast) < request.atLeast) {
            return Admission.refused(AdmissionOutcome.UNREACHABLE);
        }
        ServerFacts newest = connections.newestServer();
        if (request.server != null && newest != null && !newest.serverKey().equals(request.server)) {
            return Admission.refused(AdmissionOutcome.OTHER_SERVER);
        }
        retained.makeRoom(() -> permits.free() >= request.atMost);
        AdmissionOutcome outcome = permits.take(request);
        AdmissionController.Holding holding = request.holding;
        if (holding == null) {
            return Admission.refused(outcome);
        }
        List<Lease> leases = borrow(holding);
        if (request.server != null
                && leases.stream().anyMatch(lease -> !lease.facts().serverKey().equals(request.server))) {
            Lease.closeAll(leases);
            return Admission.refused(AdmissionOutcome.OTHER_SERVER);
        }
        if (leases.size() < request.atLeast) {
            Lease.closeAll(leases);
            return Admission.refused(AdmissionOutcome.UNREACHABLE);
        }
        return new Admission(leases, AdmissionOutcome.ADMITTED);
    }

    /** Closes all idle connections, since one was dead. Those in use are closed when they are released. */
    public void renew() {
        connections.renew();
    }

    private boolean awaited() {
        return permits.waiting() > 0;
    }

    /** Returns the snapshots kept open for the next statements of their transactions. */
    public RetainedSnapshots retained() {
        return retained;
    }

    /** Ends a waiting request; does nothing if it has ended already. Returns at once. */
    public void withdraw(WorkerRequest request) {
        permits.withdraw(request);
    }

    /**
     * Checks in the background, at most every two seconds, which server a new connection reaches. Call this when a
     * client is connected to another server than the workers: the host name may point to a new server since either
     * connected.
     *
     * <p>If the server has changed, the pool closes its old connections; those in use are closed when they are
     * released.
     */
    public void lookAgain() {
        connections.lookAgain();
    }

    /**
     * Supplies the connection that locks tables. Its caller already holds connections, so it must not wait for one. If
     * none is free, it opens one outside the pool.
     */
    private final class Locking implements LockConnections {
        @Override
        public Optional<Holder> connect(ServerFacts server) throws IOException, ServerException, InterruptedException {
            for (Lease lease : acquire(1, 1, Duration.ZERO)) {
                if (lease.facts().serverKey().equals(server.serverKey())) {
                    return Optional.of(new Leased(lease));
                }
                lease.close();
                return Optional.empty();
            }
            WireConnection extra = WireConnection.open(sideSettings);
            boolean used = false;
            try {
                SideConnection.ServerPlace place = new SideConnection.ServerPlace(
                        ServerFacts.discover(extra).serverKey(), extra.address());
                used = place.serverKey().equals(server.serverKey());
                return used ? Optional.of(new Extra(extra, place, killSwitch)) : Optional.empty();
            } finally {
                if (!used) {
                    extra.abort();
                }
            }
        }

        private record Leased(Lease lease) implements Holder {
            @Override
            public WireConnection connection() {
                return lease.connection();
            }

            @Override
            public void killQuery() throws IOException, ServerException {
                KillSwitch.killQueries(List.of(lease));
            }

            @Override
            public void close() {
                lease.close();
            }
        }

        private record Extra(WireConnection connection, SideConnection.ServerPlace place, KillSwitch kills)
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

    /** Borrows one connection for each permit taken. Releases the permits of connections that could not be opened. */
    private List<Lease> borrow(AdmissionController.Holding holding) throws InterruptedException {
        int taken = holding.held();
        int there = connections.promising(taken);
        List<Lease> leases = new ArrayList<>(taken);
        boolean interrupted = false;
        try {
            for (int i = 0; i < there; i++) {
                leases.add(new Lease(connections, connections.take(), permits, holding, killSwitch));
            }
        } catch (SQLException e) {
            interrupted = Thread.interrupted();
        } finally {
            permits.release(holding, taken - leases.size(), 0);
        }
        if (interrupted) {
            Lease.closeAll(leases);
            throw new InterruptedException("interrupted while waiting for a worker connection");
        }
        return ofOneServer(leases);
    }

    /** Drops connections to servers other than the newest one's: the host name may have changed its server since. */
    private List<Lease> ofOneServer(List<Lease> leases) {
        ServerFacts newest = connections.newestServer();
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

    /** Returns how a further connection of the worker account is opened now. The server may be silent for a second at most. */
    public WireSettings login() {
        return sideSettings;
    }

    /** Returns the facts about the server; empty until the first worker connection has been opened. */
    public Optional<ServerFacts> facts() {
        return Optional.ofNullable(connections.newestServer());
    }

    /**
     * Returns why worker connections cannot be opened at present. Empty if the last attempt succeeded or none has
     * ended.
     */
    public Optional<ConnectFailure> failure() {
        return connections.failure();
    }

    /**
     * Opens and closes a connection if none has been tried yet; returns when the attempt has ended. After that,
     * {@link #acquire} does not wait for an unreachable server or a refused account.
     */
    public void tryOnce() {
        connections.tryOnce();
    }

    /**
     * Logs in as the worker account over a connection outside the pool, and closes it. The server may be silent for at
     * most a second.
     *
     * @return why it failed; empty if it succeeded
     */
    public Optional<ConnectFailure> tryLogin() {
        try {
            WireConnection.open(sideSettings).close();
            return Optional.empty();
        } catch (IOException | ServerException e) {
            return Optional.of(ConnectFailure.of(e));
        }
    }

    /** Shows the states of the connections, and the times to open and to borrow them, as meters. To be called once. */
    public void measure(MeterRegistry registry) {
        connections.measure(registry);
    }

    /** Returns the number of requests that wait for worker connections; for display. */
    public int waiting() {
        return permits.waiting();
    }

    /** Returns the number of free worker connections, for display. Negative if a lower limit is already exceeded. */
    public int free() {
        return permits.free();
    }

    /** Returns the opener of proven snapshots on this pool's connections. */
    public SnapshotOpener snapshots() {
        return snapshots;
    }

    /**
     * Takes a user-level lock on the server of a lease, over a separate connection. This needs no privilege. The server
     * must answer within a second.
     *
     * @param name at most 64 letters, digits and spaces
     * @return the connection, which holds the lock until it is closed
     */
    public WireConnection lock(Lease lease, String name) throws IOException, ServerException {
        WireConnection connection =
                WireConnection.open(sideSettings.at(lease.place().address()));
        boolean taken = false;
        try {
            // a server with a short wait_timeout would close the idle connection and so release the lock
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

    /** Returns the switch that kills statements on this pool's connections. */
    public KillSwitch killSwitch() {
        return killSwitch;
    }

    /** Closes all connections and aborts those in use. */
    @Override
    public void close() {
        retained.close();
        connections.close();
        killSwitch.close();
    }
}

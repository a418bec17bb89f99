package io.fanfold.pool;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import io.fanfold.client.ConnectFailure;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.StatementWatch;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.WorkersConfig;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens worker connections, keeps idle ones, and follows the host name to another server. Does not know who uses a
 * connection, or how many one query may have: {@link WorkerPool} decides that.
 *
 * <p>Keeps trying to connect in the background while the server is down. Safe for use by multiple threads.
 */
final class PooledConnections implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PooledConnections.class);

    /** Connections kept open while the pool is unused. They also detect that a server is up again. */
    private static final int IDLE = 2;

    /** The longest time that a query waits for a new connection to open. */
    private static final long OPEN_WAIT_MILLIS = 2_000;

    private static final long KEEP_ALIVE_MILLIS = 120_000;

    static {
        // HikariCP pings each connection that it lends after half a second of rest, one after the other. A dead
        // connection shows itself at the first statement anyway, see renew.
        System.setProperty("com.zaxxer.hikari.aliveBypassWindowMs", String.valueOf(Long.MAX_VALUE));
    }

    /**
     * The pause between two lookups. A host name may resolve to several servers, so each lookup may change the workers'
     * server.
     */
    private static final long LOOK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final StatementWatch watch;
    private final WorkerDataSource source;
    private final HikariDataSource connections;
    private final AtomicLong nextLook = new AtomicLong(System.nanoTime());

    /**
     * Starts connecting in the background.
     *
     * @param silence how long a server may send nothing before it is asked whether it still runs the statement
     */
    PooledConnections(WireSettings settings, BackendConfig backend, WorkersConfig workers, Duration silence) {
        this.watch = new StatementWatch(settings, silence);
        this.source = new WorkerDataSource(settings, watch);
        this.connections = new HikariDataSource(hikari(backend, workers));
    }

    private HikariConfig hikari(BackendConfig backend, WorkersConfig workers) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setPoolName("workers");
        config.setInitializationFailTimeout(-1);
        long connectMillis = Math.max(250, backend.connectTimeout().toMillis());
        config.setConnectionTimeout(Math.min(OPEN_WAIT_MILLIS, connectMillis));
        config.setValidationTimeout(Math.min(1_000, connectMillis));
        change(config, workers);
        return config;
    }

    /** Sets what may change while the pool is in use. */
    private static void change(HikariConfig config, WorkersConfig workers) {
        config.setMaximumPoolSize(workers.connections());
        config.setMinimumIdle(Math.min(IDLE, workers.connections()));
        config.setIdleTimeout(workers.idleTimeout().toMillis());
        config.setMaxLifetime(workers.maxLifetime().toMillis());
        config.setKeepaliveTime(workers.maxLifetime().toMillis() > 2 * KEEP_ALIVE_MILLIS ? KEEP_ALIVE_MILLIS : 0);
    }

    /** Takes changed settings over, except another account. */
    void change(WorkersConfig before, WorkersConfig now) {
        if (!now.password().equals(before.password())) {
            source.password(now.password());
            lookAgain();
        }
        change(connections, now);
        if (!now.maxLifetime().equals(before.maxLifetime())) {
            // a connection keeps the lifetime that it was opened with
            renew();
        }
    }

    /** Connects to another server from now on, and closes the connections to the one before. */
    void moveTo(HostPort server) {
        source.moveTo(server);
        lookInBackground();
    }

    /**
     * Returns how many of the wanted connections to ask for. While the server cannot be reached, these are the idle
     * ones: opening more would only add the connect timeout.
     */
    int promising(int wanted) {
        return source.failure() == null ? wanted : Math.min(wanted, idle());
    }

    private int idle() {
        HikariPoolMXBean pool = connections.getHikariPoolMXBean();
        return pool == null ? 0 : pool.getIdleConnections();
    }

    /**
     * Takes an idle connection or opens one, in at most 2 s. It may have died while it was idle.
     *
     * @return the connection, for {@link #putBack}
     * @throws SQLException if none could be opened, or the thread was interrupted
     */
    Connection take() throws SQLException {
        return connections.getConnection();
    }

    /** Takes a connection back, and closes it if it is not reusable. */
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

    /** Closes all idle connections, since one was dead. Those in use are closed when they are put back. */
    void renew() {
        HikariPoolMXBean pool = connections.getHikariPoolMXBean();
        if (pool != null) {
            pool.softEvictConnections();
        }
    }

    /** Returns the facts about the newest connection's server; null before the first connection. */
    @Nullable
    ServerFacts newestServer() {
        return source.facts();
    }

    /** Returns why the last attempt to connect failed; empty if it succeeded or none has ended. */
    Optional<ConnectFailure> failure() {
        return Optional.ofNullable(source.failure()).map(ConnectFailure::of);
    }

    /** Opens and closes a connection if none has been tried yet; returns when the attempt has ended. */
    void tryOnce() {
        if (source.facts() != null || source.failure() != null) {
            return;
        }
        try {
            source.getConnection().close();
        } catch (SQLException e) {
            LOG.debug("the first attempt to open a worker connection failed", e);
        }
    }

    /**
     * Checks in the background, at most every two seconds, which server a new connection reaches. If the server has
     * changed, closes the old connections; those in use are closed when they are put back.
     */
    void lookAgain() {
        long now = System.nanoTime();
        long due = nextLook.get();
        if (now - due >= 0 && nextLook.compareAndSet(due, now + LOOK_PAUSE_NANOS)) {
            lookInBackground();
        }
    }

    private void lookInBackground() {
        Thread looking = new Thread(this::look, "workers-look");
        looking.setDaemon(true);
        looking.start();
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
            renew();
        }
    }

    void measure(MeterRegistry registry) {
        connections.setMetricsTrackerFactory(new MicrometerMetricsTrackerFactory(registry));
    }

    /** Closes all connections and aborts those in use. */
    @Override
    public void close() {
        connections.close();
        watch.close();
    }
}

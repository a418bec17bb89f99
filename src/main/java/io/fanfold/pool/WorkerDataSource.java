package io.fanfold.pool;

import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.StatementWatch;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.HostPort;
import io.fanfold.config.Secret;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Opens worker connections for the pool and records the result of the last attempt. Safe for use by multiple threads.
 */
final class WorkerDataSource implements DataSource {
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(WorkerDataSource.class);

    private volatile WireSettings settings;
    private final StatementWatch watch;
    private volatile @Nullable Exception failure;
    private volatile @Nullable ServerFacts facts;

    /** In seconds. The pool sets it, and waits this long for its own threads when it is closed. */
    private volatile int loginTimeout;

    /** @param watch watches all connections that wait for a reply without a time limit; closed by its creator */
    WorkerDataSource(WireSettings settings, StatementWatch watch) {
        this.settings = settings;
        this.watch = watch;
    }

    /** Logs in with another password from now on. Open connections stay open. */
    void password(Secret password) {
        settings = settings.withPassword(password);
        watch.password(password);
    }

    /** Connects to another server from now on. Open connections stay open. */
    void moveTo(HostPort server) {
        settings = settings.to(server);
        watch.moveTo(server);
    }

    /** Returns why the last attempt to connect failed; null if it succeeded or there was none. */
    @Nullable
    Exception failure() {
        return failure;
    }

    /** Returns the facts of the newest connection; null before the first. */
    @Nullable
    ServerFacts facts() {
        return facts;
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            Connection opened = connect();
            if (failure != null) {
                LOG.debug("worker connections to {}:{} work again", settings.host(), settings.port());
            }
            failure = null;
            return opened;
        } catch (IOException | ServerException | RuntimeException e) {
            if (failure == null) {
                // the user is informed when the state of splitting is reported
                LOG.debug("no worker connection to {}:{} as {}", settings.host(), settings.port(), settings.user(), e);
            }
            failure = e;
            throw new SQLException(e.getMessage(), "08001", e);
        }
    }

    private Connection connect() throws IOException, ServerException {
        WireSettings login = settings;
        WireConnection wire = WireConnection.open(login);
        boolean ready = false;
        try {
            wire.readTimeout(login.connectTimeout());
            ServerFacts found = ServerFacts.discover(wire);
            watch.over(wire, found.serverKey());
            wire.readTimeout(login.readTimeout());
            facts = found;
            ready = true;
            return WorkerConnection.facade(wire, found);
        } finally {
            if (!ready) {
                wire.abort();
            }
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("worker connections have one account");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {
        // The pool logs elsewhere.
    }

    @Override
    public void setLoginTimeout(int seconds) {
        loginTimeout = seconds;
    }

    @Override
    public int getLoginTimeout() {
        return loginTimeout;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("no java.util.logging here");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("a source of worker connections is no " + type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }

    @Override
    public String toString() {
        return "worker connections to " + settings.host() + ":" + settings.port();
    }
}

package io.fanfold.client;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.time.Duration;

/** A real server for the tests of this package: an administrator, and a worker account with few privileges. */
public final class RealServer {
    public static final String SCHEMA = "backend_it";
    public static final String WORKER = "backend_worker";
    public static final String WORKER_PASSWORD = "w0rker";

    private final TestServer server;

    public RealServer(TestServer server) {
        this.server = server;
    }

    public WireSettings settings(String user, String password) {
        return new WireSettings(
                server.host(),
                server.port(),
                user,
                new Secret(password),
                Duration.ofSeconds(20),
                Duration.ofSeconds(60),
                Duration.ZERO,
                WireSettings.DEFAULT_MAX_PAYLOAD_BYTES);
    }

    public WireConnection admin() throws IOException, ServerException {
        return WireConnection.open(settings(server.adminUser(), server.adminPassword()));
    }

    WireConnection worker() throws IOException, ServerException {
        return WireConnection.open(settings(WORKER, WORKER_PASSWORD));
    }

    public BackendConfig backend() {
        return new BackendConfig(server.host(), server.port(), Duration.ofSeconds(10), Duration.ZERO);
    }

    public WorkersConfig workers(int connections) {
        return WorkersConfig.defaults().with(WORKER, new Secret(WORKER_PASSWORD), connections);
    }

    /** Creates the schema and the worker account, which may only read this schema. */
    public void prepare() throws IOException, ServerException {
        try (WireConnection admin = admin()) {
            admin.execute("CREATE DATABASE IF NOT EXISTS " + SCHEMA);
            admin.execute("CREATE USER IF NOT EXISTS " + WORKER + "@'%' IDENTIFIED BY '" + WORKER_PASSWORD + "'");
            admin.execute("GRANT SELECT, LOCK TABLES ON " + SCHEMA + ".* TO " + WORKER + "@'%'");
        }
    }

    /** Returns the only value of a result; "NULL" for NULL. */
    public static String value(WireConnection connection, String sql) throws IOException, ServerException {
        return connection.query(sql).rows().get(0).toString();
    }
}

package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.ConfigLoader;
import io.fanfold.config.FanOutConfig.KeyRanges;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.Secret;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.OwnMariaDb;
import io.fanfold.server.RunningProxy;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log lines when a proxy starts, and when an obstacle to splitting appears or disappears. */
class StartReportIT {
    private static final String WORKER = "start_it";

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();

    private static void run(TestServer server, String... statements) throws SQLException {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static FanfoldConfig config(String host, int port, String worker) {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        return new FanfoldConfig(
                new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO),
                new BackendConfig(host, port, Duration.ofSeconds(10), Duration.ZERO),
                defaults.workers().with(worker, new Secret("w"), 8),
                defaults.fanOut()
                        .withDegree(3)
                        .withMinRows(0)
                        .withKeyRanges(KeyRanges.OFF)
                        .withSplitPlainCount(true)
                        .withCatalogRefresh(Duration.ofMillis(100)),
                defaults.limits());
    }

    @AllServers
    void aMissingPrivilegeIsReportedWithItsGrantAndOnceItIsGranted(TestServer server) throws Exception {
        run(
                server,
                "DROP DATABASE IF EXISTS start_it",
                "CREATE DATABASE start_it",
                "CREATE TABLE start_it.t (a INT) PARTITION BY HASH (a) PARTITIONS 4",
                "DROP USER IF EXISTS " + WORKER,
                "CREATE USER " + WORKER + " IDENTIFIED BY 'w'");
        try (CapturedLog log = CapturedLog.of(Level.INFO);
                RunningProxy proxy =
                        ProxyProcess.start(RunningSettings.of(config(server.host(), server.port(), WORKER)))) {
            assertThat(log.lines())
                    .anyMatch(line -> line.startsWith("INFO listening on "))
                    .anyMatch(line -> line.startsWith("INFO server: M"))
                    .contains("WARN no statement is split: 'start_it'@'%' has no SELECT right. To change that:"
                            + " GRANT SELECT, LOCK TABLES ON your_schema.* TO 'start_it'@'%';");
            assertThat(proxy.port()).isPositive();
            run(server, "GRANT SELECT, LOCK TABLES ON start_it.* TO " + WORKER);
            await().until(() -> log.lines().contains("INFO statements are split again"));
            await().until(() ->
                    log.lines().contains("INFO tables: 'start_it'@'%' can read 1 partitioned table: start_it 1"));
            assertThat(log.lines())
                    .anyMatch(line -> line.startsWith("INFO proof of equal snapshots: "))
                    // another line follows if the privilege is granted after the tables are read and before the
                    // privileges are read
                    .filteredOn(line -> line.startsWith("WARN") && line.contains("has no SELECT right"))
                    .hasSize(1);
            run(server, "DROP USER " + WORKER, "DROP DATABASE start_it");
        }
    }

    /**
     * The log line of a statement names user, schema and text without literals. The line of a passed through one names
     * the reason.
     */
    @AllServers
    void statementsAreNamedInTheLog(TestServer server) throws Exception {
        run(
                server,
                "DROP DATABASE IF EXISTS start_it",
                "DROP DATABASE IF EXISTS start_it_unseen",
                "CREATE DATABASE start_it",
                "CREATE DATABASE start_it_unseen",
                "CREATE TABLE start_it.t (a INT, b VARCHAR(9)) PARTITION BY HASH (a) PARTITIONS 4",
                "CREATE TABLE start_it_unseen.u (a INT, b VARCHAR(9)) PARTITION BY HASH (a) PARTITIONS 4",
                "INSERT INTO start_it.t VALUES (1, 'x'), (2, 'y'), (3, 'z')",
                "DROP USER IF EXISTS " + WORKER,
                "CREATE USER " + WORKER + " IDENTIFIED BY 'w'",
                "GRANT SELECT ON start_it.* TO " + WORKER);
        String sum = "SELECT SUM(a), COUNT(*) FROM t WHERE b <> 'secret'";
        try (CapturedLog log = CapturedLog.of(Level.DEBUG);
                RunningProxy proxy =
                        ProxyProcess.start(RunningSettings.of(config(server.host(), server.port(), WORKER)));
                Connection client = client(server, proxy, "start_it");
                Statement statement = client.createStatement()) {
            String user = " of " + server.adminUser() + " in start_it";
            await().until(() -> {
                statement.executeQuery(sum).close();
                return log.lines().stream()
                        .anyMatch(line -> line.matches("INFO session \\d+" + user
                                + " fanned out: 4 partitions, degree 3, snapshot [a-z]+, \\d+ ms: \\QSELECT SUM(a),"
                                + " COUNT(*) FROM t WHERE b <> ?\\E"));
            });

            client.setAutoCommit(false);
            for (int i = 0; i < 3; i++) {
                statement.executeQuery(sum).close();
            }
            client.setAutoCommit(true);
            // it has seen split statements, so no advice is needed
            assertThat(log.lines()).noneMatch(line -> line.contains("Run reports first"));
            try (Connection other = client(server, proxy, "start_it");
                    Statement asking = other.createStatement()) {
                other.setAutoCommit(false);
                for (int i = 0; i < 3; i++) {
                    // so that no SELECT is the first statement
                    asking.execute("SAVEPOINT s");
                    asking.executeQuery(sum).close();
                }
            }
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Run reports first"))
                    .singleElement()
                    .asString()
                    // the schema is unknown after a statement that begins with a comment, as MySQL's driver sends one
                    .matches("INFO session \\d+ of " + server.adminUser() + "( in start_it)?: SELECTs"
                            + " are not split in a transaction that begins with another statement\\. Run"
                            + " reports first in a transaction, .*");

            try (Connection other = client(server, proxy, "start_it_unseen");
                    Statement asking = other.createStatement()) {
                asking.executeQuery("SELECT SUM(a) FROM u WHERE b <> 'secret'").close();
                asking.executeQuery("SELECT SUM(a) FROM u t WHERE b <> 'secret'")
                        .close();
            }
            for (String name : List.of("u", "u t")) {
                assertThat(log.lines())
                        .anyMatch(line -> line.startsWith("DEBUG session ")
                                && line.endsWith(" in start_it_unseen passed through: no_partitioned_table (the worker"
                                        + " account 'start_it'@'%' sees no partitioned or large table in schema start_it_unseen;"
                                        + " if there is one: GRANT SELECT ON start_it_unseen.* TO 'start_it'@'%';):"
                                        + " SELECT SUM(a) FROM " + name + " WHERE b <> ?"));
            }
        }
        run(server, "DROP USER " + WORKER, "DROP DATABASE start_it", "DROP DATABASE start_it_unseen");
    }

    /** An unpartitioned table, and an aggregate whose result depends on the order of the rows. */
    @AllServers
    void theLogNamesTheReasonWhyAStatementIsNotSplit(TestServer server) throws Exception {
        run(
                server,
                "DROP DATABASE IF EXISTS start_it",
                "CREATE DATABASE start_it",
                "CREATE TABLE start_it.t (a INT) PARTITION BY HASH (a) PARTITIONS 4",
                "CREATE TABLE start_it.plain (a INT)",
                "DROP USER IF EXISTS " + WORKER,
                "CREATE USER " + WORKER + " IDENTIFIED BY 'w'",
                "GRANT SELECT ON start_it.* TO " + WORKER);
        try (CapturedLog log = CapturedLog.of(Level.DEBUG);
                RunningProxy proxy =
                        ProxyProcess.start(RunningSettings.of(config(server.host(), server.port(), WORKER)));
                Connection client = client(server, proxy, "start_it");
                Statement statement = client.createStatement()) {
            for (String logged : List.of(
                    "no_partitioned_table (the statement names no partitioned or large table that the worker account can read):"
                            + " SELECT SUM(a) FROM plain",
                    "approximate (STD(a)): SELECT STD(a) FROM t")) {
                await().until(() -> {
                    statement
                            .executeQuery(logged.substring(logged.indexOf("SELECT ")))
                            .close();
                    return log.lines().stream()
                            .anyMatch(line -> line.startsWith("DEBUG session ")
                                    && line.endsWith(" in start_it passed through: " + logged));
                });
            }
        }
        run(server, "DROP USER " + WORKER, "DROP DATABASE start_it");
    }

    @OnServers(ServerName.MARIADB)
    void anUnknownNewerVersionIsSplitAndNamedOnceInTheLog(TestServer like) throws Exception {
        try (OwnMariaDb own = OwnMariaDb.start(like, folder.resolve("data"), "--version=99.1.0-MariaDB", "--log-bin")) {
            TestServer server = own.server();
            // the JDBC driver asks so new a server for variables that this one has not
            try (WireConnection admin = connect(server, server.port())) {
                for (String sql : List.of(
                        "CREATE DATABASE start_it",
                        "CREATE TABLE start_it.t (a INT) PARTITION BY HASH (a) PARTITIONS 4",
                        "INSERT INTO start_it.t VALUES (1), (2), (3)",
                        "CREATE USER " + WORKER + " IDENTIFIED BY 'w'",
                        "GRANT SELECT ON start_it.* TO " + WORKER)) {
                    admin.execute(sql);
                }
            }
            try (CapturedLog log = CapturedLog.of(Level.INFO);
                    RunningProxy proxy =
                            ProxyProcess.start(RunningSettings.of(config(server.host(), server.port(), WORKER)));
                    WireConnection client = connect(server, proxy.port())) {
                client.execute("USE start_it");
                await().until(() -> {
                    client.query("SELECT SUM(a) FROM t");
                    return log.lines().stream()
                            .anyMatch(line -> line.contains(" fanned out: 4 partitions, degree 3, snapshot verified"));
                });
                // tables have changed, so the server is inspected again
                client.execute("CREATE TABLE u (a INT) PARTITION BY HASH (a) PARTITIONS 4");
                await().until(() -> log.lines().stream().anyMatch(line -> line.contains("2 partitioned tables")));
                assertThat(log.lines())
                        .filteredOn(line -> line.contains("99.1.0"))
                        .containsExactly("INFO server: MariaDB 99.1.0 at " + server.host() + ":" + server.port()
                                + " (newer than the versions that the tests run on, MariaDB 10.11, 11.4, 11.8;"
                                + " statements are split as on 11.8)");
            }
        }
    }

    private static WireConnection connect(TestServer server, int port) throws IOException, ServerException {
        String host = port == server.port() ? server.host() : "127.0.0.1";
        return ProxiedServer.connect(host, port, server.adminUser(), server.adminPassword());
    }

    private static Connection client(TestServer server, RunningProxy proxy, String schema) throws SQLException {
        return DriverManager.getConnection(
                server.jdbcUrl("127.0.0.1", proxy.port(), schema), server.adminUser(), server.adminPassword());
    }

    @AllServers
    void checkConfigReportsTheSameWithoutStarting(TestServer server) throws Exception {
        run(
                server,
                "DROP DATABASE IF EXISTS start_it",
                "CREATE DATABASE start_it",
                "CREATE TABLE start_it.t (a INT) PARTITION BY HASH (a) PARTITIONS 4",
                "CREATE TABLE start_it.one (a INT) PARTITION BY HASH (a) PARTITIONS 1",
                "DROP USER IF EXISTS " + WORKER,
                "CREATE USER " + WORKER + " IDENTIFIED BY 'w'");
        assertThat(checkConfig(server)).isEqualTo(1);
        assertThat(out.toString())
                .contains(
                        "ok      server: M",
                        "BLOCKED 'start_it'@'%' has no SELECT right" + System.lineSeparator()
                                + "        to change that: GRANT SELECT, LOCK TABLES ON your_schema.* TO 'start_it'@'%';",
                        "No statement can be split.");
        run(server, "GRANT SELECT ON start_it.* TO " + WORKER);
        assertThat(checkConfig(server)).as(out.toString()).isZero();
        // EXPLAIN of MySQL estimates one row in an empty partition
        int least = server.kind() == ServerFlavor.MYSQL ? 1 : 0;
        assertThat(out.toString())
                .contains(
                        "ok      tables: 'start_it'@'%' can read 2 partitioned tables: start_it 2; 1 cannot be split:"
                                + " start_it.one (one partition)",
                        "ok      proof of equal snapshots: ",
                        "ok      TLS: clients ",
                        "ok      workers: at most 32 connections as 'start_it'@'%', degree auto",
                        "ok      connections: the server accepts ",
                        "ok      memory: heap ",
                        "table   start_it.one: 1 partitions, about " + least + " rows; never split: one partition",
                        "table   start_it.t: 4 partitions, about " + 4 * least + " rows; degree auto, min-rows 50000",
                        "Statements can be split.")
                .doesNotContain("BLOCKED");
        run(server, "DROP USER " + WORKER, "DROP DATABASE start_it");
    }

    private int checkConfig(TestServer server) throws IOException {
        Path file = Files.writeString(
                folder.resolve("fanfold.yaml"),
                "workers: {user: " + WORKER + "}\nbackend: {host: " + server.host() + ", port: " + server.port()
                        + "}\n");
        out.getBuffer().setLength(0);
        return Main.commandLine(
                        new ConfigLoader(Map.of(ConfigLoader.PASSWORD_VARIABLE, "w")::get),
                        ProxyProcess::start,
                        endpoint -> {
                            throw new IOException("none is opened");
                        })
                .setOut(new PrintWriter(out, true))
                .execute("check-config", "--connect", file.toString());
    }

    @Test
    void listensAtOnceIfTheServerIsUnreachable() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (CapturedLog log = CapturedLog.of(Level.INFO);
                RunningProxy proxy = ProxyProcess.start(RunningSettings.of(config("127.0.0.1", port, WORKER)))) {
            assertThat(proxy.port()).isPositive();
            assertThat(log.lines())
                    .filteredOn(line -> line.startsWith("WARN"))
                    .containsExactly("WARN no statement is split: the server at 127.0.0.1:" + port
                            + " cannot be reached: connection refused. To change that: start the server -- or: set"
                            + " backend.host and backend.port (--backend HOST:PORT)");
            assertThat(log.lines()).noneMatch(line -> line.contains("Exception"));
        }
    }

    @Test
    void aMissingAccountIsReportedWithTheStatementsThatCreateIt() throws Exception {
        try (CapturedLog log = CapturedLog.of(Level.INFO);
                RunningProxy proxy = ProxyProcess.start(RunningSettings.of(config("127.0.0.1", 1, "")))) {
            assertThat(proxy.port()).isPositive();
            List<String> warnings =
                    log.lines().stream().filter(line -> line.startsWith("WARN")).toList();
            assertThat(warnings)
                    .singleElement()
                    .asString()
                    .startsWith(
                            "WARN no statement is split: no worker account is configured. To change that: CREATE USER")
                    .contains("GRANT SELECT, LOCK TABLES ON", "workers.user: fanfold", "FANFOLD_WORKER_PASSWORD");
        }
    }
}

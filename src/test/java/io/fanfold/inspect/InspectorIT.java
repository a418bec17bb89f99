package io.fanfold.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.TablesText;
import io.fanfold.inspect.Finding.Severity;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.TestServers;
import io.fanfold.it.support.server.own.TestReplica;
import io.fanfold.pool.WorkerPool;
import io.fanfold.wire.ServerFlavor;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The findings about real servers and the privileges of the worker account. */
class InspectorIT {
    private static final String WORKER = "inspect_it";
    private static final String ACCOUNT = "'inspect_it'@'%'";

    @TempDir
    private Path folder;

    private static void run(TestServer server, String... statements) throws SQLException {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Creates a schema with tables of each kind, and a worker account with these privileges. */
    private static void prepare(TestServer server, String... grants) throws SQLException {
        run(
                server,
                "DROP DATABASE IF EXISTS inspect_it",
                "CREATE DATABASE inspect_it",
                "CREATE TABLE inspect_it.plain (a INT)",
                "CREATE TABLE inspect_it.t (a INT) ENGINE = InnoDB PARTITION BY HASH (a) PARTITIONS 4",
                "CREATE TABLE inspect_it.one (a INT) ENGINE = InnoDB PARTITION BY HASH (a) PARTITIONS 1",
                "INSERT INTO inspect_it.t VALUES (1), (2), (3)",
                "ANALYZE TABLE inspect_it.t",
                "DROP USER IF EXISTS " + ACCOUNT,
                "CREATE USER " + ACCOUNT + " IDENTIFIED BY 'w'");
        if (server.kind() == ServerFlavor.MARIADB) {
            run(server, "CREATE TABLE inspect_it.my (a INT) ENGINE = MyISAM PARTITION BY HASH (a) PARTITIONS 2");
        }
        run(server, grants);
    }

    private static FanfoldConfig config(String host, int port, String password) {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        return new FanfoldConfig(
                defaults.listener(),
                new BackendConfig(host, port, Duration.ofSeconds(10), Duration.ZERO),
                defaults.workers().with(WORKER, new Secret(password), 8),
                defaults.fanOut(),
                defaults.limits());
    }

    private static Inspection look(TestServer server, String password) throws Exception {
        return look(config(server.host(), server.port(), password));
    }

    private static Inspection look(FanfoldConfig config) throws Exception {
        try (WorkerPool pool = new WorkerPool(config.backend(), null, config.workers())) {
            return new Inspector(() -> config, pool).connect();
        }
    }

    private static String text(Inspection inspection, Severity severity) {
        return inspection.of(severity).stream().map(SplitState::line).collect(Collectors.joining("\n"));
    }

    private static String blocks(Inspection inspection) {
        return text(inspection, Severity.BLOCKS);
    }

    @AllServers
    void aHealthySetupIsReported(TestServer server) throws Exception {
        prepare(server, "GRANT SELECT ON inspect_it.* TO " + ACCOUNT);
        ServerFlavor flavor = server.kind();
        Inspection inspection = look(server, "w");
        assertThat(blocks(inspection)).isEmpty();
        assertThat(inspection.splits()).isTrue();
        assertThat(text(inspection, Severity.INFO).lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith(flavor.isMariaDb() ? "server: MariaDB 1" : "server: MySQL 9.7.")
                                .contains(" at " + server.host() + ":" + server.port() + " (a tested version"),
                        line -> assertThat(line)
                                .isEqualTo(
                                        flavor.isMariaDb()
                                                ? "tables: 'inspect_it'@'%' can read 3 partitioned tables: inspect_it 3;"
                                                        + " 2 cannot be split: inspect_it.my (engine MyISAM),"
                                                        + " inspect_it.one (one partition)"
                                                : "tables: 'inspect_it'@'%' can read 2 partitioned tables: inspect_it 2;"
                                                        + " 1 cannot be split: inspect_it.one (one partition)"),
                        line -> assertThat(line)
                                .isEqualTo("proof of equal snapshots: " + (flavor.isMariaDb() ? "binary log" : "gtid")),
                        line -> assertThat(line)
                                .isEqualTo("TLS: clients "
                                        + FanfoldConfig.defaults()
                                                .listener()
                                                .tls()
                                                .mode()
                                                .name()
                                                .toLowerCase(Locale.ROOT)
                                        + "; server disabled, workers without TLS"),
                        line -> assertThat(line)
                                .isEqualTo("workers: at most 8 connections as 'inspect_it'@'%', degree auto"));
        assertThat(text(inspection, Severity.DETAIL)).contains("(max_connections)", "memory: heap ");
        Inspection.Table table = inspection.tables().stream()
                .filter(Inspection.Table::splittable)
                .findFirst()
                .orElseThrow();
        assertThat(table.name()).hasToString("inspect_it.t");
        assertThat(table.partitions()).isEqualTo(4);
        // EXPLAIN of MySQL estimates one row in an empty partition too
        assertThat(table.rows()).isBetween(3L, 4L);
        assertThat(table.settings()).isEqualTo("degree auto, min-rows 50000");
    }

    /** Table settings are shown with their tables. A pattern that matches no partitioned table is advice. */
    @AllServers
    void settingsOfTablesAreReported(TestServer server) throws Exception {
        prepare(server, "GRANT SELECT ON inspect_it.* TO " + ACCOUNT);
        FanfoldConfig base = config(server.host(), server.port(), "w");
        Inspection inspection = look(base.withTables(TablesText.read(
                "inspect_it.t: {degree: 3, table-locks: refuse}",
                "inspect_it.one: {mode: off}",
                "inspect_it.tt: {degree: 2}",
                "inspect_it.plain: {degree: 2}")));
        assertThat(inspection.splits()).isTrue();
        assertThat(inspection.tables())
                .filteredOn(table -> !table.name().table().equals("my"))
                .extracting(table -> table.name() + ": " + table.settings() + "; " + table.obstacle())
                .containsExactlyInAnyOrder(
                        "inspect_it.t: degree 3, min-rows 50000, table-locks refuse (tables.inspect_it.t); ",
                        "inspect_it.one: degree auto, min-rows 50000 (tables.inspect_it.one);"
                                + " switched off by tables.inspect_it.one");
        assertThat(text(inspection, Severity.ADVICE).lines())
                .containsExactly(
                        "tables.inspect_it.tt: the worker account sees no such table. Either there is none, or the"
                                + " account has no right to read it. The nearest table that could be split is inspect_it.t",
                        "tables.inspect_it.plain: the table is not partitioned, and has too few rows or is not split by key ranges");

        Inspection off = look(base.withTables(TablesText.read("\"*.*\": {mode: off}")));
        assertThat(off.splits()).isFalse();
        assertThat(blocks(off)).contains("switched off by tables.*.*", "set mode: on for a table in tables");
    }

    /** The first step of many users: one account, while splitting is off for all others. */
    @AllServers
    void aTableThatIsOnForOneAccountCanBeSplit(TestServer server) throws Exception {
        prepare(server, "GRANT SELECT, LOCK TABLES ON inspect_it.* TO " + ACCOUNT);
        FanfoldConfig base = config(server.host(), server.port(), "w");
        FanfoldConfig off = base.withFanOut(base.fanOut().withMode(Mode.OFF))
                .withTables(TablesText.read("inspect_it.one: {mode: off}"));
        Inspection one = look(off.withAccounts(
                TablesText.accounts("reports: {mode: on}", "test: {mode: observe}", "app: {mode: off}")));
        assertThat(one.splits()).isTrue();
        assertThat(one.tables())
                .filteredOn(table -> !table.name().table().equals("my"))
                .extracting(table -> table.name() + ": " + table.settings() + "; " + table.obstacle())
                .containsExactlyInAnyOrder(
                        "inspect_it.t: degree auto, min-rows 50000, mode off, accounts.reports on, accounts.test observe; ",
                        "inspect_it.one: degree auto, min-rows 50000 (tables.inspect_it.one);"
                                + " switched off by tables.inspect_it.one");
        assertThat(text(one, Severity.INFO)).contains("proof of equal snapshots: ");

        Inspection none = look(off.withAccounts(TablesText.accounts("reports: {mode: off}")));
        assertThat(none.splits()).isFalse();
    }

    /** The same requirements as those of a running proxy. */
    @AllServers
    void whatReuseNeedsIsReported(TestServer server) throws Exception {
        prepare(server, "GRANT SELECT ON inspect_it.* TO " + ACCOUNT);
        run(server, "SET GLOBAL binlog_format = ROW", "FLUSH BINARY LOGS");
        String status = server.kind().isMariaDb() ? "BINLOG MONITOR" : "REPLICATION CLIENT";
        FanfoldConfig base = config(server.host(), server.port(), "w");
        FanfoldConfig reuse = base.withAccounts(TablesText.accounts("reports: {reuse: on}"));
        for (String missing : List.of(status, "REPLICATION SLAVE")) {
            assertThat(text(look(reuse), Severity.ADVICE))
                    .isEqualTo("reuse has no effect, because the binary log cannot be used: the worker account may not"
                            + " read the binary log: GRANT " + missing + " ON *.* TO it");
            run(server, "GRANT " + missing + " ON *.* TO " + ACCOUNT);
        }
        Inspection ready = look(reuse);
        assertThat(ready.of(Severity.ADVICE)).isEmpty();
        assertThat(text(ready, Severity.INFO)).endsWith("reuse: the worker account can read the binary log");
        assertThat(text(look(base), Severity.INFO)).doesNotContain("reuse");
    }

    @AllServers
    void theMissingSelectGrantOfAWorkerIsReported(TestServer server) throws Exception {
        prepare(server);
        assertThat(blocks(look(server, "w")))
                .isEqualTo("'inspect_it'@'%' has no SELECT right. To change that:"
                        + " GRANT SELECT, LOCK TABLES ON your_schema.* TO 'inspect_it'@'%';");
        // any privilege on the table makes it visible to the account
        run(server, "GRANT INSERT ON inspect_it.t TO " + ACCOUNT);
        assertThat(blocks(look(server, "w")))
                .isEqualTo("'inspect_it'@'%' has no SELECT right on 1 partitioned table: inspect_it.t."
                        + " To change that: GRANT SELECT ON inspect_it.t TO 'inspect_it'@'%';");
        run(server, "GRANT SELECT ON inspect_it.plain TO " + ACCOUNT);
        assertThat(blocks(look(server, "w"))).contains("GRANT SELECT ON inspect_it.t TO");
        // a privilege on a single column does not show the definition
        run(server, "REVOKE INSERT ON inspect_it.t FROM " + ACCOUNT, "GRANT SELECT (a) ON inspect_it.t TO " + ACCOUNT);
        assertThat(blocks(look(server, "w"))).contains("GRANT SELECT ON inspect_it.t TO");
        run(server, "REVOKE SELECT (a) ON inspect_it.t FROM " + ACCOUNT);
        assertThat(blocks(look(server, "w")))
                .startsWith("'inspect_it'@'%' can read no partitioned or large table. To change that: GRANT SELECT")
                .contains("PARTITION BY");
        run(server, "GRANT SELECT ON inspect_it.t TO " + ACCOUNT);
        assertThat(blocks(look(server, "w"))).isEmpty();
    }

    @AllServers
    void tablesWithoutSelectBesideOthersAreNamed(TestServer server) throws Exception {
        prepare(
                server,
                "CREATE TABLE inspect_it.u (a INT) ENGINE = InnoDB PARTITION BY HASH (a) PARTITIONS 2",
                "GRANT SELECT ON inspect_it.u TO " + ACCOUNT,
                "GRANT INSERT ON inspect_it.t TO " + ACCOUNT);
        Inspection inspection = look(server, "w");
        assertThat(inspection.splits()).isTrue();
        assertThat(text(inspection, Severity.ADVICE))
                .isEqualTo("'inspect_it'@'%' has no SELECT right on 1 partitioned table: inspect_it.t."
                        + " To change that: GRANT SELECT ON inspect_it.t TO 'inspect_it'@'%';");
    }

    @AllServers
    void aWrongPasswordIsReportedWithItsRemedy(TestServer server) throws Exception {
        prepare(server, "GRANT SELECT ON inspect_it.* TO " + ACCOUNT);
        Inspection inspection = look(server, "wrong");
        assertThat(inspection.splits()).isFalse();
        assertThat(blocks(inspection))
                .startsWith("the worker account inspect_it cannot log in at " + server.host() + ":" + server.port()
                        + ": error 1045 Access denied for user 'inspect_it'@")
                .contains("(using password: YES). To change that: check the password in workers.password-env")
                .contains("CREATE USER 'inspect_it'@")
                .doesNotContain("Exception", "io.fanfold");
        assertThat(blocks(look(server, ""))).contains("(using password: NO)", "FANFOLD_WORKER_PASSWORD");
    }

    @Test
    void anUnreachableServerIsReportedInPlainWords() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        assertThat(blocks(look(config("127.0.0.1", port, "w"))))
                .isEqualTo("the server at 127.0.0.1:" + port + " cannot be reached: connection refused."
                        + " To change that: start the server -- or: set backend.host and backend.port"
                        + " (--backend HOST:PORT)");
        assertThat(blocks(look(config("no-such-host.invalid", port, "w"))))
                .startsWith("the server at no-such-host.invalid:" + port
                        + " cannot be reached: the host name is unknown. To");
    }

    @Test
    void aMariaDbWithoutBinaryLogNeedsOneOrTheLock() throws Exception {
        try (TestReplica without = TestReplica.embedded(TestServers.mariadb(), folder)) {
            TestServer server = without.server();
            prepare(server, "GRANT SELECT ON inspect_it.* TO " + ACCOUNT);
            assertThat(blocks(look(server, "w")))
                    .startsWith("no proof of equal snapshots: the server has no binary log")
                    .contains(
                            "GRANT LOCK TABLES ON inspect_it.* TO 'inspect_it'@'%';",
                            "[mysqld] log_bin in the server's option file, and restart the server");
        }
    }

    @Test
    void aMySqlWithoutGtidsNeedsThemOrTheLock() throws Exception {
        TestServer server = TestServers.mysql();
        prepare(server, "GRANT SELECT ON inspect_it.* TO " + ACCOUNT);
        List<String> off = List.of("ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF");
        List<String> on = List.of("OFF_PERMISSIVE", "ON_PERMISSIVE", "ON");
        try {
            for (String mode : off) {
                run(server, "SET GLOBAL gtid_mode = " + mode);
            }
            assertThat(blocks(look(server, "w")))
                    .startsWith("no proof of equal snapshots: ")
                    .contains(
                            "GRANT LOCK TABLES ON inspect_it.* TO 'inspect_it'@'%';",
                            "SET PERSIST enforce_gtid_consistency = ON; SET PERSIST gtid_mode = OFF_PERMISSIVE;"
                                    + " SET PERSIST gtid_mode = ON_PERMISSIVE; SET PERSIST gtid_mode = ON;");
        } finally {
            for (String mode : on) {
                run(server, "SET GLOBAL gtid_mode = " + mode);
            }
        }
    }
}

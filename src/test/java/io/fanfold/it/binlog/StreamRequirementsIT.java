package io.fanfold.it.binlog;

import static io.fanfold.it.binlog.LoggedServer.EVERYTHING;
import static io.fanfold.it.binlog.LoggedServer.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.binlog.ChangeStream;
import io.fanfold.binlog.LogPosition;
import io.fanfold.client.RealServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.OwnMariaDb;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.GenericContainer;

/** A stream says what a server or an account lacks, and does not miss that a log begins anew. */
@AllServers
class StreamRequirementsIT {
    @TempDir
    static Path folder;

    private static final Map<TestServer, LoggedServer> STARTED = new HashMap<>();
    private static final List<AutoCloseable> OWN = new ArrayList<>();
    private LoggedServer server;

    /** These tests reset the log, so they need servers of their own. */
    @BeforeEach
    void start(TestServer shared) throws Exception {
        if (!STARTED.containsKey(shared)) {
            STARTED.put(shared, new LoggedServer(own(shared, "--log-bin=binlog")));
        }
        server = STARTED.get(shared);
        server.recreate();
    }

    private static TestServer own(TestServer shared, String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("--server-id=33");
        all.add("--binlog-format=ROW");
        if (shared.kind().isMySql()) {
            GenericContainer<?> container = ContainerServers.mysqlContainer(all.toArray(String[]::new));
            OWN.add(container);
            return ContainerServers.start(shared.name(), container);
        }
        OwnMariaDb own = OwnMariaDb.start(shared, folder.resolve("mariadb" + OWN.size()), all.toArray(String[]::new));
        OWN.add(own);
        return own.server();
    }

    @AfterAll
    static void stop() throws Exception {
        for (LoggedServer started : STARTED.values()) {
            started.close();
        }
        STARTED.clear();
        for (AutoCloseable own : OWN) {
            own.close();
        }
        OWN.clear();
    }

    private void refused(String user, String cause) {
        refused(server.stream(user), cause);
    }

    private static void refused(TestServer other, String cause) {
        RealServer real = new RealServer(other);
        refused(ChangeStream.start(() -> real.settings(other.adminUser(), other.adminPassword())), cause);
    }

    private static void refused(ChangeStream started, String cause) {
        try (ChangeStream stream = started) {
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(stream.state().cause()).contains(cause));
            assertThat(stream.state().connected()).isFalse();
        }
    }

    @Test
    void rightsOfTheAccount() throws Exception {
        String poor = "it_binlog_poor";
        server.run("DROP USER IF EXISTS " + poor, "CREATE USER " + poor + " IDENTIFIED BY 'w0rker'");
        refused(poor, "GRANT " + server.monitorRight());
        server.run("GRANT " + server.monitorRight() + " ON *.* TO " + poor);
        refused(poor, "GRANT REPLICATION SLAVE");
        server.run("GRANT REPLICATION SLAVE ON *.* TO " + poor);
        try (ChangeStream stream = server.stream(poor)) {
            await().atMost(LIMIT).until(() -> stream.state().connected());
        }
        server.run("DROP USER " + poor);
    }

    @Test
    void formatOfTheLog() throws Exception {
        server.run("SET GLOBAL binlog_format = MIXED");
        refused(LoggedServer.USER, "binlog_format is MIXED: set it to ROW");
        server.run("SET GLOBAL binlog_format = ROW");
    }

    /** MariaDB does not log what it replicates, unless it is told to. */
    @Test
    void transactionsThatWouldBeMissing() throws Exception {
        if (server.mariaDb()) {
            server.run("SET GLOBAL gtid_slave_pos = '0-99-5'");
            refused(LoggedServer.USER, "log_slave_updates is OFF on a server that replicates: set it to ON");
            server.run("SET GLOBAL gtid_slave_pos = ''");
        } else {
            server.run("SET GLOBAL gtid_mode = ON_PERMISSIVE");
            refused(LoggedServer.USER, "gtid_mode is ON_PERMISSIVE: set it to ON");
            server.run("SET gtid_next = 'ANONYMOUS'", "UPDATE other SET v = 3", "SET gtid_next = 'AUTOMATIC'");
            await().atMost(LIMIT)
                    .untilAsserted(
                            () -> assertThat(server.changes().state().cause()).isNotEmpty());
            server.run("SET GLOBAL gtid_mode = ON");
            await().atMost(LIMIT.multipliedBy(2))
                    .until(() -> server.changes().state().connected());
        }
    }

    /** Tags exist since MySQL 8.3. A stream that begins afterwards sends the tag in its set. */
    @Test
    void transactionsWithATagOrDomain() throws Exception {
        String name = server.mariaDb() ? "gtid_domain_id" : "gtid_next";
        String other = server.mariaDb() ? "7" : "'AUTOMATIC:fan'";
        String usual = server.mariaDb() ? "0" : "'AUTOMATIC'";
        assertThat(server.changedBy(
                        "SET SESSION " + name + " = " + other,
                        "UPDATE other SET v = 4",
                        "SET SESSION " + name + " = " + usual))
                .isEqualTo(Set.of("other"));
        if (!server.mariaDb()) {
            assertThat(server.position().toString()).contains(":fan:");
        }
        try (ChangeStream later = server.stream(LoggedServer.USER)) {
            await().atMost(LIMIT).until(() -> later.state().connected());
            server.run("UPDATE other SET v = 5");
            assertThat(later.changes().orElseThrow().reached(server.position(), LIMIT))
                    .isTrue();
        }
    }

    @Test
    void logsWithAFilter(TestServer shared) throws Exception {
        refused(own(shared, "--log-bin=binlog", "--binlog-ignore-db=x"), "binlog_ignore_db is x: remove this filter");
        refused(own(shared, "--log-bin=binlog", "--binlog-do-db=x"), "binlog_do_db is x: remove this filter");
    }

    @Test
    void serversWithoutALog(TestServer shared) throws Exception {
        refused(own(shared, "--skip-log-bin"), "log_bin is OFF");
    }

    @Test
    void resetLogs() throws Exception {
        LogPosition before = server.position();
        server.run("UPDATE other SET v = 6");
        String reset = server.mariaDb() ? "RESET MASTER" : "RESET BINARY LOGS AND GTIDS";
        server.run(reset);
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(server.changes().state().cause())
                        .contains("is the log's first file, so a RESET would remain unnoticed"));
        server.run("FLUSH BINARY LOGS");
        await().atMost(LIMIT.multipliedBy(2))
                .until(() -> server.changes().state().connected());
        LogPosition after = server.position();
        assertThat(server.changed(before, after, List.of("t", "other"), 3)).isEqualTo(EVERYTHING);
        assertThat(server.changed(after, after, List.of("t", "other"), 3)).isEmpty();
    }
}

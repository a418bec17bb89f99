package io.fanfold.it.support.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks that a proxy has released everything: its own resources, the server's, and after it is closed those of this
 * JVM.
 */
public final class NothingLeft {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /**
     * After a KILL QUERY that arrived too late, MariaDB shows an idle connection as killed until its next statement.
     * That statement is not affected: see {@code CancelIT.lateKillHarmsNoIdleWorker}.
     */
    private static final String IDLE = "(COMMAND = 'Sleep' OR (COMMAND = 'Killed' AND INFO IS NULL AND STATE = ''))";

    private final Set<Thread> before;
    private final int temporaryTables;

    private NothingLeft(Set<Thread> before, int temporaryTables) {
        this.before = before;
        this.temporaryTables = temporaryTables;
    }

    /** Records the state before a proxy is started. */
    public static NothingLeft before(TestServer server) throws Exception {
        try (WireConnection admin = admin(server)) {
            return new NothingLeft(Thread.getAllStackTraces().keySet(), temporaryTables(server, admin));
        }
    }

    private static WireConnection admin(TestServer server) throws Exception {
        return ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword());
    }

    /**
     * For a proxy without clients: every worker is free and has no transaction, nothing is buffered or locked, and the
     * fan-outs, cancelled and refused statements that were counted are as many as the statements considered.
     */
    public void whileItRuns(ProxiedServer proxy, int workers) throws Exception {
        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(proxy.sessions()).as("clients").isZero();
            assertThat(proxy.freeWorkers()).as("free workers").isEqualTo(workers);
            assertThat(proxy.heldMemoryBytes()).as("bytes held").isZero();
            assertThat(proxy.openAttempts())
                    .as("statements whose end was not counted")
                    .isZero();
        });
        try (WireConnection admin = proxy.direct()) {
            await().atMost(LIMIT).untilAsserted(() -> {
                assertThat(runningStatements(admin)).as("statements that run").isEmpty();
                assertThat(others(admin, "USER <> '" + ProxiedServer.WORKER + "'"))
                        .as("connections of clients")
                        .isEmpty();
                assertThat(admin.query(
                                        "SELECT trx_mysql_thread_id, trx_state, trx_query FROM information_schema.INNODB_TRX")
                                .rows())
                        .as("transactions")
                        .isEmpty();
                assertThat(temporaryTables(proxy.server(), admin))
                        .as("temporary tables")
                        .isEqualTo(temporaryTables);
            });
        }
    }

    /** Returns the statements that others run now. */
    public static List<String> runningStatements(WireConnection admin) throws Exception {
        return others(admin, "NOT " + IDLE);
    }

    /** For a closed proxy: none of its connections and threads remains. */
    public void afterIt(TestServer server) throws Exception {
        try (WireConnection admin = admin(server)) {
            await().atMost(LIMIT)
                    .untilAsserted(() ->
                            assertThat(others(admin, "TRUE")).as("connections").isEmpty());
        }
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet().stream()
                                .filter(thread -> !before.contains(thread) && ofAProxy(thread))
                                .map(Thread::getName)
                                .collect(Collectors.toSet()))
                        .as("threads")
                        .isEmpty());
    }

    /** Threads of tests, of the database containers and of the runtime start and end as well. */
    private static boolean ofAProxy(Thread thread) {
        String name = thread.getName();
        return !name.startsWith("test-background")
                && !name.startsWith("awaitility")
                && !name.startsWith("testcontainers")
                && !name.startsWith("docker-java")
                && !name.startsWith("process reaper")
                && !name.startsWith("surefire")
                && !name.startsWith("embedded-mariadb")
                && !name.startsWith("ForkJoinPool")
                && !name.startsWith("CompletableFuture")
                && !name.startsWith("Attach")
                && !name.startsWith("Common-Cleaner");
    }

    private static List<String> others(WireConnection admin, String condition) throws Exception {
        return admin
                .query(
                        "SELECT CONCAT_WS(' ', ID, USER, HOST, COMMAND, TIME, 's', STATE, INFO) FROM information_schema.PROCESSLIST"
                                + " WHERE ID <> CONNECTION_ID() AND USER NOT IN ('system user', 'event_scheduler')"
                                + " AND COMMAND NOT IN ('Daemon', 'Binlog Dump', 'Binlog Dump GTID') AND " + condition)
                .rows()
                .stream()
                .map(Row::toString)
                .toList();
    }

    /** MariaDB 10.11 lists none. There they end with the connections, which are checked. */
    private static int temporaryTables(TestServer server, WireConnection admin) throws Exception {
        return server.kind() == ServerFlavor.MARIADB
                ? 0
                : admin.query("SELECT NAME FROM information_schema.INNODB_TEMP_TABLE_INFO")
                        .rows()
                        .size();
    }
}

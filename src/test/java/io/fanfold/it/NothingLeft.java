package io.fanfold.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** That a proxy gave everything back: to itself, to the server, and, once it is closed, to this JVM. */
final class NothingLeft {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /**
     * A connection without a statement is shown by MariaDB as killed, from a KILL QUERY that came too late until its next
     * statement, which takes no harm: see {@code CancelIT.lateKillHarmsNoIdleWorker}.
     */
    private static final String IDLE = "(COMMAND = 'Sleep' OR (COMMAND = 'Killed' AND INFO IS NULL AND STATE = ''))";

    private final Set<Thread> before;
    private final int temporaryTables;

    private NothingLeft(Set<Thread> before, int temporaryTables) {
        this.before = before;
        this.temporaryTables = temporaryTables;
    }

    /** Notes what there is before a proxy is started. */
    static NothingLeft before(TestServer server) throws Exception {
        try (WireConnection admin = admin(server)) {
            return new NothingLeft(Thread.getAllStackTraces().keySet(), temporaryTables(server, admin));
        }
    }

    private static WireConnection admin(TestServer server) throws Exception {
        return ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword());
    }

    /** No client is connected any more: every worker is free, holds no transaction, and nothing is held or locked for it. */
    void whileItRuns(ProxiedServer proxy, int workers) throws Exception {
        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(proxy.sessions()).as("clients").isZero();
            assertThat(proxy.freeWorkers()).as("free workers").isEqualTo(workers);
            assertThat(proxy.heldMemoryBytes()).as("bytes held").isZero();
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

    /** The statements that others run now. */
    static List<String> runningStatements(WireConnection admin) throws Exception {
        return others(admin, "NOT " + IDLE);
    }

    /** The proxy is closed: no connection and no thread of it is left. */
    void afterIt(TestServer server) throws Exception {
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

    /** Threads of tests, of the database containers and of the runtime come and go as well. */
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

    /** MariaDB 10.11 lists none; there they end with the connections, which are looked for. */
    private static int temporaryTables(TestServer server, WireConnection admin) throws Exception {
        return server.kind() == ServerFlavor.MARIADB
                ? 0
                : admin.query("SELECT NAME FROM information_schema.INNODB_TEMP_TABLE_INFO")
                        .rows()
                        .size();
    }
}

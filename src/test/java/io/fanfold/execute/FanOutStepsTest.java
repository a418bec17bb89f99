package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.catalog.CatalogLoader;
import io.fanfold.client.FakeServer;
import io.fanfold.client.ScriptedServer;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import io.fanfold.discovery.SplitObserver;
import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.metrics.Meters;
import io.fanfold.pool.WorkerPool;
import io.fanfold.pool.WorkerServers;
import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The steps of a fan-out on scripted connections: what each asks, how far a statement gets, and what its client gets if
 * the step fails. The fan-outs of real servers are in {@code it.answers}, their failures in {@code it.faults}.
 */
class FanOutStepsTest {
    private static final String SUM = "SELECT SUM(v) FROM t";

    /** They share the four cores of the settings. */
    private static final int OTHERS = 16;

    private static final Pattern VARIABLE = Pattern.compile("@@(?:session|global)\\.(\\w+)");
    private static final Map<String, String> VARIABLES = Map.ofEntries(
            Map.entry("autocommit", "1"),
            Map.entry("character_set_client", "utf8mb4"),
            Map.entry("character_set_connection", "utf8mb4"),
            Map.entry("character_set_results", "utf8mb4"),
            Map.entry("collation_connection", "utf8mb4_general_ci"),
            Map.entry("hostname", "a"),
            Map.entry("max_allowed_packet", "16777216"),
            Map.entry("port", "1"),
            Map.entry("sql_mode", ""),
            Map.entry("timestamp", "1735689600.5"),
            Map.entry("transaction_isolation", "REPEATABLE-READ"),
            Map.entry("version", "9.7.0"));
    private static final Column SUM_COLUMN = new Column("d", "", "", "SUM(v)", "", 63, 32, ColumnType.NEWDECIMAL, 0, 0);

    private final ScriptedServer workers = new ScriptedServer("9.7.0", VARIABLES, FanOutStepsTest::catalog);
    private final BlockingQueue<Optional<Reason>> outcomes = new LinkedBlockingQueue<>();
    private final Map<String, String> session = new LinkedHashMap<>(VARIABLES);
    private final Map<String, Reply> replies = new LinkedHashMap<>();
    private FakeServer server;
    private FanOutService service;

    @BeforeEach
    void start() throws Exception {
        start(0);
    }

    private void start(long minRows) throws Exception {
        server = new FakeServer(workers);
        BackendConfig backend = new BackendConfig(
                InetAddress.getLoopbackAddress().getHostAddress(),
                server.port(),
                Duration.ofSeconds(10),
                Duration.ZERO);
        WorkersConfig accounts = WorkersConfig.defaults().with("worker", Secret.EMPTY, 4);
        FanfoldConfig config = FanfoldConfig.defaults().withBackend(backend).withWorkers(accounts);
        WorkerPool pool = new WorkerPool(backend, null, accounts);
        FanOutService started = new FanOutService(
                RunningSettings.of(config.withFanOut(config.fanOut().withMinRows(minRows))),
                WorkerServers.of(pool, RunningSettings.of(config), null, new Meters()),
                new Meters(),
                new SplitObserver() {
                    @Override
                    public void passedThrough(Reason reason, String detail) {
                        outcomes.add(Optional.of(reason));
                    }

                    @Override
                    public void fannedOut() {
                        outcomes.add(Optional.empty());
                    }
                },
                Map.of());
        service = started;
        assertThat(started.refreshCatalog()).isTrue();
    }

    @AfterEach
    void stop() throws Exception {
        service.close();
        server.close();
    }

    /** A table of two partitions. */
    private static List<List<String>> catalog(String sql) {
        if (sql.equals("SELECT CURRENT_USER()")) {
            return List.of(List.of("worker@%"));
        }
        if (sql.equals(CatalogLoader.SERVER)) {
            return List.of(List.of("0", "9.7.0"));
        }
        if (sql.contains("INFORMATION_SCHEMA.PARTITIONS")) {
            return List.of(
                    List.of("d", "t", "p0", "s0", "HASH", "id", "5"), List.of("d", "t", "p1", "s1", "HASH", "id", "5"));
        }
        if (sql.equals(CatalogLoader.MYSQL_COLLATIONS)) {
            return List.of(List.of("45", "utf8mb4_general_ci", "utf8mb4", "PAD SPACE"));
        }
        return List.of();
    }

    /** The server's replies on the client's connection, unless a test has set others. */
    private Reply reply(Command command) {
        String text = new String(command.bytes(), StandardCharsets.UTF_8);
        for (Map.Entry<String, Reply> other : replies.entrySet()) {
            if (command instanceof Command.Prepare
                    ? other.getKey().equals("PREPARE")
                    : text.startsWith(other.getKey())) {
                return other.getValue();
            }
        }
        if (command instanceof Command.Prepare) {
            return new Reply.Prepared(0, List.of(new byte[] {1}), List.of(SUM_COLUMN), 0);
        }
        if (text.contains("@@session.")) {
            return settings(text);
        }
        if (text.startsWith("SHOW CREATE TABLE")) {
            return Rows.reply(
                    Rows.columns("Table", "Create Table"),
                    Rows.row(
                            "t",
                            "CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `v` int DEFAULT NULL\n) ENGINE=InnoDB"
                                    + "\n/*!50100 PARTITION BY HASH (`id`)\nPARTITIONS 2 */"));
        }
        assertThat(text).startsWith("EXPLAIN FORMAT=TRADITIONAL ");
        return Rows.reply(
                Rows.columns("id", "select_type", "table", "partitions", "type", "key", "rows", "filtered", "Extra"),
                Rows.row("1", "SIMPLE", "t", "p0_s0,p1_s1", "ALL", "NULL", "10", "100.00", "NULL"));
    }

    private Reply settings(String sql) {
        List<String> values = new ArrayList<>();
        Matcher variable = VARIABLE.matcher(sql);
        while (variable.find()) {
            values.add(session.getOrDefault(variable.group(1), ""));
        }
        values.add("d");
        values.add("app@%");
        Row row = Rows.row(values.toArray(String[]::new));
        return Rows.reply(Rows.columns(values.toArray(String[]::new)), row);
    }

    private FakePort submit(String sql, Function<Command, Reply> client) throws Exception {
        FakePort port = new FakePort(client);
        service.submit(new FanOutRequest(sql.getBytes(StandardCharsets.UTF_8), port, System.nanoTime()));
        assertThat(port.ended().get(20, TimeUnit.SECONDS)).isEqualTo(port.ends().get(0));
        assertThat(port.ends()).hasSize(1);
        return port;
    }

    private FakePort passesThrough(Reason reason, String sql) throws Exception {
        FakePort port = submit(sql, this::reply);
        assertThat(port.ends()).containsExactly("passed through");
        assertThat(outcomes.poll(20, TimeUnit.SECONDS)).contains(reason);
        return port;
    }

    private List<String> asked(FakePort port) {
        return port.asked().stream()
                .map(command -> new String(command.bytes(), StandardCharsets.UTF_8))
                .toList();
    }

    // ---- read ----

    @Test
    void aTextThatCannotBeSplitIsNotAsked() throws Exception {
        assertThat(passesThrough(Reason.USER_VARIABLE, "SELECT SUM(v) FROM t WHERE v > @a")
                        .asked())
                .isEmpty();
        assertThat(passesThrough(Reason.NO_PARTITIONED_TABLE, "SELECT SUM(v) FROM u")
                        .asked())
                .isEmpty();
        assertThat(remembered("SELECT SUM(v) FROM t WHERE v > @a"))
                .as("the text is remembered")
                .contains(Reason.USER_VARIABLE);
    }

    // ---- preflight ----

    /** The split was not compared yet. The first statement is timed without one. */
    @Test
    void whatSavesNoWorkWaitsForNoCoresThatOthersUse() throws Exception {
        stop();
        start(1);
        workers.fail("START TRANSACTION", 1105);
        String digest = Digest.of("d", SUM);
        ExecutionHistory history = service.resources().history();
        history.scanned(digest, 1, 1, Duration.ofHours(1).toNanos(), 1);
        List<FakePort> others = Stream.generate(() -> new FakePort(this::reply))
                .limit(FanOutConfig.defaults().degree())
                .toList();
        others.forEach(service.resources().registry()::addUnsplit);
        FakePort first = passesThrough(Reason.CORES_BUSY, SUM);
        first.relayed().complete(ClientConnection.RelayEnd.ANSWERED);
        passesThrough(Reason.CORES_BUSY, SUM);
        String max = "SELECT MAX(v) FROM t";
        history.scanned(Digest.of("d", max), 1, 1, Duration.ofHours(1).toNanos(), 1);
        passesThrough(Reason.CORES_BUSY, max).relayed().complete(ClientConnection.RelayEnd.FAILED);
        assertThat(history.maySaveWork(Digest.of("d", max)))
                .as("an error is no time of the statement")
                .isTrue();
        others.forEach(other -> other.relayed().complete(ClientConnection.RelayEnd.LOST));
        passesThrough(Reason.WORKER_ERROR, SUM);
    }

    /** The same for partition queries: {@link ServerLoadIT}. */
    @Test
    void theTimeOfTheUnsplitStatementIsDividedByTheLoad() throws Exception {
        stop();
        start(1);
        String digest = Digest.of("d", SUM);
        ExecutionHistory history = service.resources().history();
        history.split(digest, Duration.ofMillis(1).toNanos());
        ServerLoad load = service.resources().registry().load();
        Collections.nCopies(OTHERS, load).forEach(ServerLoad::begins);
        passesThrough(Reason.MEASURED, SUM).relayed().complete(ClientConnection.RelayEnd.ANSWERED);
        Collections.nCopies(OTHERS, load).forEach(ServerLoad::ends);
        history.scanned(digest, 10, 1, history.directNanos(digest) / 2, 1);
        assertThat(history.maySaveWork(digest)).isFalse();
    }

    private Optional<Reason> remembered(String sql) {
        return service.filter(sql.getBytes(StandardCharsets.UTF_8), 0, sql.length(), "d");
    }

    /** A statement crosses the border of session and execute with the request, one round of commands, and its end. */
    @Test
    void preflightAsksAllAtOnceAndPreparesLast() throws Exception {
        replies.put("PREPARE", new Reply.Failed(1142, "42000", "SELECT command denied"));
        FakePort port = passesThrough(Reason.PREPARE_FAILED, SUM);
        assertThat(port.rounds()).isEqualTo(1);
        List<String> asked = asked(port);
        assertThat(asked).hasSize(4);
        assertThat(asked.get(1)).isEqualTo("SHOW CREATE TABLE `t`");
        assertThat(asked.get(2)).isEqualTo("EXPLAIN FORMAT=TRADITIONAL " + SUM);
        assertThat(asked.get(3)).isEqualTo(SUM);
    }

    @Test
    void preflightRefusesSessionsTablesAndServersThatDiffer() throws Exception {
        session.put("autocommit", "0");
        passesThrough(Reason.IN_TRANSACTION, SUM);
        session.put("autocommit", "1");
        session.put("hostname", "b");
        passesThrough(Reason.OTHER_SERVER, SUM);
        session.put("hostname", "a");
        replies.put(
                "SHOW CREATE TABLE",
                Rows.reply(Rows.columns("View", "Create View"), Rows.row("t", "CREATE VIEW `t` AS SELECT 1")));
        passesThrough(Reason.VIEW, SUM);
        replies.clear();
        replies.put("PREPARE", new Reply.Prepared(0, List.of(new byte[] {1}), List.of(SUM_COLUMN), 1));
        passesThrough(Reason.WARNINGS, SUM);
    }

    /** The KILL QUERY was meant for the client's statement. */
    @Test
    void aKillDuringPreflightEndsTheStatement() throws Exception {
        replies.put("EXPLAIN", new Reply.Failed(1317, "70100", "Query execution was interrupted"));
        assertThat(submit(SUM, this::reply).ends()).containsExactly("failed: 1317");
    }

    @Test
    void aLostConnectionIsTheSessionsBusiness() throws Exception {
        FakePort port = submit(SUM, command -> {
            throw new IllegalStateException("the connection ended");
        });
        assertThat(port.ends()).containsExactly("passed through");
        assertThat(outcomes.poll(20, TimeUnit.SECONDS)).contains(Reason.CLIENT_LOST);
    }

    // ---- scan ----

    @Test
    void aWorkerThatCannotOpenItsSnapshotPassesTheStatementThrough() throws Exception {
        workers.fail("START TRANSACTION", 1105);
        assertThat(passesThrough(Reason.WORKER_ERROR, SUM).rounds()).isEqualTo(1);
        assertThat(workers.log()).anyMatch(sent -> sent.contains("START TRANSACTION"));
        assertThat(workers.log()).noneMatch(sent -> sent.contains("SUM(v)"));
    }

    // ---- explain ----

    @Test
    void explainShowsWhyAStatementIsPassedThrough() throws Exception {
        String explain = "EXPLAIN FORMAT=FANFOLD ";
        FakePort unread = submit(explain + "SELECT SUM(v) FROM t WHERE v > @a", this::reply);
        assertThat(unread.ends()).containsExactly("answered");
        assertThat(unread.asked()).isEmpty();
        assertThat(unread.rows())
                .containsExactly(
                        "decision|passed through",
                        "reason|user_variable",
                        "because|" + Reason.USER_VARIABLE.sentence(),
                        "found|a variable at character 32");
        replies.put("PREPARE", new Reply.Failed(1142, "42000", "SELECT command denied"));
        assertThat(submit(explain + SUM, this::reply).rows())
                .contains("reason|prepare_failed", "found|1142: SELECT command denied");
        assertThat(submit(explain + "UPDATE t SET v = 1", this::reply).rows())
                .containsExactly(
                        "decision|passed through", "reason|not_a_select", "because|" + Reason.NOT_A_SELECT.sentence());
        assertThat(submit(explain + "SELECT SUM(v) FROM u", this::reply).rows())
                .contains("reason|no_partitioned_table");
        assertThat(outcomes).as("no statement was passed through").isEmpty();
    }

    @Test
    void anExplanationThatIsKilledOrLostHasNoRows() throws Exception {
        replies.put("EXPLAIN", new Reply.Failed(1317, "70100", "Query execution was interrupted"));
        assertThat(submit("EXPLAIN FORMAT=FANFOLD " + SUM, this::reply).ends()).containsExactly("failed: 1317");
        FakePort lost = submit("EXPLAIN FORMAT=FANFOLD " + SUM, command -> {
            throw new IllegalStateException("the connection ended");
        });
        assertThat(lost.ends()).containsExactly("passed through");
    }

    @Test
    void aStatementThatIsRepeatedIsPlannedOnce() throws Exception {
        StatementAnalyzer first = new StatementAnalyzer(service.resources(), FanfoldConfig.defaults(), "reader");
        StatementAnalyzer second = new StatementAnalyzer(service.resources(), FanfoldConfig.defaults(), "reader");
        String sql = "SELECT SUM(v) FROM t";
        // the catalog may be read again in between, after which the statement is planned again
        await().untilAsserted(() -> assertThat(second.preliminary(sql, null)).isSameAs(first.preliminary(sql, null)));
    }
}

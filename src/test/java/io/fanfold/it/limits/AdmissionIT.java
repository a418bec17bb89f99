package io.fanfold.it.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mysql.cj.jdbc.JdbcConnection;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.GeneralLog;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Reply;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which statement gets worker connections if there are too few. The partition queries of one statement are held between
 * server and proxy, so that it runs as long as a test needs. All other statements pass.
 */
class AdmissionIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Duration PATIENT = Duration.ofMinutes(10);

    private static final String CONDITION = " WHERE v < 1000";

    /**
     * Matches text that occurs only in partition queries of statements with the condition, not in the statements
     * themselves.
     */
    private static final FaultProxy.Fault HOLD = new FaultProxy.Fault(FaultProxy.Kind.HOLD, ")" + CONDITION, 0, false);

    private static final String SUM = "SELECT SUM(v), COUNT(*), MAX(id) FROM it_slow.big" + CONDITION;
    private static final String ROWS = "SELECT id, v FROM it_slow.big" + CONDITION;
    private static final String SORTED = "SELECT v, id FROM it_slow.big" + CONDITION + " ORDER BY v, id DESC";
    private static final String TWO_BLOCKS =
            "SELECT SUM(v) FROM it_slow.big" + CONDITION + " UNION ALL SELECT COUNT(*) FROM it_slow.big" + CONDITION;

    private static final int ALL = 1000;

    @AllServers
    void shortFanOutIsNotStuckBehindALongOne(TestServer server) throws Exception {
        shortBesideLong(server, SUM, 6);
    }

    @AllServers
    void rowsInTheOrderOfPartitionsGoOnWithFewerWorkers(TestServer server) throws Exception {
        shortBesideLong(server, ROWS, 6);
    }

    /** A worker that was released during the first block is not used in the second. */
    @AllServers
    void laterBlocksGoOnWithFewerWorkers(TestServer server) throws Exception {
        shortBesideLong(server, TWO_BLOCKS, 12);
    }

    /** Each worker reads its own sorted run. No other worker can take over, but it is released when its run is read. */
    @AllServers
    void sortedRunsAreReadToTheirEnds(TestServer server) throws Exception {
        shortBesideLong(server, SORTED, 6);
    }

    /**
     * One statement uses all four connections, and a second one waits. Then three of four partition queries end. At
     * least two remain to be read, so two connections do not become free without a revocation.
     *
     * @param partitions the number of partition queries of the first statement
     */
    private static void shortBesideLong(TestServer server, String statement, int partitions) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(4).withConnections(4).withQueue(4, 100, PATIENT);
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, setup.withWorkerPort(faults.port()));
                WireConnection direct = proxy.direct();
                WireConnection client = proxy.proxied();
                WireConnection other = proxy.proxied()) {
            Future<Reply> answer = holding(faults, client, statement, 4);
            Future<Reply> second = Background.ask(other, SlowTables.SHORT);
            await().atMost(LIMIT).until(() -> proxy.waiting() == 1);
            assertThat(proxy.revoked()).as("in the middle of partition queries").isZero();

            faults.release(3);

            assertThat(rows(second.get(20, TimeUnit.SECONDS))).isEqualTo(SlowTables.SHORT_ANSWER);
            assertThat(answer).as("the long one").isNotDone();
            ProxiedServer.Outcome outcome = proxy.outcome();
            assertThat(outcome.reason()).isNull();
            assertThat(outcome.degree()).isEqualTo(2);
            assertThat(proxy.revoked()).isEqualTo(2);

            faults.release(ALL);

            String expected = direct.query(statement).rows().toString();
            assertThat(rows(answer.get(20, TimeUnit.SECONDS)).equals(expected))
                    .as("the same answer in the same order")
                    .isTrue();
            outcome = proxy.outcome();
            assertThat(outcome.reason()).isNull();
            assertThat(outcome.degree()).isEqualTo(4);
            assertThat(outcome.partitions()).isEqualTo(partitions);
            await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 4);
        }
    }

    @AllServers
    void fewerConnectionsAreTakenIfFewerAreFree(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(4).withConnections(5);
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, setup.withWorkerPort(faults.port()));
                WireConnection client = proxy.proxied();
                WireConnection other = proxy.proxied()) {
            Future<Reply> answer = holding(faults, client, SUM.replace("SELECT", "SELECT /*+ PARALLEL(3) */"), 3);
            assertThat(proxy.freeWorkers()).isEqualTo(2);
            ask(other, SlowTables.SHORT);
            assertThat(proxy.outcome().degree()).isEqualTo(2);
            faults.release(ALL);
            answer.get(20, TimeUnit.SECONDS);
            assertThat(proxy.outcome().degree()).isEqualTo(3);
            ask(other, SlowTables.SHORT);
            assertThat(proxy.outcome().degree()).isEqualTo(4);
        }
    }

    @AllServers
    void userAtTheLimitKeepsNobodyElseWaiting(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(4).withConnections(8).withQueue(2, 100, PATIENT);
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, setup.withWorkerPort(faults.port()))) {
            user(proxy, "it_a");
            user(proxy, "it_b");
            try (WireConnection first = proxy.proxied("it_a", "pw");
                    WireConnection second = proxy.proxied("it_a", "pw");
                    WireConnection other = proxy.proxied("it_b", "pw")) {
                Future<Reply> answer = holding(faults, first, SUM, 2);
                assertThat(proxy.freeWorkers()).isEqualTo(6);
                Future<Reply> waiting = Background.ask(second, SlowTables.SHORT);
                await().atMost(LIMIT).until(() -> proxy.waiting() == 1);

                ask(other, SlowTables.SHORT);

                assertThat(proxy.outcome().degree()).isEqualTo(2);
                assertThat(proxy.waiting()).isEqualTo(1);
                assertThat(waiting).isNotDone();
                faults.release(ALL);
                answer.get(20, TimeUnit.SECONDS);
                assertThat(rows(waiting.get(20, TimeUnit.SECONDS))).isEqualTo(SlowTables.SHORT_ANSWER);
                for (int i = 0; i < 2; i++) {
                    ProxiedServer.Outcome outcome = proxy.outcome();
                    assertThat(outcome.reason()).isNull();
                    assertThat(outcome.degree()).isEqualTo(2);
                }
            }
        }
    }

    /** COM_CHANGE_USER assigns a session to another user. */
    @AllServers
    void sessionThatChangesItsUserCountsAsTheNewOnes(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(4).withConnections(8).withQueue(2, 100, PATIENT);
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, setup.withWorkerPort(faults.port()))) {
            user(proxy, "it_a");
            user(proxy, "it_b");
            String url = "jdbc:mysql://127.0.0.1:" + proxy.port() + "/?sslMode=DISABLED&allowPublicKeyRetrieval=true";
            try (Connection changing = DriverManager.getConnection(url, "it_b", "pw");
                    Statement statement = changing.createStatement();
                    WireConnection first = proxy.proxied("it_a", "pw")) {
                Future<Reply> answer = holding(faults, first, SUM, 2);
                changing.unwrap(JdbcConnection.class).changeUser("it_a", "pw");
                proxy.forget();
                Future<String> waiting = Background.start(() -> ask(statement));
                await().atMost(LIMIT).until(() -> proxy.waiting() == 1);
                assertThat(waiting).isNotDone();
                faults.release(ALL);
                assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo("990000");
                answer.get(20, TimeUnit.SECONDS);
            }
            try (FaultProxy again = FaultProxy.before(server);
                    ProxiedServer next = start(server, setup.withWorkerPort(again.port()));
                    Connection changing = DriverManager.getConnection(
                            url.replace(":" + proxy.port(), ":" + next.port()), "it_a", "pw");
                    Statement statement = changing.createStatement();
                    WireConnection first = next.proxied("it_a", "pw")) {
                Future<Reply> answer = holding(again, first, SUM, 2);
                changing.unwrap(JdbcConnection.class).changeUser("it_b", "pw");
                next.forget();
                assertThat(ask(statement)).isEqualTo("990000");
                assertThat(next.outcome().reason()).isNull();
                assertThat(answer).isNotDone();
                again.release(ALL);
                answer.get(20, TimeUnit.SECONDS);
            }
        }
    }

    @AllServers
    void fullQueuePassesThroughAtOnceAndLetsOtherUsersIn(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(4).withConnections(4).withQueue(4, 2, PATIENT);
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, setup.withWorkerPort(faults.port()))) {
            user(proxy, "it_a");
            try (WireConnection client = proxy.proxied();
                    WireConnection second = proxy.proxied();
                    WireConnection third = proxy.proxied();
                    WireConnection fourth = proxy.proxied();
                    WireConnection other = proxy.proxied("it_a", "pw")) {
                Future<Reply> answer = holding(faults, client, SUM, 4);
                Future<Reply> waiting = Background.ask(second, SlowTables.SHORT);
                await().atMost(LIMIT).until(() -> proxy.waiting() == 1);
                Future<Reply> last = Background.ask(third, SlowTables.SHORT);
                await().atMost(LIMIT).until(() -> proxy.waiting() == 2);

                ask(fourth, SlowTables.SHORT);
                assertThat(proxy.outcome().reason()).isEqualTo(Reason.POOL_BUSY);
                assertThat(proxy.waiting()).isEqualTo(2);
                assertThat(last).isNotDone();

                Future<Reply> others = Background.ask(other, SlowTables.SHORT);
                assertThat(rows(last.get(20, TimeUnit.SECONDS))).isEqualTo(SlowTables.SHORT_ANSWER);
                assertThat(proxy.outcome().reason()).isEqualTo(Reason.POOL_BUSY);
                await().atMost(LIMIT).until(() -> proxy.waiting() == 2);
                assertThat(waiting).isNotDone();

                faults.release(ALL);
                for (Future<Reply> reply : List.of(waiting, others)) {
                    assertThat(rows(reply.get(20, TimeUnit.SECONDS))).isEqualTo(SlowTables.SHORT_ANSWER);
                }
                answer.get(20, TimeUnit.SECONDS);
                for (int i = 0; i < 3; i++) {
                    assertThat(proxy.outcome().reason()).isNull();
                }
            }
        }
    }

    @AllServers
    void clientsThatLeaveOrAreKilledLeaveTheQueue(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(4).withConnections(4).withQueue(4, 2, PATIENT);
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, setup.withWorkerPort(faults.port()));
                WireConnection client = proxy.proxied();
                WireConnection killer = proxy.proxied();
                WireConnection second = proxy.proxied()) {
            Future<Reply> answer = holding(faults, client, SUM, 4);
            Future<Reply> killed = Background.ask(second, SlowTables.SHORT);
            await().atMost(LIMIT).until(() -> proxy.waiting() == 1);
            killer.execute("KILL QUERY " + second.threadId());
            assertThat(killed.get(20, TimeUnit.SECONDS))
                    .isEqualTo(new Reply.Failed(1317, "70100", "Query execution was interrupted"));
            assertThat(proxy.waiting()).isZero();
            try (WireConnection third = proxy.proxied()) {
                Future<Reply> left = Background.ask(third, SlowTables.SHORT);
                await().atMost(LIMIT).until(() -> proxy.waiting() == 1);
                third.abort();
                assertThat(left).failsWithin(LIMIT);
            }
            await().atMost(LIMIT).until(() -> proxy.waiting() == 0 && proxy.cancelled() == 2);
            assertThat(answer).isNotDone();
            faults.release(ALL);
            answer.get(20, TimeUnit.SECONDS);
            await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 4);
            proxy.forget();
            ask(second, SlowTables.SHORT);
            assertThat(proxy.outcome().reason()).isNull();
        }
    }

    @AllServers
    void largestPartitionIsReadFirst(TestServer server) throws Exception {
        TestDatabase database = new TestDatabase("it_admission", admin -> {
            admin.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL) ENGINE=InnoDB PARTITION BY RANGE (id)"
                    + " (PARTITION a VALUES LESS THAN (30), PARTITION b VALUES LESS THAN (2000),"
                    + " PARTITION c VALUES LESS THAN (2300), PARTITION d VALUES LESS THAN (12000),"
                    + " PARTITION e VALUES LESS THAN MAXVALUE)");
            admin.execute("INSERT INTO t SELECT id, v FROM it_slow.big WHERE id < 12900");
            admin.query("ANALYZE TABLE t");
        });
        try (ProxiedServer slow = start(server, ProxySetup.ofDegree(2));
                SameAsServer same = database.compared(server, 2);
                WireConnection client = same.proxy().proxied();
                GeneralLog log = new GeneralLog(same.proxy())) {
            assertThat(slow.freeWorkers()).isEqualTo(16);
            // the server warns about the unknown hint
            for (String sql : List.of(
                    "SELECT /*+ PARALLEL(1) */ SUM(v), COUNT(*) FROM it_admission.t WHERE v >= 0",
                    "SELECT /*+ PARALLEL(1) */ v, COUNT(*) FROM it_admission.t WHERE v >= 0 GROUP BY v ORDER BY v")) {
                assertThat(client.query(sql).rows()).isNotEmpty();
                assertThat(same.proxy().outcome().reason()).isNull();
            }
            Pattern partition = Pattern.compile("^/\\* fanfold .* \\*/ SELECT .* PARTITION \\(`(.)`\\)");
            String order = "";
            for (GeneralLog.Entry entry : log.ofWorkers()) {
                Matcher matcher = partition.matcher(entry.sql());
                order += matcher.find() ? matcher.group(1) : "";
            }
            assertThat(order).isEqualTo("dbeca".repeat(2));
        }
    }

    /** Starts a statement whose partition queries are held. Returns when all workers have sent their first. */
    private static Future<Reply> holding(FaultProxy faults, WireConnection client, String statement, int workers) {
        faults.arm(HOLD);
        Future<Reply> answer = Background.ask(client, statement);
        await().atMost(LIMIT).until(() -> faults.befallen() == workers);
        return answer;
    }

    private static void ask(WireConnection client, String statement) throws Exception {
        assertThat(client.query(statement).rows().toString()).isEqualTo(SlowTables.SHORT_ANSWER);
    }

    private static String ask(Statement statement) throws Exception {
        try (ResultSet rows = statement.executeQuery(SlowTables.SHORT)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }

    private static void user(ProxiedServer proxy, String name) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("CREATE USER IF NOT EXISTS " + name + " IDENTIFIED BY 'pw'");
            admin.execute("GRANT SELECT ON it_slow.* TO " + name);
        }
    }

    /** Their preflight waits for the lock, as the statements themselves would. Others must not wait for them. */
    @AllServers
    void statementsOfALockedTableHoldNoOtherUp(TestServer server) throws Exception {
        // 2 connections and 16 more
        int coordinators = 18;
        ProxySetup setup = ProxySetup.ofDegree(2).withConnections(2).withQueue(2, 0, Duration.ofMillis(100));
        List<WireConnection> clients = new ArrayList<>();
        try (ProxiedServer proxy = start(server, setup);
                WireConnection locker = proxy.direct();
                WireConnection admin = proxy.direct();
                WireConnection other = proxy.proxied()) {
            locker.execute("DROP TABLE IF EXISTS it_slow.locked");
            locker.execute("CREATE TABLE it_slow.locked (id INT PRIMARY KEY) ENGINE=InnoDB"
                    + " PARTITION BY HASH (id) PARTITIONS 4");
            proxy.tablesChanged();
            locker.execute("LOCK TABLES it_slow.locked WRITE");
            List<Future<Reply>> replies = new ArrayList<>();
            for (int i = 0; i < coordinators; i++) {
                WireConnection client = proxy.proxied();
                clients.add(client);
                replies.add(Background.ask(client, "SELECT COUNT(*) FROM it_slow.locked WHERE id > 0"));
            }
            await().atMost(LIMIT)
                    .until(() -> admin.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST"
                                    + " WHERE STATE LIKE 'Waiting for table metadata lock%'")
                            .rows()
                            .toString()
                            .equals("[" + coordinators + "]"));

            Future<Reply> beside = Background.ask(other, SlowTables.SHORT);
            assertThat(rows(beside.get(20, TimeUnit.SECONDS))).isEqualTo(SlowTables.SHORT_ANSWER);
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.POOL_BUSY);
            Future<Reply> shown = Background.ask(other, "SHOW FANFOLD PROCESSLIST");
            assertThat(shown.get(20, TimeUnit.SECONDS)).isInstanceOf(Reply.Result.class);

            locker.execute("UNLOCK TABLES");
            for (Future<Reply> reply : replies) {
                assertThat(rows(reply.get(20, TimeUnit.SECONDS))).isEqualTo("[0]");
            }
            locker.execute("DROP TABLE it_slow.locked");
        } finally {
            clients.forEach(WireConnection::abort);
        }
    }

    private static ProxiedServer start(TestServer server, ProxySetup setup) throws Exception {
        ProxiedServer proxy = ProxiedServer.start(server, setup);
        SlowTables.create(proxy);
        return proxy;
    }

    private static String rows(Reply reply) {
        return reply instanceof Reply.Result result ? result.rows().toString() : reply.toString();
    }
}

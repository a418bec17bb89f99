package io.fanfold.it.answers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Answers that begin while workers still read: they equal the server's, and may end in several ways. */
class StreamIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int INTERRUPTED = 1317;
    private static final int BROKEN_OFF = 1105;

    /** 600,000 rows, more than the socket buffers hold. */
    private static final String MANY = "SELECT a.id, b.id, a.v, '" + "x".repeat(200)
            + "' FROM it_slow.big a JOIN it_slow.other b ON b.w <= 30 AND a.v < 1000";

    /** The same rows, sorted by the server before it sends the first. */
    private static final String SORTED = MANY + " ORDER BY a.v DESC, a.id, b.id";

    private static final List<String> STREAMED = List.of(
            "SELECT id, v FROM it_slow.big",
            "SELECT * FROM it_slow.big WHERE v > 17 AND NOT id BETWEEN 300 AND 9000",
            "SELECT a.id, b.w FROM it_slow.big a JOIN it_slow.other b ON b.w <= 10 AND a.v < 50",
            "SELECT v, id FROM it_slow.big ORDER BY v, id DESC",
            "SELECT id FROM it_slow.big WHERE v <> 3 ORDER BY id DESC",
            "SELECT id FROM it_slow.big ORDER BY v, id LIMIT 30, 20001",
            "SELECT id FROM it_slow.big ORDER BY id LIMIT 19000, 40000",
            "SELECT a.id, b.id, a.v FROM it_slow.big a JOIN it_slow.other b ON b.w <= 5 ORDER BY a.v DESC, a.id, b.id");

    @AllServers
    void answersAreTheServersWhenNothingIsBuffered(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(3).withHeldAnswer(0).withQueryMemory(1 << 20);
        try (ProxiedServer proxy = start(server, setup);
                SameAsServer same = new SameAsServer(proxy)) {
            for (String statement : STREAMED) {
                same.fansOut(statement);
            }
            same.fansOutInTheOrderOfTheServer("SELECT v, id FROM it_slow.big WHERE v > 50");
            awaitAllBack(proxy);
        }
    }

    /** Warnings can no longer be reported after the answer has begun. */
    @AllServers
    void answersThatMayWarnAreBuffered(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(3).withHeldAnswer(0).withQueryMemory(1 << 20);
        try (ProxiedServer proxy = start(server, setup);
                SameAsServer same = new SameAsServer(proxy);
                WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS it_stream");
            admin.execute("CREATE DATABASE it_stream");
            admin.execute("CREATE TABLE it_stream.t (id INT PRIMARY KEY, v INT NOT NULL, w VARCHAR(9),"
                    + " x INT GENERATED ALWAYS AS (v DIV (id - 19999)) VIRTUAL) ENGINE=InnoDB"
                    + " PARTITION BY HASH (id) PARTITIONS 6");
            admin.execute("SET sql_mode = ''");
            admin.execute("INSERT INTO it_stream.t (id, v, w) SELECT id, v, IF(id = 19998, 'x', id) FROM it_slow.big");
            admin.query("ANALYZE TABLE it_stream.t");
            proxy.tablesChanged();
            same.onBoth("SET sql_mode = 'ERROR_FOR_DIVISION_BY_ZERO'");
            same.fansOut("SELECT id, v FROM it_stream.t WHERE id < 9");
            same.passesThrough("SELECT id, x FROM it_stream.t WHERE id > 19990", Reason.WARNINGS);
            same.passesThrough("SELECT id FROM it_stream.t WHERE id > 19990 AND w > 5", Reason.WARNINGS);
            same.passesThrough("SELECT id, w + 1 FROM it_stream.t WHERE id > 19990 ORDER BY id", Reason.WARNINGS);
            same.passesThrough("SELECT id, CONCAT(w, REPEAT('x', 90)) FROM it_stream.t", Reason.MEMORY);
            awaitAllBack(proxy);
        }
    }

    @AllServers
    void killQueryEndsAnAnswerThatHasBegun(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied();
                WireConnection killer = proxy.proxied()) {
            for (int i = 0; i < 3; i++) {
                try (RowStream rows = begin(client, SlowTables.ENDLESS_ROWS)) {
                    killer.execute("KILL QUERY " + client.threadId());

                    // even if the client reads nothing
                    awaitAllBack(proxy);
                    SlowTables.awaitNoBusyWorker(admin);
                    fails(rows, INTERRUPTED);
                }
                splitsAgain(proxy, client);
            }
            assertThat(proxy.cancelled()).isEqualTo(3);
            assertThat(proxy.brokenOff()).isZero();
        }
    }

    @AllServers
    void clientThatLeavesEndsItsAnswer(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                WireConnection admin = proxy.direct()) {
            for (String statement : List.of(SlowTables.ENDLESS_ROWS, SORTED)) {
                try (WireConnection client = proxy.proxied();
                        RowStream rows = begin(client, statement)) {
                    client.abort();

                    SlowTables.awaitNoBusyWorker(admin);
                    awaitAllBack(proxy);
                    assertThatThrownBy(rows::skipRest).isInstanceOf(IOException.class);
                }
            }
            assertThat(proxy.cancelled()).isEqualTo(2);
        }
    }

    @AllServers
    void proxyThatStopsEndsAnAnswer(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3));
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied();
                RowStream rows = begin(client, SlowTables.ENDLESS_ROWS)) {
            proxy.close();

            assertThatThrownBy(rows::skipRest).isInstanceOfAny(IOException.class, ServerException.class);
            SlowTables.awaitNoBusyWorker(admin);
        }
    }

    @AllServers
    void clientThatDoesNotReadIsDisconnected(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(3).withSlowClient(Duration.ofSeconds(1));
        try (ProxiedServer proxy = start(server, setup);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied();
                RowStream rows = begin(client, SlowTables.ENDLESS_ROWS)) {
            await().atMost(LIMIT).until(() -> proxy.cancelled() == 1);

            awaitAllBack(proxy);
            SlowTables.awaitNoBusyWorker(admin);
            assertThatThrownBy(rows::skipRest).isInstanceOf(IOException.class);
        }
    }

    /** Its workers wait, and buffer at most a quarter of the query's memory. */
    @AllServers
    void clientThatReadsSlowlyGetsItsAnswer(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(3).withHeldAnswer(100_000).withQueryMemory(4 << 20);
        try (ProxiedServer proxy = start(server, setup);
                WireConnection client = proxy.proxied()) {
            long most = 0;
            for (String statement : List.of(MANY, SORTED)) {
                int read = 0;
                try (RowStream rows = begin(client, statement)) {
                    await().atMost(LIMIT).until(() -> proxy.heldMemoryBytes() > 900_000);
                    read++;
                    while (rows.next() != null) {
                        read++;
                        most = Math.max(most, proxy.heldMemoryBytes());
                    }
                }
                assertThat(read).isEqualTo(600_000);
                assertThat(most).isLessThanOrEqualTo(1 << 20);
                awaitAllBack(proxy);
            }
        }
    }

    @AllServers
    void workersThatAreCutOffEndAnAnswerThatHasBegun(TestServer server) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(
                        server,
                        ProxySetup.ofDegree(3)
                                .withWorkerPort(faults.port())
                                .withHeldAnswer(50_000)
                                .withQueryMemory(1 << 20));
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            for (String statement : List.of(SlowTables.ENDLESS_ROWS, SORTED)) {
                try (RowStream rows = begin(client, statement)) {
                    faults.cutAll();

                    fails(rows, BROKEN_OFF);
                }
                SlowTables.awaitNoBusyWorker(admin);
                awaitAllBack(proxy);
                awaitSplit(proxy, client);
            }
            assertThat(proxy.brokenOff()).isEqualTo(2);
            assertThat(proxy.cancelled()).isZero();
        }
    }

    @AllServers
    void workerThatIsCutOffBeforeTheAnswerBeginsCostsOnlyTheSplit(TestServer server) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withWorkerPort(faults.port()));
                SameAsServer same = new SameAsServer(proxy)) {
            for (String statement : STREAMED.subList(0, 5)) {
                faults.arm(new FaultProxy.Fault(FaultProxy.Kind.CUT, "PARTITION (", 1_000, true));
                same.passesThrough(statement, Reason.WORKER_ERROR);
                same.fansOut(statement);
            }
            awaitAllBack(proxy);
        }
    }

    @AllServers
    void killedWorkerEndsAnAnswerThatHasBegunAsAKilledStatementWould(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withHeldAnswer(50_000));
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied();
                RowStream rows = begin(client, SlowTables.ENDLESS_ROWS)) {
            long worker = SlowTables.awaitBusyWorkers(admin, 3).get(1);

            admin.execute("KILL QUERY " + worker);

            fails(rows, INTERRUPTED);
            assertThat(proxy.brokenOff()).isEqualTo(1);
            splitsAgain(proxy, client);
            awaitAllBack(proxy);
        }
    }

    @AllServers
    void silentWorkersDoNotKeepAClientThatIsKilled(TestServer server) throws Exception {
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = start(
                        server,
                        ProxySetup.ofDegree(3).withWorkerPort(faults.port()).withHeldAnswer(50_000));
                WireConnection killer = proxy.proxied();
                WireConnection client = proxy.proxied()) {
            faults.arm(new FaultProxy.Fault(FaultProxy.Kind.STALL, "PARTITION (", 500_000, false));
            try (RowStream rows = begin(client, SlowTables.ENDLESS_ROWS)) {
                await().atMost(LIMIT).until(() -> faults.befallen() == 3);

                killer.execute("KILL QUERY " + client.threadId());

                fails(rows, INTERRUPTED);
            }
            faults.disarm();
            awaitAllBack(proxy);
            splitsAgain(proxy, client);
        }
    }

    /** Six million rows are several times the size of the heap, which is the proxy's whatever the server is. */
    @OnServers(ServerName.MARIADB)
    void smallHeapIsEnoughForManyRows(TestServer server) throws Exception {
        start(server, ProxySetup.ofDegree(3)).close();
        String rows = "SELECT a.id, b.id, a.v FROM it_slow.big a JOIN it_slow.other b ON b.w <= 150 AND a.v < 1000";
        try (SmallProxy proxy = SmallProxy.start(server);
                WireConnection client = proxy.connect()) {
            // clients can connect before the catalog is loaded
            await().until(() -> proxy.log().contains("partitioned table"));
            for (String statement : List.of(rows, rows + " ORDER BY b.id, a.id")) {
                long count = 0;
                long sum = 0;
                try (RowStream stream = client.stream(statement.getBytes(UTF_8))) {
                    for (Row row = stream.next(); row != null; row = stream.next()) {
                        count++;
                        sum += Long.parseLong(String.valueOf(row.ascii(0)));
                    }
                }
                assertThat(count).isEqualTo(3_000_000);
                assertThat(sum).isEqualTo(150L * 20_000 * 19_999 / 2);
            }
            assertThat(groups(client, 5)).isEqualTo(100_000);
            // a million groups exceed the memory budget, so the server answers
            assertThat(groups(client, 50)).isEqualTo(1_000_000);
            assertThat(proxy.log()).contains("listening").doesNotContain("OutOfMemory");
            assertThat(proxy.log().lines().filter(line -> line.contains("fanned out: 6 partitions")))
                    .hasSize(3);
        }
    }

    @AllServers
    void aMillionGroupsFitInto256MiB(TestServer server) throws Exception {
        try (ProxiedServer proxy = start(server, ProxySetup.ofDegree(3).withQueryMemory(256 << 20));
                WireConnection client = proxy.proxied()) {
            assertThat(groups(client, 50)).isEqualTo(1_000_000);
            assertThat(proxy.outcome().reason()).isNull();
            awaitAllBack(proxy);
        }
    }

    /** Counts the groups of one row, 20,000 for each of {@code times}, and checks each of them. */
    private static long groups(WireConnection client, int times) throws Exception {
        String sql = "SELECT a.id + 0, b.w, COUNT(*), SUM(a.v) FROM it_slow.big a JOIN it_slow.other b ON b.w <= "
                + times + " GROUP BY a.id + 0, b.w";
        long count = 0;
        try (RowStream stream = client.stream(sql.getBytes(UTF_8))) {
            for (Row row = stream.next(); row != null; row = stream.next()) {
                count++;
                assertThat(row.ascii(2)).isEqualTo("1");
            }
        }
        return count;
    }

    private static RowStream begin(WireConnection client, String sql) throws Exception {
        RowStream rows = client.stream(sql.getBytes(UTF_8));
        assertThat(rows.next()).isNotNull();
        return rows;
    }

    private static void fails(RowStream rows, int errno) {
        assertThatExceptionOfType(ServerException.class)
                .isThrownBy(rows::skipRest)
                .extracting(ServerException::errno)
                .isEqualTo(errno);
    }

    private static void splitsAgain(ProxiedServer proxy, WireConnection client) throws Exception {
        proxy.forget();
        assertThat(client.query(SlowTables.SHORT).rows().toString()).isEqualTo(SlowTables.SHORT_ANSWER);
        assertThat(proxy.outcome().reason()).isNull();
    }

    /** The session continues. The pool may need some time to notice that the connections are lost. */
    private static void awaitSplit(ProxiedServer proxy, WireConnection client) {
        await().atMost(LIMIT).until(() -> {
            proxy.forget();
            assertThat(client.query(SlowTables.SHORT).rows().toString()).isEqualTo(SlowTables.SHORT_ANSWER);
            return proxy.outcome().fannedOut();
        });
    }

    private static void awaitAllBack(ProxiedServer proxy) {
        await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 16 && proxy.heldMemoryBytes() == 0);
    }

    private static ProxiedServer start(TestServer server, ProxySetup setup) throws Exception {
        ProxiedServer proxy = ProxiedServer.start(server, setup);
        SlowTables.create(proxy);
        return proxy;
    }
}

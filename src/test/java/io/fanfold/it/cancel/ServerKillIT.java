package io.fanfold.it.cancel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** How the server shows a long split in its process list, and how a KILL on the server ends it. */
class ServerKillIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Reply INTERRUPTED = new Reply.Failed(1317, "70100", "Query execution was interrupted");

    /** Runs for some seconds. */
    private static final String LONGER = SlowTables.LONG.replace("<= 1000", "<= 3000");

    private static final String LONGER_SUM = "[" + 990_000L * 3000 * 3001 / 2 + "]";

    private static final List<String> PROBES = List.of(
            "SHOW WARNINGS",
            "SELECT FOUND_ROWS()",
            "SELECT ROW_COUNT()",
            "SELECT @@warning_count, @@error_count",
            "SELECT IS_USED_LOCK('own') = CONNECTION_ID()");

    @AllServers
    void killQueryOnTheServerEndsASplit(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            int killed = 0;
            for (String sql : List.of(
                    SlowTables.ENDLESS,
                    SlowTables.ENDLESS_FINISH,
                    SlowTables.ENDLESS.replace("SUM", "/* a sum */ SUM") + " WHERE a.v <> '*/' -- all of it")) {
                proxy.forget();
                Future<Reply> reply = Background.ask(client, sql);
                assertThat(awaitShown(admin, client))
                        .startsWith("SELECT /* " + sql.replace("/*", "/ *").replace("*/", "* /")
                                + " */ GET_LOCK('fanfold ");

                admin.execute("KILL QUERY " + client.threadId());

                assertThat(reply.get(20, TimeUnit.SECONDS)).isEqualTo(INTERRUPTED);
                SlowTables.awaitNoBusyWorker(admin);
                killed++;
                assertThat(proxy.cancelled()).isEqualTo(killed);
                SlowTables.splitsAgain(proxy, client);
            }
            await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 16);
        }
    }

    /** Afterwards the session is in the same state as if the server itself had interrupted the statement. */
    @AllServers
    void theSessionIsAsAfterAKillOfTheStatementItself(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct()) {
            List<List<String>> seen = new ArrayList<>();
            for (boolean through : List.of(false, true)) {
                try (WireConnection client = through ? proxy.proxied() : proxy.direct()) {
                    List<String> log = new ArrayList<>();
                    client.query("SELECT GET_LOCK('own', 10)");
                    for (String probe : PROBES) {
                        client.query("SELECT 1 UNION SELECT 2");
                        Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
                        if (through) {
                            awaitShown(admin, client);
                        } else {
                            awaitInfo(admin, client.threadId(), "SELECT SUM%");
                        }
                        admin.execute("KILL QUERY " + client.threadId());
                        log.add(String.valueOf(reply.get(20, TimeUnit.SECONDS)));
                        log.add(rows(client.query(probe)));
                    }
                    seen.add(log);
                }
            }
            assertThat(seen.get(1)).isEqualTo(seen.get(0)).contains(String.valueOf(INTERRUPTED));
            assertThat(proxy.cancelled()).isEqualTo(PROBES.size());
        }
    }

    @AllServers
    void killOnTheServerEndsTheSession(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection next = proxy.proxied()) {
            try (WireConnection client = proxy.proxied()) {
                Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
                awaitShown(admin, client);

                admin.execute("KILL " + client.threadId());

                CancelIT.failsOrBreaks(reply);
                SlowTables.awaitNoBusyWorker(admin);
                await().atMost(LIMIT).until(() -> !client.ping());
            }
            awaitNobodyWaits(admin);
            assertThat(proxy.cancelled()).isEqualTo(1);
            SlowTables.splitsAgain(proxy, next);
        }
    }

    /** The answer has begun, and the client does not read it. */
    @AllServers
    void killQueryOnTheServerEndsAnAnswerThatStreams(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            try (RowStream rows = client.stream(SlowTables.ENDLESS_ROWS.getBytes(StandardCharsets.UTF_8))) {
                awaitShown(admin, client);

                admin.execute("KILL QUERY " + client.threadId());

                SlowTables.awaitNoBusyWorker(admin);
                assertThatExceptionOfType(ServerException.class)
                        .isThrownBy(() -> readAll(rows))
                        .satisfies(e -> assertThat(e.errno()).isEqualTo(1317));
            }
            assertThat(proxy.cancelled()).isEqualTo(1);
            awaitNobodyWaits(admin);
            SlowTables.splitsAgain(proxy, client);
        }
    }

    @AllServers
    void aClientThatLeavesLeavesNothingBehind(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct()) {
            try (WireConnection client = proxy.proxied()) {
                Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
                awaitShown(admin, client);

                client.abort();

                assertThat(reply).failsWithin(LIMIT);
            }
            SlowTables.awaitNoBusyWorker(admin);
            awaitNobodyWaits(admin);
            await().atMost(LIMIT).until(() -> proxy.cancelled() == 1);
        }
    }

    /**
     * Without a KILL, the answer and the session are those of a server without a proxy, and the session keeps its lock.
     */
    @AllServers
    void aSplitThatIsShownChangesNothing(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection direct = proxy.direct();
                WireConnection client = proxy.proxied()) {
            client.query("SELECT GET_LOCK('own', 10), LAST_INSERT_ID(77)");
            direct.query("SELECT LAST_INSERT_ID(77)");
            for (String probe : List.of("SELECT FOUND_ROWS(), ROW_COUNT(), LAST_INSERT_ID()", "SHOW WARNINGS")) {
                Reply expected = direct.query(SlowTables.SHORT);
                assertThat(expected).isInstanceOf(Reply.Result.class);
                proxy.forget();
                Future<Reply> reply = Background.ask(client, LONGER);
                awaitShown(admin, client);
                assertThat(rows(reply.get(60, TimeUnit.SECONDS))).isEqualTo(LONGER_SUM);
                assertThat(proxy.outcome().reason()).isNull();
                assertThat(rows(client.query(probe))).as(probe).isEqualTo(rows(direct.query(probe)));
            }
            assertThat(rows(client.query("SELECT IS_USED_LOCK('own') = CONNECTION_ID(), RELEASE_LOCK('own')")))
                    .isEqualTo("[1|1]");
            awaitNobodyWaits(admin);
            assertThat(proxy.cancelled()).isZero();
        }
    }

    /** A KILL QUERY through the proxy ends the same statement. */
    @AllServers
    void killQueryThroughTheProxyEndsIt(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied();
                WireConnection killer = proxy.proxied()) {
            Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
            awaitShown(admin, client);

            killer.execute("KILL QUERY " + client.threadId());

            assertThat(reply.get(20, TimeUnit.SECONDS)).isEqualTo(INTERRUPTED);
            SlowTables.awaitNoBusyWorker(admin);
            assertThat(proxy.cancelled()).isEqualTo(1);
            SlowTables.splitsAgain(proxy, client);
        }
    }

    /** A single worker has sent all its partition queries at once. */
    @AllServers
    void killEndsAllQueriesOfASingleWorker(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 1);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            SlowTables.create(proxy);
            Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
            awaitShown(admin, client);

            admin.execute("KILL QUERY " + client.threadId());
            assertThat(reply.get(20, TimeUnit.SECONDS)).isEqualTo(INTERRUPTED);
            SlowTables.awaitNoBusyWorker(admin);
            SlowTables.splitsAgain(proxy, client);
        }
    }

    /** The statement is sent after its placeholder has ended. The client may have received progress reports before. */
    @AllServers
    void aSplitThatIsShownMayStillPassThrough(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection direct = proxy.direct();
                WireConnection client = proxy.proxied()) {
            String sql = SlowTables.LONG.replace("<= 1000", "<= 2000");
            Reply expected = direct.query(sql);
            proxy.forget();
            Future<Reply> reply = Background.ask(client, sql);
            awaitShown(admin, client);

            admin.execute("KILL " + SlowTables.awaitBusyWorkers(admin, 1).get(0));

            assertThat(rows(reply.get(60, TimeUnit.SECONDS))).isEqualTo(rows(expected));
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.WORKER_ERROR);
            assertThat(rows(client.query("SELECT FOUND_ROWS(), ROW_COUNT()")))
                    .isEqualTo(rows(direct.query("SELECT FOUND_ROWS(), ROW_COUNT()")));
            SlowTables.splitsAgain(proxy, client);
        }
    }

    @AllServers
    void executionsAreShownWithTheirMarkers(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct()) {
            admin.execute("CREATE USER IF NOT EXISTS '" + BinaryClient.USER + "'@'%' IDENTIFIED BY ''");
            admin.execute("GRANT ALL ON *.* TO '" + BinaryClient.USER + "'@'%'");
            try (BinaryClient client = new BinaryClient("127.0.0.1", proxy.port(), BinaryClient.USUAL)) {
                assertThat(client.query("USE it_slow").failed()).isFalse();
                long thread = Long.parseLong(text(client.query("SELECT CONNECTION_ID()")));
                String sql = SlowTables.ENDLESS + " WHERE b.w < ?";
                BinaryClient.Prepared prepared = client.prepare(sql);
                client.sendExecute(prepared.id(), List.of(SameInBinary.integer(100_000)));
                try {
                    assertThat(awaitInfo(admin, thread, "SELECT /* %GET_LOCK%")).startsWith("SELECT /* " + sql + " */");
                } finally {
                    admin.execute("KILL QUERY " + thread);
                }
                assertThat(client.answer(client.read()).failed()).isTrue();
                SlowTables.awaitNoBusyWorker(admin);
                assertThat(proxy.cancelled()).isEqualTo(1);
                assertThat(text(client.query("SELECT FOUND_ROWS() < 2"))).isEqualTo("1");
            }
        }
    }

    private static String text(BinaryClient.Answer answer) {
        return String.valueOf(Row.of(answer.rows().get(0), 1).utf8(0));
    }

    @AllServers
    void aSplitGoesOnWithoutItsLock(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            proxy.forget();
            Future<Reply> reply = Background.ask(client, LONGER);
            String lock = awaitShown(admin, client).replaceAll("^.*GET_LOCK\\('([^']*)'.*$", "$1");
            String holder = rows(admin.query("SELECT IS_USED_LOCK('" + lock + "')"));

            admin.execute("KILL " + holder.substring(1, holder.length() - 1));

            awaitNobodyWaits(admin);
            assertThat(reply.isDone()).isFalse();
            assertThat(rows(reply.get(60, TimeUnit.SECONDS))).isEqualTo(LONGER_SUM);
            assertThat(proxy.outcome().reason()).isNull();
            assertThat(proxy.cancelled()).isZero();
        }
    }

    /**
     * In a transaction nothing is split here. The server shows and kills the statement itself, and the transaction
     * continues.
     */
    @AllServers
    void inATransactionTheStatementItselfIsShown(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            client.execute("BEGIN");
            client.execute("SAVEPOINT s");
            proxy.forget();
            Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
            awaitInfo(admin, client.threadId(), "SELECT SUM%");

            admin.execute("KILL QUERY " + client.threadId());

            assertThat(reply.get(20, TimeUnit.SECONDS)).isEqualTo(INTERRUPTED);
            assertThat(proxy.outcome().reason()).isEqualTo(Reason.IN_TRANSACTION);
            client.execute("ROLLBACK");
            SlowTables.splitsAgain(proxy, client);
        }
    }

    /** Waits until the server shows the placeholder of that client's split, and returns it. */
    private static String awaitShown(WireConnection admin, WireConnection client) {
        return awaitInfo(admin, client.threadId(), "SELECT /* %GET_LOCK%");
    }

    private static String awaitInfo(WireConnection admin, long thread, String like) {
        List<Row> found = await().atMost(LIMIT)
                .pollInterval(Duration.ofMillis(20))
                .until(
                        () -> admin.query("SELECT INFO FROM information_schema.PROCESSLIST WHERE COMMAND <> 'Sleep'"
                                        + " AND ID = " + thread + " AND INFO LIKE '" + like + "'")
                                .rows(),
                        rows -> !rows.isEmpty());
        return String.valueOf(found.get(0).utf8(0));
    }

    private static void awaitNobodyWaits(WireConnection admin) {
        await().atMost(LIMIT)
                .until(() -> admin.query("SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE '%GET_LOCK(%'"
                                + " AND ID <> CONNECTION_ID()")
                        .rows()
                        .isEmpty());
    }

    static void readAll(RowStream rows) throws IOException, ServerException {
        for (Row row = rows.next(); row != null; row = rows.next()) {
            assertThat(row.columns()).isEqualTo(4);
        }
    }

    private static String rows(Reply reply) {
        return ((Reply.Result) reply).rows().toString();
    }
}

package io.fanfold.it.cancel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.NothingLeft;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Ways to end a split from outside: the client leaves, a KILL in any form, killed workers, the proxy stops. */
class CancelIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Reply INTERRUPTED = new Reply.Failed(1317, "70100", "Query execution was interrupted");

    @AllServers
    void clientThatLeavesLeavesNoWorkerBehind(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct()) {
            try (WireConnection client = proxy.proxied()) {
                Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
                SlowTables.awaitBusyWorkers(admin, 3);

                client.abort();

                assertThat(reply).failsWithin(LIMIT);
            }
            SlowTables.awaitNoBusyWorker(admin);
            await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 16 && proxy.cancelled() == 1);
            try (WireConnection next = proxy.proxied()) {
                SlowTables.splitsAgain(proxy, next);
            }
        }
    }

    @AllServers
    void killQueryEndsTheStatementAlone(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied();
                WireConnection killer = proxy.proxied()) {
            for (int i = 0; i < 5; i++) {
                Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
                SlowTables.awaitBusyWorkers(admin, 3);

                killer.execute("KILL QUERY " + client.threadId());

                assertThat(reply.get(20, TimeUnit.SECONDS)).isEqualTo(INTERRUPTED);
                SlowTables.awaitNoBusyWorker(admin);
                SlowTables.splitsAgain(proxy, client);
            }
            assertThat(proxy.cancelled()).isEqualTo(5);
        }
    }

    @AllServers
    void killEndsTheConnection(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection killer = proxy.proxied()) {
            for (String kill : List.of("KILL ", "kill /* all of it */ connection ")) {
                try (WireConnection client = proxy.proxied()) {
                    Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
                    SlowTables.awaitBusyWorkers(admin, 3);

                    killer.execute(kill + client.threadId());

                    failsOrBreaks(reply);
                    SlowTables.awaitNoBusyWorker(admin);
                    await().atMost(LIMIT).until(() -> !client.ping());
                }
            }
            SlowTables.splitsAgain(proxy, killer);
            assertThat(proxy.cancelled()).isEqualTo(2);
        }
    }

    @AllServers
    void killQueryEndsAFinalQueryOnAWorker(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied();
                WireConnection killer = proxy.proxied()) {
            Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS_FINISH);
            SlowTables.awaitFinishing(admin);

            killer.execute("KILL QUERY " + client.threadId());

            assertThat(reply.get(20, TimeUnit.SECONDS)).isEqualTo(INTERRUPTED);
            SlowTables.awaitNoBusyWorker(admin);
            SlowTables.splitsAgain(proxy, client);
            assertThat(proxy.cancelled()).isEqualTo(1);
        }
    }

    /**
     * Preflight queries run before a statement and may take long. A KILL that arrives meanwhile is meant for the
     * statement.
     */
    @AllServers
    void killQueryEndsAStatementDuringItsPreflight(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection locker = proxy.direct();
                WireConnection killer = proxy.proxied()) {
            List<List<String>> seen = new ArrayList<>();
            for (boolean through : List.of(false, true)) {
                try (WireConnection client = through ? proxy.proxied() : proxy.direct()) {
                    List<String> log = new ArrayList<>();
                    for (WireConnection by : List.of(admin, killer)) {
                        log.add(rows(client.query("SELECT 1 UNION SELECT 2")));
                        locker.execute("LOCK TABLES it_slow.big WRITE");
                        Future<Reply> reply = Background.ask(client, SlowTables.SHORT);
                        awaitWaitingForLock(admin, client.threadId());

                        by.execute("KILL QUERY " + client.threadId());

                        if (by == killer) {
                            // preflight queries after the killed one wait for the lock, but the client does not
                            log.add(String.valueOf(reply.get(20, TimeUnit.SECONDS)));
                        }
                        locker.execute("UNLOCK TABLES");
                        log.add(String.valueOf(reply.get(20, TimeUnit.SECONDS)));
                        log.add(rows(client.query("SHOW WARNINGS")));
                        log.add(rows(client.query("SELECT FOUND_ROWS()")));
                    }
                    log.add(rows(client.query(SlowTables.SHORT)));
                    seen.add(log);
                }
            }
            assertThat(seen.get(1)).isEqualTo(seen.get(0)).contains(String.valueOf(INTERRUPTED));
            assertThat(proxy.cancelled()).isEqualTo(2);
            SlowTables.splitsAgain(proxy, killer);
        }
    }

    private static void awaitWaitingForLock(WireConnection admin, long threadId) {
        await().atMost(LIMIT)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !admin.query(
                                "SELECT 1 FROM information_schema.PROCESSLIST WHERE STATE LIKE '%metadata lock%'"
                                        + " AND ID = " + threadId)
                        .rows()
                        .isEmpty());
    }

    @AllServers
    void clientThatLeavesEndsAFinalQueryOnAWorker(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct()) {
            try (WireConnection client = proxy.proxied()) {
                Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS_FINISH);
                SlowTables.awaitFinishing(admin);

                client.abort();

                assertThat(reply).failsWithin(LIMIT);
            }
            SlowTables.awaitNoBusyWorker(admin);
            await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 16 && proxy.cancelled() == 1);
        }
    }

    @AllServers
    void refusedKillCancelsNothing(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct()) {
            admin.execute("CREATE USER IF NOT EXISTS it_stranger IDENTIFIED BY 'pw'");
            try (WireConnection client = proxy.proxied();
                    WireConnection stranger = proxy.proxied("it_stranger", "pw");
                    WireConnection strangerDirect = proxy.direct("it_stranger", "pw")) {
                Future<Reply> reply = Background.ask(client, SlowTables.LONG);
                SlowTables.awaitBusyWorkers(admin, 3);
                for (String kill : List.of("KILL QUERY ", "KILL ")) {
                    List<String> statement = List.of(kill + client.threadId());
                    Reply refused = stranger.pipeline(statement).get(0);
                    assertThat(refused)
                            .isEqualTo(strangerDirect.pipeline(statement).get(0));
                    assertThat(((Reply.Failed) refused).errno()).isEqualTo(1095);
                }

                assertThat(rows(reply.get(60, TimeUnit.SECONDS))).isEqualTo("[" + SlowTables.LONG_SUM + "]");
                List<@Nullable Reason> outcomes = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    outcomes.add(proxy.outcome().reason());
                }
                assertThat(outcomes)
                        .as("two KILLs and a fan-out")
                        .containsExactlyInAnyOrder(Reason.NOT_A_SELECT, Reason.NOT_A_SELECT, null);
                assertThat(proxy.cancelled()).isZero();
            }
        }
    }

    @AllServers
    void killedWorkerCostsTheSplitNotTheAnswer(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            for (String kill : List.of("KILL ", "KILL QUERY ")) {
                Future<Reply> reply = Background.ask(client, SlowTables.LONG);
                long worker = SlowTables.awaitBusyWorkers(admin, 3).get(1);

                admin.execute(kill + worker);

                assertThat(rows(reply.get(60, TimeUnit.SECONDS))).isEqualTo("[" + SlowTables.LONG_SUM + "]");
                assertThat(proxy.outcome().reason()).isEqualTo(Reason.WORKER_ERROR);
                SlowTables.splitsAgain(proxy, client);
            }
            assertThat(proxy.cancelled()).isZero();
            await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 16);
        }
    }

    /** MariaDB marks a connection killed while idle as killed until its next statement. */
    @AllServers
    void lateKillHarmsNoIdleWorker(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            for (int i = 0; i < 3; i++) {
                SlowTables.splitsAgain(proxy, client);
                await().atMost(LIMIT)
                        .until(() -> NothingLeft.runningStatements(admin).isEmpty());
                List<Long> idle = SlowTables.workers(admin);

                for (long worker : idle) {
                    admin.execute("KILL QUERY " + worker);
                }

                assertThat(idle).hasSizeGreaterThanOrEqualTo(3);
                assertThat(admin.query("SELECT DISTINCT COMMAND FROM information_schema.PROCESSLIST WHERE USER = '"
                                        + ProxiedServer.WORKER + "'")
                                .rows())
                        .hasToString(server.kind() == ServerFlavor.MARIADB ? "[Killed]" : "[Sleep]");
                assertThat(NothingLeft.runningStatements(admin)).isEmpty();
            }
            SlowTables.splitsAgain(proxy, client);
            assertThat(proxy.cancelled()).isZero();
        }
    }

    /** The server's own error, before the first row and after it. A limit that is not reached changes nothing. */
    @AllServers
    void theSessionsLimitOnTimeHoldsForASplit(TestServer server) throws Exception {
        String variable =
                server.kind() == ServerFlavor.MARIADB ? "max_statement_time = 0.3" : "max_execution_time = 300";
        String none = "SET " + variable.replaceAll("=.*", "= 0");
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            admin.execute("SET " + variable);
            Reply expected = admin.pipeline(List.of(SlowTables.ENDLESS)).get(0);
            assertThat(expected).isInstanceOf(Reply.Failed.class);
            admin.execute(none);
            client.execute("SET " + variable);
            proxy.forget();
            for (String statement : List.of(SlowTables.ENDLESS, SlowTables.ENDLESS_FINISH)) {
                assertThat(client.pipeline(List.of(statement)).get(0))
                        .as("%s", statement)
                        .isEqualTo(expected);
                SlowTables.awaitNoBusyWorker(admin);
            }
            assertThatExceptionOfType(ServerException.class)
                    .isThrownBy(() -> readAll(client, SlowTables.ENDLESS_ROWS))
                    .satisfies(
                            e -> assertThat(new Reply.Failed(e.errno(), e.sqlState(), String.valueOf(e.getMessage())))
                                    .isEqualTo(expected));
            SlowTables.awaitNoBusyWorker(admin);
            assertThat(proxy.cancelled()).isEqualTo(3);
            assertThat(proxy.lookedAtNothing())
                    .as("no statement was passed through")
                    .isTrue();
            client.execute("SET " + variable.replace("0.3", "300").replace("300", "300000"));
            SlowTables.splitsAgain(proxy, client);
            client.execute(none);
            SlowTables.splitsAgain(proxy, client);
            await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 16);
        }
    }

    @AllServers
    void proxyThatStopsLeavesNoWorkerBehind(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection admin = proxy.direct();
                WireConnection client = proxy.proxied()) {
            Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
            SlowTables.awaitBusyWorkers(admin, 3);

            proxy.close();

            failsOrBreaks(reply);
            SlowTables.awaitNoBusyWorker(admin);
        }
    }

    private static void readAll(WireConnection client, String sql) throws IOException, ServerException {
        try (RowStream rows = client.stream(sql.getBytes(StandardCharsets.UTF_8))) {
            ServerKillIT.readAll(rows);
        }
    }

    /** Requires that the client gets the error for an interrupted statement, or that its connection ends. */
    static void failsOrBreaks(Future<Reply> reply) throws Exception {
        try {
            assertThat(reply.get(20, TimeUnit.SECONDS)).isInstanceOf(Reply.Failed.class);
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(IOException.class);
        }
    }

    private static String rows(Reply reply) {
        return reply instanceof Reply.Result result ? result.rows().toString() : reply.toString();
    }
}

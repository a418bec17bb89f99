package io.fanfold.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.backend.Reply;
import io.fanfold.backend.ServerException;
import io.fanfold.backend.WireConnection;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Tables that change, statements that are killed, and clients that come and go, all the time, while every answer is held
 * against what it may be; nothing is left behind. Seconds long here; {@code -Dfanfold.it.storm.seconds=600} for longer.
 */
class StormIT {
    private static final int WORKERS = 16;

    /** Statements on the tables of {@link #createTables}, and all answers that there is a moment for. */
    private static final Map<String, List<String>> LEGAL = Map.of(
            "SELECT SUM(v), COUNT(*) FROM it_storm.t",
            List.of("[4000|2000]", "[3000|1500]"),
            "SELECT COUNT(DISTINCT p), MAX(id) FROM it_storm.t WHERE p < 30",
            List.of("[30|1989]"),
            "SELECT SUM(v), COUNT(*) FROM it_storm.r",
            List.of("[4000|2000]", "[6000|2000]"),
            "SELECT SUM(v), COUNT(*) FROM it_storm.s",
            List.of("[4000|2000]", "[10000|2000]"),
            "SELECT SUM(v), MIN(v) FROM it_storm.e",
            List.of("[4000|2]", "[5000|2]"),
            "SELECT v, COUNT(*) FROM it_storm.e WHERE id >= 0 GROUP BY v ORDER BY v",
            List.of("[2|2000]", "[2|1500, 4|500]"),
            "SELECT x.n + y.n FROM (SELECT COUNT(*) AS n FROM it_storm.r) x, (SELECT COUNT(*) AS n FROM it_storm.s) y",
            List.of("[4000]"));

    @AllServers
    void answersAreRightWhileTablesChange(TestServer server) throws Exception {
        NothingLeft nothing = NothingLeft.before(server);
        ProxySetup watching = ProxySetup.ofDegree(3).withCatalogRefresh(Duration.ofMillis(50));
        try (ProxiedServer proxy = ProxiedServer.start(server, watching);
                Storm storm = new Storm()) {
            createTables(proxy);
            readers(storm, proxy, 2);
            changes(storm, proxy);
            storm.end("storm of changed tables, " + server.name());

            assertThat(storm.counted("fanned out")).isPositive();
            proxy.tablesChanged();
            try (SameAsServer same = new SameAsServer(proxy)) {
                for (String table : List.of("t", "e")) {
                    same.fansOut("SELECT SUM(v), COUNT(*) FROM it_storm." + table);
                }
            }
            nothing.whileItRuns(proxy, WORKERS);
        }
        nothing.afterIt(server);
    }

    @AllServers
    void killsEndWhatTheyAreMeantFor(TestServer server) throws Exception {
        NothingLeft nothing = NothingLeft.before(server);
        try (ProxiedServer proxy = ProxiedServer.start(server, 3);
                Storm storm = new Storm()) {
            SlowTables.create(proxy);
            for (int victim = 0; victim < 3; victim++) {
                Random random = new Random(victim);
                storm.loop("killed or right", () -> new Victim(proxy, random, storm), Victim::turn);
            }
            storm.loop("workers killed", proxy::direct, admin -> {
                List<Long> busy = SlowTables.busyWorkers(admin);
                if (!busy.isEmpty()) {
                    killed(admin, busy.get(0));
                }
                TimeUnit.MILLISECONDS.sleep(20);
            });
            tally(storm, proxy);
            storm.end("storm of kills, " + server.name());

            assertThat(storm.counted("interrupted")).isPositive();
            assertThat(storm.counted("fanned out")).isPositive();
            assertThat(proxy.cancelled()).isPositive();
            nothing.whileItRuns(proxy, WORKERS);
        }
        nothing.afterIt(server);
    }

    /** How long a kill takes is printed: until the client has its error, and until no worker is busy with its statement. */
    @AllServers
    void aKillEndsAllWorkers(TestServer server) throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 3);
                Storm storm = new Storm()) {
            SlowTables.create(proxy);
            try (WireConnection admin = proxy.direct();
                    WireConnection client = proxy.proxied();
                    WireConnection killer = proxy.proxied()) {
                while (storm.blows()) {
                    Future<Reply> reply = Background.ask(client, SlowTables.ENDLESS);
                    SlowTables.awaitBusyWorkers(admin, 3);
                    long start = System.nanoTime();
                    killer.execute("KILL QUERY " + client.threadId());
                    assertThat(reply.get(20, TimeUnit.SECONDS)).isInstanceOf(Reply.Failed.class);
                    storm.took("the error of a KILL QUERY", System.nanoTime() - start);
                    while (!SlowTables.busyWorkers(admin).isEmpty()) {
                        Thread.onSpinWait();
                    }
                    storm.took("the end of its last worker's statement", System.nanoTime() - start);
                    storm.count("kills");
                }
            }
            storm.end("kills, " + server.name());
        }
    }

    @AllServers
    void clientsComeAndGo(TestServer server) throws Exception {
        NothingLeft nothing = NothingLeft.before(server);
        try (ProxiedServer proxy = ProxiedServer.start(server, 3);
                Storm storm = new Storm()) {
            SlowTables.create(proxy);
            for (int i = 0; i < 4; i++) {
                Random random = new Random(i);
                storm.loop("connections", () -> connection(proxy, random, storm));
            }
            tally(storm, proxy);
            storm.end("storm of connections, " + server.name());

            assertThat(storm.counted("fanned out")).isPositive();
            nothing.whileItRuns(proxy, WORKERS);
        }
        nothing.afterIt(server);
    }

    /** All of it at once: what the proxy holds afterwards does not depend on how long it took. */
    @AllServers
    void everythingAtOnce(TestServer server) throws Exception {
        NothingLeft nothing = NothingLeft.before(server);
        try (FaultProxy faults = FaultProxy.before(server)) {
            ProxySetup setup = ProxySetup.ofDegree(3)
                    .withCatalogRefresh(Duration.ofMillis(200))
                    .withWorkerPort(faults.port());
            try (ProxiedServer proxy = ProxiedServer.start(server, setup);
                    Storm storm = new Storm()) {
                createTables(proxy);
                SlowTables.create(proxy);
                readers(storm, proxy, 2);
                changes(storm, proxy);
                Random random = new Random(7);
                storm.loop("killed or right", () -> new Victim(proxy, random, storm), Victim::turn);
                storm.loop("connections", () -> connection(proxy, random, storm));
                storm.loop("cuts", () -> {
                    faults.arm(new FaultProxy.Fault(FaultProxy.Kind.CUT, " PARTITION (", random.nextInt(200), true));
                    TimeUnit.MILLISECONDS.sleep(100);
                });
                storm.end("everything at once, " + server.name());

                faults.disarm();
                assertThat(storm.counted("fanned out")).isPositive();
                proxy.tablesChanged();
                nothing.whileItRuns(proxy, WORKERS);
            }
        }
        nothing.afterIt(server);
    }

    private static void readers(Storm storm, ProxiedServer proxy, int number) {
        for (int i = 0; i < number; i++) {
            Random random = new Random(i);
            List<String> statements = LEGAL.keySet().stream().sorted().toList();
            storm.loop("answers", proxy::proxied, client -> {
                String statement = statements.get(random.nextInt(statements.size()));
                assertThat(client.query(statement).rows().toString())
                        .as("%s", statement)
                        .isIn(LEGAL.get(statement));
            });
        }
        storm.loop("answers beside a temporary table", proxy::proxied, client -> {
            client.execute("CREATE TEMPORARY TABLE it_storm.t (v INT)");
            client.execute("INSERT INTO it_storm.t VALUES (77)");
            assertThat(client.query("SELECT SUM(v), COUNT(*) FROM it_storm.t").rows())
                    .hasToString("[77|1]");
            client.execute("DROP TEMPORARY TABLE it_storm.t");
            assertThat(client.query("SELECT SUM(v), COUNT(*) FROM it_storm.t")
                            .rows()
                            .toString())
                    .isIn(LEGAL.get("SELECT SUM(v), COUNT(*) FROM it_storm.t"));
        });
        tally(storm, proxy);
    }

    /** Counts what the proxy did with statements. */
    private static void tally(Storm storm, ProxiedServer proxy) {
        storm.loop("tallies", () -> {
            while (!proxy.lookedAtNothing()) {
                ProxiedServer.Outcome outcome = proxy.outcome();
                storm.count(outcome.fannedOut() ? "fanned out" : String.valueOf(outcome.reason()));
            }
            TimeUnit.MILLISECONDS.sleep(5);
        });
    }

    /** Changes each table in a thread of its own, with pauses so that something else comes to run too. */
    private static void changes(Storm storm, ProxiedServer proxy) {
        changing(
                storm,
                proxy,
                "partitions changed",
                "ALTER TABLE t REORGANIZE PARTITION p0, p1 INTO (PARTITION p01 VALUES LESS THAN (20))",
                "ALTER TABLE t ADD PARTITION (PARTITION p9 VALUES LESS THAN (50))",
                "ALTER TABLE t TRUNCATE PARTITION px",
                "INSERT INTO t SELECT id, p, v FROM copy WHERE p >= 30",
                "ALTER TABLE t REORGANIZE PARTITION p01 INTO"
                        + " (PARTITION p0 VALUES LESS THAN (7), PARTITION p1 VALUES LESS THAN (20))",
                "ALTER TABLE t DROP PARTITION p9");
        changing(
                storm,
                proxy,
                "tables renamed",
                "RENAME TABLE r TO r_away, r_other TO r",
                "RENAME TABLE r TO r_other, r_away TO r");
        changing(
                storm,
                proxy,
                "table and view swapped",
                "RENAME TABLE s TO s_away, s_view TO s",
                "RENAME TABLE s TO s_view, s_away TO s");
        changing(
                storm,
                proxy,
                "partition exchanged",
                "ALTER TABLE e EXCHANGE PARTITION p1 WITH TABLE e_other",
                "ALTER TABLE e EXCHANGE PARTITION p1 WITH TABLE e_other");
    }

    private static void changing(Storm storm, ProxiedServer proxy, String name, String... cycle) {
        storm.loop(name, proxy::direct, admin -> {
            admin.execute("USE it_storm");
            for (String change : cycle) {
                admin.execute(change);
                TimeUnit.MILLISECONDS.sleep(30);
            }
        });
    }

    private static void createTables(ProxiedServer proxy) throws Exception {
        String columns = " (id INT NOT NULL, p INT NOT NULL, v INT NOT NULL, PRIMARY KEY (id, p)) ENGINE=InnoDB";
        String ranges =
                " PARTITION BY RANGE (p) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20),"
                        + " PARTITION p2 VALUES LESS THAN (30), PARTITION px VALUES LESS THAN (40))";
        StringBuilder values = new StringBuilder("(0, 0, 2)");
        for (int i = 1; i < 2000; i++) {
            values.append(", (%d, %d, 2)".formatted(i, i % 40));
        }
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS it_storm");
            admin.execute("CREATE DATABASE it_storm");
            admin.execute("USE it_storm");
            admin.execute("CREATE TABLE copy" + columns);
            admin.execute("INSERT INTO copy VALUES " + values);
            for (String table : List.of("t", "r", "s", "e")) {
                admin.execute("CREATE TABLE " + table + columns + ranges);
                admin.execute("INSERT INTO " + table + " SELECT * FROM copy");
            }
            admin.execute("CREATE TABLE r_other" + columns + " PARTITION BY HASH (id) PARTITIONS 7");
            admin.execute("INSERT INTO r_other SELECT id, p, 3 FROM copy");
            admin.execute("CREATE VIEW s_view AS SELECT id, p, v + 3 AS v FROM copy");
            admin.execute("CREATE TABLE e_other" + columns);
            admin.execute("INSERT INTO e_other SELECT id, p, 4 FROM copy WHERE p BETWEEN 10 AND 19");
            admin.query("ANALYZE TABLE t, r, s, e, r_other");
        }
        proxy.tablesChanged();
    }

    /** Kills a connection or its statement; it may have ended by itself. */
    private static void killed(WireConnection killer, long id) throws IOException {
        Reply reply = killer.pipeline(List.of("KILL QUERY " + id)).get(0);
        assertThat(reply instanceof Reply.Ok || ((Reply.Failed) reply).errno() == 1094)
                .as("%s", reply)
                .isTrue();
    }

    /** One connection of any kind. */
    private static void connection(ProxiedServer proxy, Random random, Storm storm) throws Exception {
        int kind = random.nextInt(6);
        switch (kind) {
            case 0 -> {
                // not even a greeting is read
                new Socket(InetAddress.getLoopbackAddress(), proxy.port()).close();
                storm.count("gone at once");
            }
            case 1 -> {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                        InputStream in = socket.getInputStream()) {
                    assertThat(in.read()).as("the greeting's first byte").isPositive();
                    socket.getOutputStream().write(new byte[random.nextInt(1, 40)]);
                }
                storm.count("gone in the handshake");
            }
            case 2 -> {
                try (WireConnection ignored = proxy.proxied("root", "wrong")) {
                    throw new AssertionError("a wrong password was taken");
                } catch (ServerException e) {
                    assertThat(e.errno()).isEqualTo(1045);
                }
                storm.count("refused");
            }
            default -> {
                try (WireConnection client = proxy.proxied()) {
                    assertThat(client.query(SlowTables.SHORT).rows()).hasToString(SlowTables.SHORT_ANSWER);
                    if (kind == 3) {
                        client.abort();
                    }
                }
                storm.count("served");
            }
        }
    }

    /** A client whose statements are killed in the middle, or which leaves then; its answers are right or none. */
    private static final class Victim implements AutoCloseable {
        private static final List<String> STATEMENTS = List.of(
                SlowTables.ENDLESS, SlowTables.ENDLESS_FINISH, SlowTables.LONG, SlowTables.SHORT, SlowTables.SHORT);
        private static final List<String> RIGHT = List.of("[" + SlowTables.LONG_SUM + "]", SlowTables.SHORT_ANSWER);

        private final ProxiedServer proxy;
        private final Random random;
        private final Storm storm;
        private final WireConnection killer;
        private WireConnection client;

        Victim(ProxiedServer proxy, Random random, Storm storm) throws Exception {
            this.proxy = proxy;
            this.random = random;
            this.storm = storm;
            this.killer = proxy.proxied();
            this.client = proxy.proxied();
        }

        void turn() throws Exception {
            String statement = STATEMENTS.get(random.nextInt(STATEMENTS.size()));
            boolean stays = random.nextInt(4) > 0;
            Future<Reply> reply = Background.ask(client, statement);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(60));
            if (stays) {
                outlived(reply);
                assertThat(answer(client)).as("after a kill").isEqualTo(SlowTables.SHORT_ANSWER);
                return;
            }
            if (random.nextBoolean()) {
                client.abort();
            } else {
                killer.pipeline(List.of("KILL " + client.threadId()));
            }
            left(reply);
            client.close();
            // a statement that was passed through runs on without its client, as the server has it
            killer.pipeline(List.of("KILL " + client.threadId()));
            client = proxy.proxied();
        }

        /** Kills again and again: a kill may come before the statement has begun. */
        private void outlived(Future<Reply> reply) throws Exception {
            for (int i = 0; i < 400; i++) {
                killed(killer, client.threadId());
                try {
                    Reply answered = reply.get(50, TimeUnit.MILLISECONDS);
                    if (answered instanceof Reply.Result result) {
                        assertThat(result.rows().toString()).isIn(RIGHT);
                        storm.count("right");
                    } else {
                        assertThat(((Reply.Failed) answered).errno()).isEqualTo(1317);
                        storm.count("interrupted");
                    }
                    return;
                } catch (TimeoutException e) {
                    storm.count("killed again");
                }
            }
            throw new AssertionError("a statement outlived 400 kills");
        }

        /** A kill that comes late ends the statement after the one that it was meant for, as it does on the server. */
        private static String answer(WireConnection client) throws Exception {
            try {
                return client.query(SlowTables.SHORT).rows().toString();
            } catch (ServerException e) {
                assertThat(e.errno()).isEqualTo(1317);
                return client.query(SlowTables.SHORT).rows().toString();
            }
        }

        private void left(Future<Reply> reply) throws Exception {
            try {
                Reply answered = reply.get(20, TimeUnit.SECONDS);
                if (answered instanceof Reply.Result result) {
                    assertThat(result.rows().toString()).isIn(RIGHT);
                }
                storm.count("left");
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(IOException.class);
                storm.count("left");
            }
        }

        @Override
        public void close() {
            client.close();
            killer.close();
        }
    }
}

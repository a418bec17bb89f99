package io.fanfold.it.cancel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.load.ChangingTables;
import io.fanfold.it.support.load.Storm;
import io.fanfold.it.support.load.Victim;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.NothingLeft;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.wire.Reply;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Tables change, statements are killed, and clients connect and leave continuously. Every answer is checked against the
 * allowed ones, and nothing may remain afterwards. Runs for seconds; {@code -Dfanfold.it.storm.seconds=600} for longer.
 */
class StormIT {
    private static final int WORKERS = 16;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @AllServers
    void answersAreRightWhileTablesChange(TestServer server) throws Exception {
        NothingLeft nothing = NothingLeft.before(server);
        ProxySetup watching = ProxySetup.ofDegree(3).withCatalogRefresh(Duration.ofMillis(50));
        try (ProxiedServer proxy = ProxiedServer.start(server, watching);
                Storm storm = new Storm()) {
            ChangingTables.create(proxy);
            readers(storm, proxy, 2);
            changes(storm, proxy);
            storm.await("fanned out");
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
    void killsEndTheirTargets(TestServer server) throws Exception {
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
                    Victim.kill(admin, busy.get(0));
                }
                TimeUnit.MILLISECONDS.sleep(20);
            });
            tally(storm, proxy);
            storm.await("interrupted", "fanned out");
            storm.end("storm of kills, " + server.name());

            assertThat(storm.counted("interrupted")).isPositive();
            assertThat(storm.counted("fanned out")).isPositive();
            assertThat(proxy.cancelled()).isPositive();
            nothing.whileItRuns(proxy, WORKERS);
        }
        nothing.afterIt(server);
    }

    /**
     * Prints how long a kill takes: until the client gets its error, and until no worker is busy with the statement.
     */
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

    /**
     * Kills statements at the same moment: four, or {@code -Dfanfold.it.kills=16}. Prints how long it takes until each
     * client gets its error. A client gets it when the statements of its own workers have ended. These keep the
     * processors busy, so the time depends on their number.
     */
    @AllServers
    void manyKillsAtOnceEndAllWorkers(TestServer server) throws Exception {
        int statements = Integer.getInteger("fanfold.it.kills", 4);
        int workers = 2 * statements;
        ProxySetup setup = ProxySetup.ofDegree(2).withConnections(workers).withQueue(workers, 0, LIMIT);
        try (ProxiedServer proxy = ProxiedServer.start(server, setup);
                Storm storm = new Storm()) {
            SlowTables.create(proxy);
            List<WireConnection> clients = new ArrayList<>();
            List<WireConnection> killers = new ArrayList<>();
            try (WireConnection admin = proxy.direct()) {
                for (int i = 0; i < statements; i++) {
                    clients.add(proxy.proxied());
                    killers.add(proxy.proxied());
                }
                do {
                    List<Future<Reply>> replies = new ArrayList<>();
                    for (WireConnection client : clients) {
                        replies.add(Background.ask(client, SlowTables.ENDLESS));
                        SlowTables.awaitBusyWorkers(admin, 2 * replies.size());
                    }
                    CountDownLatch together = new CountDownLatch(1);
                    List<Future<Long>> ends = new ArrayList<>();
                    for (int i = 0; i < statements; i++) {
                        WireConnection killer = killers.get(i);
                        Future<Reply> reply = replies.get(i);
                        String kill = "KILL QUERY " + clients.get(i).threadId();
                        ends.add(Background.start(() -> {
                            together.await();
                            long start = System.nanoTime();
                            killer.execute(kill);
                            assertThat(reply.get(20, TimeUnit.SECONDS)).isInstanceOf(Reply.Failed.class);
                            return System.nanoTime() - start;
                        }));
                    }
                    together.countDown();
                    for (Future<Long> end : ends) {
                        storm.took("the error of one of " + statements + " at once", end.get(30, TimeUnit.SECONDS));
                    }
                    assertThat(SlowTables.busyWorkers(admin)).isEmpty();
                    storm.count("rounds");
                } while (storm.blows());
            } finally {
                clients.forEach(WireConnection::close);
                killers.forEach(WireConnection::close);
            }
            storm.end("many kills, " + server.name());
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
            storm.await("fanned out");
            storm.end("storm of connections, " + server.name());

            assertThat(storm.counted("fanned out")).isPositive();
            nothing.whileItRuns(proxy, WORKERS);
        }
        nothing.afterIt(server);
    }

    /** All of it at once. What the proxy holds afterwards does not depend on the duration. */
    @AllServers
    void everythingAtOnce(TestServer server) throws Exception {
        NothingLeft nothing = NothingLeft.before(server);
        try (FaultProxy faults = FaultProxy.before(server)) {
            ProxySetup setup = ProxySetup.ofDegree(3)
                    .withCatalogRefresh(Duration.ofMillis(200))
                    .withWorkerPort(faults.port());
            try (ProxiedServer proxy = ProxiedServer.start(server, setup);
                    Storm storm = new Storm()) {
                ChangingTables.create(proxy);
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
                storm.await("fanned out");
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
            List<String> statements =
                    ChangingTables.LEGAL.keySet().stream().sorted().toList();
            storm.loop("answers", proxy::proxied, client -> {
                String statement = statements.get(random.nextInt(statements.size()));
                assertThat(client.query(statement).rows().toString())
                        .as("%s", statement)
                        .isIn(ChangingTables.LEGAL.get(statement));
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
                    .isIn(ChangingTables.LEGAL.get("SELECT SUM(v), COUNT(*) FROM it_storm.t"));
        });
        tally(storm, proxy);
    }

    /** Counts the outcomes of statements in the proxy. */
    private static void tally(Storm storm, ProxiedServer proxy) {
        storm.loop("tallies", () -> {
            while (!proxy.lookedAtNothing()) {
                ProxiedServer.Outcome outcome = proxy.outcome();
                storm.count(outcome.fannedOut() ? "fanned out" : String.valueOf(outcome.reason()));
            }
            TimeUnit.MILLISECONDS.sleep(5);
        });
    }

    /** Changes each table in a thread of its own, with pauses to let other threads run. */
    private static void changes(Storm storm, ProxiedServer proxy) {
        changing(storm, proxy, "partitions changed", ChangingTables.PARTITIONS);
        changing(
                storm,
                proxy,
                "tables renamed",
                List.of("RENAME TABLE r TO r_away, r_other TO r", "RENAME TABLE r TO r_other, r_away TO r"));
        changing(
                storm,
                proxy,
                "table and view swapped",
                List.of("RENAME TABLE s TO s_away, s_view TO s", "RENAME TABLE s TO s_view, s_away TO s"));
        changing(
                storm,
                proxy,
                "partition exchanged",
                List.of(
                        "ALTER TABLE e EXCHANGE PARTITION p1 WITH TABLE e_other",
                        "ALTER TABLE e EXCHANGE PARTITION p1 WITH TABLE e_other"));
    }

    private static void changing(Storm storm, ProxiedServer proxy, String name, List<String> cycle) {
        storm.loop(name, proxy::direct, admin -> {
            admin.execute("USE " + ChangingTables.SCHEMA);
            for (String change : cycle) {
                admin.execute(change);
                TimeUnit.MILLISECONDS.sleep(30);
            }
        });
    }

    /** Makes one connection of a random kind. */
    private static void connection(ProxiedServer proxy, Random random, Storm storm) throws Exception {
        int kind = random.nextInt(6);
        switch (kind) {
            case 0 -> {
                // does not even read the greeting
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
}

package io.fanfold.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.NothingLeft;
import io.fanfold.it.support.proxy.PacketDamage;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Damages packets of the server in transit, each packet in turn with each kind of damage. Changed bytes in a value of
 * unchanged length are not included: the protocol cannot detect them.
 *
 * <p>In a build each kind of damage affects every seventh packet, and each packet gets every seventh kind. With
 * {@code -Dfanfold.it.damage=all} each packet gets each kind.
 */
class CorruptionIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** After this silence the proxy checks whether the server still runs the statement. */
    private static final Duration SILENCE = Duration.ofMillis(200);

    private static final int STRIDE =
            System.getProperty("fanfold.it.damage", "").equals("all") ? 1 : 7;

    /** Occurs only in partition queries. */
    private static final String PARTITION_QUERY = " PARTITION (";

    /** Two rows of two columns from each of 6 partitions: six packets. The first worker's connection receives more. */
    private static final String GROUPS = "SELECT id, SUM(v) FROM it_slow.big WHERE id < 12 GROUP BY id";

    private static final int PACKETS_OF_A_QUERY = 6;

    /** 3333 rows from each of 6 partitions. */
    private static final String ROWS = "SELECT id, v FROM it_slow.big";

    private static final int BROKEN_OFF = 1105;

    @AllServers
    void damagedAnswerOfAPartitionQueryCostsTheSplitNotTheAnswer(TestServer server) throws Exception {
        sweep(server, PARTITION_QUERY, 2 * PACKETS_OF_A_QUERY, PACKETS_OF_A_QUERY);
    }

    /** Answers to statements that a worker runs before its partition query are not misread. */
    @AllServers
    void damagedAnswersBeforeAPartitionQueryCostTheSplitNotTheAnswer(TestServer server) throws Exception {
        for (String asked : List.of("START TRANSACTION", "EXPLAIN")) {
            sweep(server, asked, 10, 1);
        }
    }

    @AllServers
    void damagedLoginsCostAConnection(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(2).withSilence(SILENCE);
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = ProxiedServer.start(server, setup.withWorkerPort(faults.port()))) {
            SlowTables.create(proxy);
            try (SameAsServer same = new SameAsServer(proxy)) {
                for (PacketDamage damage : PacketDamage.values()) {
                    // the greeting and all packets up to the first rows of the session's variables
                    for (int packet : packets(damage, 6)) {
                        faults.arm(new FaultProxy.Harm(damage, "", packet));
                        faults.cutAll();
                        String when = damage + " of packet " + packet;
                        await(when).atMost(LIMIT).until(() -> inTime(same, when) && faults.befallen() == 1);
                    }
                    faults.disarm();
                    awaitFanOut(proxy, same, damage.toString());
                }
            }
            await().atMost(LIMIT).until(() -> proxy.freeWorkers() == 16 && proxy.heldMemoryBytes() == 0);
        }
    }

    /** Damages each packet after a trigger in turn, and checks that nothing remains. */
    private static void sweep(TestServer server, String trigger, int packets, int atLeast) throws Exception {
        NothingLeft nothing = NothingLeft.before(server);
        Map<PacketDamage, Set<Integer>> befallen = new EnumMap<>(PacketDamage.class);
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = ProxiedServer.start(
                        server, ProxySetup.ofDegree(2).withSilence(SILENCE).withWorkerPort(faults.port()))) {
            SlowTables.create(proxy);
            try (SameAsServer same = new SameAsServer(proxy)) {
                for (PacketDamage damage : PacketDamage.values()) {
                    for (int packet : packets(damage, packets)) {
                        String when = damage + " of packet " + packet + " after " + trigger;
                        awaitFanOut(proxy, same, when);
                        faults.arm(new FaultProxy.Harm(damage, trigger, packet));
                        inTime(same, when);
                        assertThat(proxy.outcome().reason()).as(when).isNotEqualTo(Reason.INTERNAL);
                        if (faults.befallen() == 1) {
                            befallen.computeIfAbsent(damage, d -> new HashSet<>())
                                    .add(packet);
                        }
                        faults.disarm();
                    }
                }
                awaitFanOut(proxy, same, "after all damages");
            }
            nothing.whileItRuns(proxy, 16);
        }
        nothing.afterIt(server);
        for (PacketDamage damage : PacketDamage.values()) {
            assertThat(befallen.getOrDefault(damage, Set.of()))
                    .as("packets befallen by %s", damage)
                    .containsAll(packets(damage, atLeast));
        }
    }

    /** Returns which of the given number of packets get this damage. */
    private static List<Integer> packets(PacketDamage damage, int packets) {
        int kind = List.of(PacketDamage.values()).indexOf(damage);
        return IntStream.range(0, packets)
                .filter(packet -> (packet + kind) % STRIDE == 0)
                .boxed()
                .toList();
    }

    /** Whether the answer arrives within the limit; it must be the server's. */
    private static boolean inTime(SameAsServer same, String when) throws Exception {
        return Background.start(() -> {
                    try {
                        same.same(GROUPS);
                        return true;
                    } catch (IOException e) {
                        throw new AssertionError(when, e);
                    }
                })
                .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private static void awaitFanOut(ProxiedServer proxy, SameAsServer same, String when) {
        await(when).atMost(LIMIT).pollInterval(Duration.ofMillis(5)).until(() -> {
            same.same(GROUPS);
            return proxy.outcome().fannedOut();
        });
    }

    @AllServers
    void damageAfterTheFirstRowsEndsTheAnswerWithOneError(TestServer server) throws Exception {
        NothingLeft nothing = NothingLeft.before(server);
        ProxySetup setup = ProxySetup.ofDegree(3).withHeldAnswer(0).withSilence(SILENCE);
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy = ProxiedServer.start(server, setup.withWorkerPort(faults.port()))) {
            SlowTables.create(proxy);
            try (WireConnection client = proxy.proxied();
                    WireConnection direct = proxy.direct();
                    SameAsServer same = new SameAsServer(proxy)) {
                Set<String> right = rows(direct.query(ROWS));
                int failed = 0;
                for (PacketDamage damage : PacketDamage.values()) {
                    awaitFanOut(proxy, same, damage.toString());
                    faults.arm(new FaultProxy.Harm(damage, PARTITION_QUERY, 3_000));
                    Reply reply = Background.ask(client, ROWS).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                    assertThat(faults.befallen()).as("befallen by %s", damage).isEqualTo(1);
                    faults.disarm();
                    if (reply instanceof Reply.Failed error) {
                        failed++;
                        assertThat(error.errno()).as(error.message()).isEqualTo(BROKEN_OFF);
                    } else {
                        assertThat(rows((Reply.Result) reply))
                                .as("answer in spite of %s", damage)
                                .isEqualTo(right);
                    }
                }
                assertThat(failed).as("answers that had begun").isPositive();
                assertThat(proxy.brokenOff()).isEqualTo(failed);
            }
            nothing.whileItRuns(proxy, 16);
        }
        nothing.afterIt(server);
    }

    private static Set<String> rows(Reply.Result result) {
        Set<String> rows = new HashSet<>();
        result.rows().forEach(row -> rows.add(row.toString()));
        assertThat(rows).hasSameSizeAs(result.rows());
        return rows;
    }

    /** Relayed packets are not changed: the client sees the same as on the server itself. */
    @AllServers
    void damageOnAClientsOwnConnectionIsRelayedUnchanged(TestServer server) throws Exception {
        String statement = "SELECT id, w FROM it_slow.other WHERE id < 3";
        NothingLeft nothing = NothingLeft.before(server);
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(2).withClientPort(faults.port()))) {
            SlowTables.create(proxy);
            for (PacketDamage damage : PacketDamage.values()) {
                for (int packet : packets(damage, 7)) {
                    List<String> seen = new ArrayList<>();
                    for (int port : List.of(faults.port(), proxy.port())) {
                        try (WireConnection client =
                                ProxiedServer.connect("127.0.0.1", port, server.adminUser(), server.adminPassword())) {
                            faults.arm(new FaultProxy.Harm(damage, "FROM it_slow.other", packet));
                            seen.add(seen(client, statement));
                            assertThat(faults.befallen()).isEqualTo(1);
                        }
                    }
                    assertThat(seen.get(1))
                            .as("%s of packet %d", damage, packet)
                            .isEqualTo(seen.get(0));
                }
            }
            nothing.whileItRuns(proxy, 16);
        }
        nothing.afterIt(server);
    }

    /**
     * If an answer to a preflight query is damaged, the client's connection ends, or the client waits as for a silent
     * server. The next client's statement is split.
     */
    @AllServers
    void damagedPreflightAnswersAreNotTakenForTheClientsAnswer(TestServer server) throws Exception {
        NothingLeft nothing = NothingLeft.before(server);
        try (FaultProxy faults = FaultProxy.before(server);
                ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(2).withClientPort(faults.port()))) {
            SlowTables.create(proxy);
            String right;
            try (WireConnection direct = proxy.direct()) {
                right = seen(direct, SlowTables.SHORT);
            }
            for (PacketDamage damage : PacketDamage.values()) {
                for (int packet : packets(damage, 24)) {
                    try (WireConnection client = proxy.proxied()) {
                        faults.arm(new FaultProxy.Harm(damage, "SHOW CREATE TABLE", packet));
                        String seen = seen(client, SlowTables.SHORT);
                        if (!seen.equals(right)) {
                            assertThat(seen)
                                    .as("%s of packet %d", damage, packet)
                                    .matches("(?s)(silent|broken: ).*");
                        }
                        faults.disarm();
                    }
                }
            }
            try (SameAsServer same = new SameAsServer(proxy)) {
                same.fansOut(SlowTables.SHORT);
            }
            nothing.whileItRuns(proxy, 16);
        }
        nothing.afterIt(server);
    }

    /** Returns the rows, or whatever else a client sees that waits for a quarter of a second. */
    private static String seen(WireConnection client, String statement) {
        try {
            client.readTimeout(Duration.ofMillis(250));
            return client.query(statement).rows().stream()
                    .map(Row::toString)
                    .toList()
                    .toString();
        } catch (SocketTimeoutException e) {
            return "silent";
        } catch (IOException e) {
            return "broken: " + e.getMessage();
        } catch (ServerException e) {
            return e.errno() + ": " + e.getMessage();
        }
    }
}

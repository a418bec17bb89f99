package io.fanfold.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.demo.EmbeddedMariaDb;
import io.fanfold.demo.UserAccount;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.EmbeddedServer;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Reply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.GenericContainer;

/**
 * The server's address is redirected to another server with other rows, as by a DNS change. Every answer is from the
 * server that the client is connected to, and statements are still split.
 */
class ServerSwitchIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int CLIENTS = 4;
    private static final int SWITCHES = 12;

    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM it_switch.t";
    private static final String GROUPS = "SELECT id % 3, SUM(v) FROM it_switch.t GROUP BY id % 3 ORDER BY 1";
    private static final String ROWS = "SELECT id, v FROM it_switch.t WHERE id < 9 ORDER BY id";

    /** Runs for hours unless killed. */
    private static final String ENDLESS =
            "SELECT SUM(a.v * b.w) FROM it_switch.t a JOIN it_switch.u b ON a.v < b.w JOIN it_switch.u c ON a.v < c.w"
                    + " JOIN it_switch.u d ON a.v < d.w JOIN it_switch.u e ON a.v < e.w";

    /** Reads no partitioned table, so the client's own server answers. */
    private static final String WHO = "SELECT n FROM it_switch.who";

    @TempDir
    Path folder;

    /** A server and its expected answer. */
    private record Side(TestServer server, int value) {
        String sum() {
            return "[" + value * 600 + "|600]";
        }

        String groups() {
            return "[0|" + value * 200 + ", 1|" + value * 200 + ", 2|" + value * 200 + "]";
        }

        String rows() {
            List<String> rows = new ArrayList<>();
            for (int id = 0; id < 9; id++) {
                rows.add(id + "|" + value);
            }
            return rows.toString();
        }
    }

    private interface Body {
        void run(Side first, Side second, FaultProxy address, ProxiedServer proxy) throws Exception;
    }

    @AllServers
    void clientsGetTheirOwnServersRowsAndAreSplitAgain(TestServer server) throws Exception {
        with(server, (first, second, address, proxy) -> {
            try (WireConnection early = proxy.proxied()) {
                awaitSplit(proxy, early, first);
                address.leadTo(second.server());
                try (WireConnection late = proxy.proxied()) {
                    await().atMost(LIMIT).untilAsserted(() -> {
                        proxy.forget();
                        check(late, second);
                        assertThat(proxy.outcome().reason()).isNull();
                    });
                    proxy.forget();
                    check(early, first);
                    assertThat(proxy.outcome().reason()).isEqualTo(Reason.OTHER_SERVER);
                    address.leadTo(first.server());
                    awaitSplit(proxy, early, first);
                    proxy.forget();
                    check(late, second);
                    assertThat(proxy.outcome().reason()).isEqualTo(Reason.OTHER_SERVER);
                }
            }
        });
    }

    @AllServers
    void splitThatRunsIsKilledWhereItRuns(TestServer server) throws Exception {
        with(server, (first, second, address, proxy) -> {
            try (WireConnection early = proxy.proxied();
                    WireConnection killer = proxy.proxied();
                    WireConnection admin = proxy.direct()) {
                awaitSplit(proxy, early, first);
                Future<Reply> reply = Background.ask(early, ENDLESS);
                SlowTables.awaitBusyWorkers(admin, 3);
                address.leadTo(second.server());
                try (WireConnection late = proxy.proxied()) {
                    awaitSplit(proxy, late, second);
                }

                killer.execute("KILL QUERY " + early.threadId());

                assertThat(reply.get(20, TimeUnit.SECONDS)).isInstanceOf(Reply.Failed.class);
                SlowTables.awaitNoBusyWorker(admin);
                check(early, first);
            }
        });
    }

    @AllServers
    void noAnswerIsMixedWhileServersChange(TestServer server) throws Exception {
        with(server, (first, second, address, proxy) -> {
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger answers = new AtomicInteger();
            List<Future<Integer>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int seed = i;
                clients.add(Background.start(() -> client(proxy, List.of(first, second), over, answers, seed)));
            }
            for (int i = 0; i < SWITCHES; i++) {
                int before = answers.get();
                await().atMost(LIMIT)
                        .until(() ->
                                answers.get() > before + 40 || clients.stream().anyMatch(Future::isDone));
                address.leadTo((i % 2 == 0 ? second : first).server());
            }
            over.set(true);
            for (Future<Integer> client : clients) {
                assertThat(client.get(60, TimeUnit.SECONDS)).isPositive();
            }
            int split = 0;
            int elsewhere = 0;
            while (!proxy.lookedAtNothing()) {
                Reason reason = proxy.outcome().reason();
                split += reason == null ? 1 : 0;
                elsewhere += reason == Reason.OTHER_SERVER ? 1 : 0;
            }
            assertThat(split).as("answers that were split").isPositive();
            assertThat(elsewhere).as("clients of another server").isPositive();
            try (WireConnection last = proxy.proxied()) {
                awaitSplit(proxy, last, first);
            }
        });
    }

    /** Connects repeatedly, and checks each answer against the server that the connection reached. */
    private static int client(
            ProxiedServer proxy, List<Side> sides, AtomicBoolean over, AtomicInteger answers, int seed)
            throws Exception {
        Random random = new Random(seed);
        int checked = 0;
        while (!over.get()) {
            try (WireConnection client = proxy.proxied()) {
                String who = client.query(WHO).rows().toString();
                Side own = sides.stream()
                        .filter(side -> who.equals("[" + side.value() + "]"))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(who));
                for (int i = random.nextInt(40); i >= 0 && !over.get(); i--) {
                    check(client, own);
                    checked++;
                    answers.incrementAndGet();
                }
            }
        }
        return checked;
    }

    private static void awaitSplit(ProxiedServer proxy, WireConnection client, Side side) {
        await().atMost(LIMIT).untilAsserted(() -> {
            proxy.forget();
            check(client, side);
            for (int i = 0; i < 3; i++) {
                assertThat(proxy.outcome().reason()).isNull();
            }
        });
    }

    private static void check(WireConnection client, Side side) throws Exception {
        assertThat(client.query(SUM).rows().toString()).isEqualTo(side.sum());
        assertThat(client.query(GROUPS).rows().toString()).isEqualTo(side.groups());
        assertThat(client.query(ROWS).rows().toString()).isEqualTo(side.rows());
    }

    private void with(TestServer server, Body body) throws Exception {
        switch (server.kind()) {
            case MARIADB -> {
                try (EmbeddedMariaDb other = EmbeddedMariaDb.start(new EmbeddedMariaDb.Options(
                        EmbeddedServer.binaries(),
                        folder.resolve("other"),
                        0,
                        List.of(UserAccount.administrator(server.adminUser(), server.adminPassword())),
                        List.of("--log-bin=binlog", "--server-id=1")))) {
                    with(
                            server,
                            new TestServer(
                                    server.name(),
                                    server.kind(),
                                    other.host(),
                                    other.port(),
                                    server.adminUser(),
                                    server.adminPassword()),
                            body);
                }
            }
            case MYSQL -> {
                try (GenericContainer<?> container = ContainerServers.mysqlContainer("--server-id=2")) {
                    with(server, ContainerServers.start(server.name(), container), body);
                }
            }
        }
    }

    private static void with(TestServer server, TestServer other, Body body) throws Exception {
        Side first = new Side(server, 1);
        Side second = new Side(other, 2);
        // creates the worker account
        ProxiedServer.start(other, ProxySetup.ofDegree(3)).close();
        try (FaultProxy address = FaultProxy.before(server);
                ProxiedServer proxy = ProxiedServer.start(
                        server,
                        ProxySetup.ofDegree(3).withClientPort(address.port()).withWorkerPort(address.port()))) {
            create(first);
            create(second);
            proxy.tablesChanged();
            body.run(first, second, address, proxy);
        } finally {
            try (WireConnection admin = connect(server)) {
                admin.execute("DROP DATABASE IF EXISTS it_switch");
            }
        }
    }

    private static WireConnection connect(TestServer server) throws Exception {
        return ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword());
    }

    private static void create(Side side) throws Exception {
        try (WireConnection admin = connect(side.server())) {
            admin.execute("CREATE DATABASE IF NOT EXISTS it_switch");
            admin.execute("CREATE TABLE it_switch.who (n INT PRIMARY KEY)");
            admin.execute("INSERT INTO it_switch.who VALUES (" + side.value() + ")");
            admin.execute("CREATE TABLE it_switch.t (id INT PRIMARY KEY, v INT NOT NULL) ENGINE=InnoDB"
                    + " PARTITION BY HASH (id) PARTITIONS 6");
            admin.execute("CREATE TABLE it_switch.u (id INT PRIMARY KEY, w INT NOT NULL) ENGINE=InnoDB");
            StringBuilder rows = new StringBuilder();
            StringBuilder others = new StringBuilder();
            for (int id = 0; id < 600; id++) {
                String comma = id == 0 ? "" : ",";
                rows.append(comma)
                        .append('(')
                        .append(id)
                        .append(',')
                        .append(side.value())
                        .append(')');
                others.append(comma)
                        .append('(')
                        .append(id)
                        .append(',')
                        .append(id + 10)
                        .append(')');
            }
            admin.execute("INSERT INTO it_switch.t VALUES " + rows);
            admin.execute("INSERT INTO it_switch.u VALUES " + others);
            admin.query("ANALYZE TABLE it_switch.t, it_switch.u");
        }
    }
}

package io.fanfold.it.cancel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;

/** One proxy after another on the same port, while clients connect all the time. */
class RollingRestartIT {
    private static final int CLIENTS = 3;

    @TempDir
    private Path folder;

    /** Without this setting the kernel resets a client that arrives in the moment in which the old socket is closed. */
    private static boolean kernelMovesClients() throws IOException {
        Path setting = Path.of("/proc/sys/net/ipv4/tcp_migrate_req");
        return Files.exists(setting) && Files.readString(setting).trim().equals("1");
    }

    /** Clients that connect, ask once and leave. */
    private static final class ShortClients {
        private final AtomicBoolean stop = new AtomicBoolean();
        private final AtomicInteger served = new AtomicInteger();

        /** A proxy that stops may have found a client idle that came to no turn between its login and its statement. */
        private final AtomicInteger idle = new AtomicInteger();

        private final Queue<String> refused = new ConcurrentLinkedQueue<>();
        private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

        int run(SmallProxy proxy) {
            while (!stop.get()) {
                try (WireConnection client = proxy.connect()) {
                    ask(client);
                } catch (IOException | ServerException e) {
                    refused.add(e.toString());
                }
            }
            return served.get();
        }

        private void ask(WireConnection client) {
            try {
                String rows = client.query("SELECT 6 * 7").rows().toString();
                if (rows.equals("[42]")) {
                    served.incrementAndGet();
                } else {
                    wrong.add(rows);
                }
            } catch (IOException e) {
                idle.incrementAndGet();
            } catch (ServerException e) {
                wrong.add(e.toString());
            }
        }

        void awaitMore(int count) {
            int before = served.get();
            await().atMost(Duration.ofSeconds(60)).until(() -> served.get() >= before + count);
        }
    }

    @AllServers
    void noClientIsRefused(TestServer server) throws Exception {
        try (ProxiedServer other = ProxiedServer.start(server, 2)) {
            other.forget();
        }
        ShortClients clients = new ShortClients();
        List<Future<Integer>> threads = new ArrayList<>();
        try (SmallProxy first = SmallProxy.onSharedPort(server)) {
            for (int i = 0; i < CLIENTS; i++) {
                threads.add(Background.start(() -> clients.run(first)));
            }
            clients.awaitMore(20);
            try (SmallProxy second = first.successor()) {
                clients.awaitMore(20);
                first.signal("TERM");
                assertThat(first.awaitExit()).isZero();
                clients.awaitMore(20);
                try (SmallProxy third = second.successor()) {
                    second.signal("TERM");
                    assertThat(second.awaitExit()).isZero();
                    clients.awaitMore(20);
                    clients.stop.set(true);
                    for (Future<Integer> each : threads) {
                        each.get(20, TimeUnit.SECONDS);
                    }
                    assertThat(third.isAlive()).isTrue();
                }
            }
        }
        assertThat(clients.wrong).isEmpty();
        assertThat(clients.refused).hasSizeLessThanOrEqualTo(kernelMovesClients() ? 0 : 1);
        assertThat(clients.idle).hasValueLessThanOrEqualTo(2 * CLIENTS);
    }

    /** sysbench while it runs. It connects again if the server has gone, and ends at any other error. */
    private static final class Sysbench implements AutoCloseable {
        private static final int THREADS = 4;
        private static final Pattern SECOND =
                Pattern.compile("\\[ \\d+s \\] thds: .* err/s: ([0-9.]+) reconn/s: ([0-9.]+)");

        private final Process process;
        private final Path output;

        private Sysbench(Process process, Path output) {
            this.process = process;
            this.output = output;
        }

        private static List<String> command(TestServer server, String host, int port, String... rest) {
            List<String> command = new ArrayList<>(List.of(
                    ClientProgram.onPath("sysbench"),
                    "oltp_read_only",
                    "--db-driver=mysql",
                    "--mysql-ssl=off",
                    "--mysql-host=" + host,
                    "--mysql-port=" + port,
                    "--mysql-user=" + server.adminUser(),
                    "--mysql-password=" + server.adminPassword(),
                    "--mysql-db=it_restart",
                    "--table-size=2000"));
            command.addAll(List.of(rest));
            return command;
        }

        /** Creates the table. */
        static void prepare(TestServer server) throws Exception {
            ClientProgram.run(
                    "restart-prepare-" + server.kind(), command(server, server.host(), server.port(), "prepare"));
        }

        /** Starts the load, without an end. */
        static Sysbench start(TestServer server, SmallProxy proxy, Path output) throws IOException {
            List<String> command = command(
                    server,
                    "127.0.0.1",
                    proxy.port(),
                    "--threads=" + THREADS,
                    "--time=0",
                    "--report-interval=1",
                    // CR_SERVER_GONE_ERROR and CR_SERVER_LOST: the connection is closed
                    "--mysql-ignore-errors=2006,2013",
                    "run");
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            return new Sysbench(process, output);
        }

        private List<Matcher> seconds() throws IOException {
            return Files.readAllLines(output).stream()
                    .map(SECOND::matcher)
                    .filter(Matcher::matches)
                    .toList();
        }

        private long sum(int group) throws IOException {
            return Math.round(seconds().stream()
                    .mapToDouble(line -> Double.parseDouble(line.group(group)))
                    .sum());
        }

        long errors() throws IOException {
            return sum(1);
        }

        long reconnects() throws IOException {
            return sum(2);
        }

        /** Waits until it has run for two more seconds. */
        void awaitMore() throws IOException {
            int before = seconds().size();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> !process.isAlive() || seconds().size() >= before + 2);
            assertThat(process.isAlive()).as("%s", Files.readString(output)).isTrue();
        }

        @Override
        public void close() throws InterruptedException {
            process.destroy();
            process.waitFor();
        }
    }

    /** A client that stays connected, asks for a report that is split, and connects again if its connection is closed. */
    private static final class Reports {
        private static final String SQL = "SELECT COUNT(*), SUM(k) FROM it_restart.sbtest1";

        private final AtomicBoolean stop = new AtomicBoolean();
        private final AtomicInteger answered = new AtomicInteger();
        private final AtomicInteger closed = new AtomicInteger();

        int run(SmallProxy proxy, String expected) throws Exception {
            while (!stop.get()) {
                try (WireConnection client = proxy.connect()) {
                    while (!stop.get()) {
                        assertThat(client.query(SQL).rows().toString()).isEqualTo(expected);
                        answered.incrementAndGet();
                    }
                } catch (IOException e) {
                    closed.incrementAndGet();
                }
            }
            return answered.get();
        }

        void awaitMore() {
            int before = answered.get();
            await().atMost(Duration.ofSeconds(60)).until(() -> answered.get() >= before + 5);
        }
    }

    /** All connections are busy all the time, so each is closed once, between two statements. */
    @AllServers
    void busyClientsSeeOnlyClosedConnections(TestServer server) throws Exception {
        String expected;
        try (ProxiedServer other = ProxiedServer.start(server, 2);
                WireConnection admin = other.direct()) {
            admin.execute("DROP DATABASE IF EXISTS it_restart");
            admin.execute("CREATE DATABASE it_restart");
            Sysbench.prepare(server);
            admin.execute("ALTER TABLE it_restart.sbtest1 PARTITION BY HASH (id) PARTITIONS 4");
            expected = admin.query(Reports.SQL).rows().toString();
        }
        Reports reports = new Reports();
        try (SmallProxy first = SmallProxy.onSharedPort(server);
                Sysbench sysbench = Sysbench.start(server, first, folder.resolve("sysbench"))) {
            Future<Integer> client = Background.start(() -> reports.run(first, expected));
            sysbench.awaitMore();
            reports.awaitMore();
            try (SmallProxy second = first.successor()) {
                first.signal("TERM");
                assertThat(first.awaitExit()).isZero();
                sysbench.awaitMore();
                reports.awaitMore();
                reports.stop.set(true);
                assertThat(client.get(20, TimeUnit.SECONDS)).isPositive();
                assertThat(first.log()).contains(" fanned out: ");
                assertThat(second.log()).contains(" fanned out: ");
            }
            assertThat(sysbench.errors()).isZero();
            assertThat(sysbench.reconnects()).isEqualTo(Sysbench.THREADS);
            assertThat(reports.closed).hasValue(1);
        }
    }
}

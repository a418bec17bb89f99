package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.fanfold.cli.ProxyProcess;
import io.fanfold.client.WireConnection;
import io.fanfold.config.ConfigException;
import io.fanfold.config.ConfigLoader;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.SettingsChange.ChangedSetting;
import io.fanfold.config.SettingsFile;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import io.fanfold.server.RunningProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;

/** A proxy whose settings file changes while clients run statements. */
class ReloadIT {
    private static final int CLIENTS = 4;

    private static final TestDatabase DATABASE = new TestDatabase("it_reload", admin -> {
        for (String table : new String[] {"t", "u"}) {
            admin.execute("CREATE TABLE " + table
                    + " (id INT PRIMARY KEY, v INT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
            admin.execute("INSERT INTO " + table + " VALUES (1, 1), (2, 2), (3, 3)");
        }
    });

    @TempDir
    Path directory;

    /** A proxy with a settings file, and clients that run statements all the time. */
    private final class Running implements AutoCloseable {
        private final TestServer server;
        private final RunningSettings settings;
        private final RunningProxy proxy;
        private final WireConnection operator;
        private final AtomicBoolean stop = new AtomicBoolean();
        private final List<AtomicLong> answers = new ArrayList<>();
        private final List<Future<Boolean>> clients = new ArrayList<>();

        Running(TestServer server, String first) throws Exception {
            DATABASE.shared(server, 2).close();
            this.server = server;
            write(first);
            ConfigLoader loader =
                    new ConfigLoader(Map.of(ConfigLoader.PASSWORD_VARIABLE, ProxiedServer.WORKER_PASSWORD)::get);
            settings = new RunningSettings(new SettingsFile(loader, file(), UnaryOperator.identity()));
            proxy = ProxyProcess.start(settings);
            operator = open();
        }

        private Path file() {
            return directory.resolve("fanfold.yaml");
        }

        private WireConnection open() throws Exception {
            return ProxiedServer.connect("127.0.0.1", proxy.port(), server.adminUser(), server.adminPassword());
        }

        void write(String groups) throws Exception {
            Files.writeString(file(), """
                    listener: {port: 0}
                    backend: {host: %s, port: %d}
                    %s
                    """.formatted(server.host(), server.port(), groups));
        }

        List<ChangedSetting> reload(String groups) throws Exception {
            write(groups);
            return settings.reload().applied();
        }

        /** Starts clients that read t and u in turn. */
        void start() {
            for (int i = 0; i < CLIENTS; i++) {
                AtomicLong answered = new AtomicLong();
                answers.add(answered);
                clients.add(Background.start(() -> {
                    try (WireConnection client = open()) {
                        while (!stop.get()) {
                            for (String table : List.of("t", "u")) {
                                assertThat(count(client, table)).isEqualTo("[2]");
                            }
                            answered.incrementAndGet();
                        }
                        return true;
                    }
                }));
            }
        }

        String count(WireConnection client, String table) throws Exception {
            return client.query("SELECT COUNT(*) + 0 FROM it_reload." + table + " WHERE v > 1")
                    .rows()
                    .toString();
        }

        /** Waits until each client has had several further answers, so that all earlier statements have ended. */
        void awaitAnswers() {
            List<Long> before = answers.stream().map(AtomicLong::get).toList();
            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                for (int i = 0; i < CLIENTS; i++) {
                    if (clients.get(i).isDone()) {
                        clients.get(i).get();
                    }
                    if (answers.get(i).get() < before.get(i) + 5) {
                        return false;
                    }
                }
                return true;
            });
        }

        long fanOuts() throws Exception {
            return Long.parseLong(String.valueOf(operator.query("SHOW FANFOLD STATUS LIKE 'Fanfold_request_executed'")
                    .rows()
                    .get(0)
                    .utf8(1)));
        }

        /** Returns the fan-outs from now on until each client has had several answers. */
        long fanOutsMeanwhile() throws Exception {
            awaitAnswers();
            long before = fanOuts();
            awaitAnswers();
            return fanOuts() - before;
        }

        void awaitFanOuts() throws Exception {
            long before = fanOuts();
            await().atMost(60, TimeUnit.SECONDS).until(() -> fanOuts() > before);
        }

        String variable(String name) throws Exception {
            return String.valueOf(operator.query("SHOW FANFOLD VARIABLES LIKE '" + name + "'")
                    .rows()
                    .get(0)
                    .utf8(1));
        }

        @Override
        public void close() throws Exception {
            stop.set(true);
            for (Future<Boolean> client : clients) {
                assertThat(client.get(60, TimeUnit.SECONDS)).isTrue();
            }
            operator.close();
            proxy.close();
        }
    }

    private static String groups(String workers, String fanOut, String others) {
        return "workers: {user: " + ProxiedServer.WORKER + workers + "}\nfan-out: {min-rows: 0" + fanOut + "}\n"
                + others + "\nlimits: {drain-time: 0ms}";
    }

    @AllServers
    void theModeAndTablesChangeUnderRunningClients(TestServer server) throws Exception {
        try (Running running = new Running(server, groups("", ", mode: off", ""))) {
            running.start();
            assertThat(running.fanOutsMeanwhile()).as("off").isZero();
            for (int i = 0; i < 3; i++) {
                running.reload(groups("", "", ""));
                running.awaitFanOuts();
                running.reload(groups("", ", mode: off", ""));
                assertThat(running.fanOutsMeanwhile()).as("off again").isZero();
            }
            running.reload(groups("", "", "tables: {it_reload.u: {mode: off}}"));
            running.awaitFanOuts();
            assertThat(running.variable("fan-out.mode")).isEqualTo("on");
            running.reload(groups("", "", "tables: {it_reload.t: {mode: off}, it_reload.u: {mode: observe}}"));
            assertThat(running.fanOutsMeanwhile()).as("both tables off").isZero();
            running.reload(groups("", "", "accounts: {\"*\": {mode: off}}"));
            assertThat(running.fanOutsMeanwhile()).as("all accounts off").isZero();
            running.reload(groups(
                    ", connections: 3, queue-length: 9", ", degree: 2, consistency: relaxed, transactions: off", ""));
            running.awaitFanOuts();
            running.reload(groups(", connections: 20, max-lifetime: 31s", ", degree: 5", "log: {slow: 1h}"));
            running.awaitFanOuts();
            running.awaitAnswers();
        }
    }

    @AllServers
    void aStatementPreparedWhileOffIsSplitLater(TestServer server) throws Exception {
        try (Running running = new Running(server, groups("", ", mode: off", ""));
                Connection connection = DriverManager.getConnection(
                        server.jdbcUrl("127.0.0.1", running.proxy.port(), "it_reload") + "&useServerPrepStmts=true",
                        server.adminUser(),
                        server.adminPassword());
                PreparedStatement count = connection.prepareStatement("SELECT COUNT(*) + 0 FROM t WHERE v > ?")) {
            assertThat(count(count)).isEqualTo(2);
            assertThat(running.fanOuts()).isZero();
            running.reload(groups("", "", ""));
            assertThat(count(count)).isEqualTo(2);
            assertThat(running.fanOuts()).isEqualTo(1);
        }
    }

    @AllServers
    void anotherPasswordOfTheWorkerAccountIsUsed(TestServer server) throws Exception {
        Path secret = Files.writeString(directory.resolve("worker"), "first");
        DATABASE.shared(server, 2).close();
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            admin.execute("DROP USER IF EXISTS it_reload_w");
            admin.execute("CREATE USER it_reload_w IDENTIFIED BY 'first'");
            admin.execute("GRANT SELECT, LOCK TABLES ON *.* TO it_reload_w");
            String groups = "workers: {user: it_reload_w, password-file: worker}\nfan-out: {min-rows: 0}\n"
                    + "limits: {drain-time: 0ms}";
            try (Running running = new Running(server, groups)) {
                running.start();
                running.awaitFanOuts();
                admin.execute("ALTER USER it_reload_w IDENTIFIED BY 'second'");
                for (Row thread : admin.query(
                                "SELECT id FROM information_schema.processlist WHERE user = 'it_reload_w'")
                        .rows()) {
                    admin.pipeline(List.of("KILL " + thread.utf8(0)));
                }
                await().until(() -> String.valueOf(running.operator
                                .query("SHOW FANFOLD SERVERS")
                                .rows()
                                .get(0)
                                .utf8(10))
                        .contains("Access denied"));
                Files.writeString(secret, "second");
                assertThat(running.reload(groups)).hasToString("[workers.password: *** -> ***]");
                running.awaitFanOuts();
            }
            admin.execute("DROP USER it_reload_w");
        }
    }

    private static int count(PreparedStatement statement) throws Exception {
        statement.setInt(1, 1);
        try (ResultSet rows = statement.executeQuery()) {
            assertThat(rows.next()).isTrue();
            return rows.getInt(1);
        }
    }

    @AllServers
    void aFileWithMistakesChangesNothing(TestServer server) throws Exception {
        try (Running running = new Running(server, groups("", "", ""))) {
            assertThatExceptionOfType(ConfigException.class)
                    .isThrownBy(() -> running.reload(groups("", ", mode: off, degree: many", "")))
                    .withMessageContaining("fan-out.degree: 'many' (expected: auto or a whole number 1..1000)");
            assertThat(running.variable("fan-out.mode")).isEqualTo("on");
            running.start();
            running.awaitFanOuts();
        }
    }

    @AllServers
    void limitsHoldForWhatComesLater(TestServer server) throws Exception {
        try (Running running = new Running(server, groups("", "", ""));
                WireConnection early = running.open()) {
            running.write(groups("", "", "").replace("drain-time: 0ms", "drain-time: 0ms, connections: 1"));
            assertThat(running.settings.reload().applied())
                    .extracting(ChangedSetting::name)
                    .containsExactly("limits.connections");
            assertThat(early.ping()).as("connected before").isTrue();
            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(running::open)
                    .withMessageContaining("Too many connections");
            running.reload(groups("", "", ""));
            running.open().close();
        }
    }
}

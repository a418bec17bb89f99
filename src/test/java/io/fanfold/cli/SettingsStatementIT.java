package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.config.ConfigLoader;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.SettingsFile;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.server.RunningProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;

/** {@code SET FANFOLD}, {@code RELOAD FANFOLD} and {@code fanfold reload}. */
class SettingsStatementIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_set", admin -> {
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
        admin.execute("INSERT INTO t VALUES (1), (2), (3)");
        admin.execute("DROP USER IF EXISTS set_admin, set_guest");
        admin.execute("CREATE USER set_admin IDENTIFIED BY 'pw', set_guest IDENTIFIED BY 'pw'");
        admin.execute("GRANT SELECT, PROCESS, RELOAD ON *.* TO set_guest");
        admin.execute("GRANT SELECT ON it_set.* TO set_admin");
    });

    @TempDir
    Path directory;

    /** A proxy with a settings file. */
    private final class Proxy implements AutoCloseable {
        private final TestServer server;
        private final RunningProxy proxy;
        private final WireConnection root;
        private final String worker;

        Proxy(TestServer server) throws Exception {
            this(server, ProxiedServer.WORKER);
        }

        Proxy(TestServer server, String worker) throws Exception {
            DATABASE.shared(server, 2).close();
            this.server = server;
            this.worker = worker;
            write("fan-out: {min-rows: 0}");
            ConfigLoader loader =
                    new ConfigLoader(Map.of(ConfigLoader.PASSWORD_VARIABLE, ProxiedServer.WORKER_PASSWORD)::get);
            proxy = ProxyProcess.start(new RunningSettings(new SettingsFile(loader, file(), UnaryOperator.identity())));
            root = as(server.adminUser(), server.adminPassword());
            root.execute(
                    server.kind().isMySql()
                            ? "GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO set_admin"
                            : "GRANT SUPER ON *.* TO set_admin");
        }

        private Path file() {
            return directory.resolve("fanfold.yaml");
        }

        void write(String groups) throws Exception {
            Files.writeString(file(), """
                    listener: {port: 0}
                    backend: {host: %s, port: %d}
                    workers: {user: %s}
                    limits: {drain-time: 0ms}
                    %s
                    """.formatted(server.host(), server.port(), worker, groups));
        }

        WireConnection as(String user, String password) throws Exception {
            return ProxiedServer.connect("127.0.0.1", proxy.port(), user, password);
        }

        String variable(String name) throws Exception {
            return root.query("SHOW FANFOLD VARIABLES LIKE '" + name + "'")
                    .rows()
                    .toString();
        }

        /** Whether the next statement is split. */
        boolean splits() throws Exception {
            long before = fanOuts();
            assertThat(root.query("SELECT COUNT(*) + 0 FROM it_set.t WHERE id > 1")
                            .rows())
                    .hasToString("[2]");
            return fanOuts() > before;
        }

        private long fanOuts() throws Exception {
            return Long.parseLong(String.valueOf(root.query("SHOW FANFOLD STATUS LIKE 'Fanfold_request_executed'")
                    .rows()
                    .get(0)
                    .utf8(1)));
        }

        CommandRun reload(String user) {
            return reload(user, "127.0.0.1:" + proxy.port());
        }

        CommandRun reload(String user, String address) {
            return CommandRun.of(
                    Map.of(ServerAccess.PASSWORD_VARIABLE, "pw"), "reload", "--proxy", address, "--user", user);
        }

        @Override
        public void close() throws Exception {
            root.close();
            proxy.close();
        }
    }

    private static void assertError(WireConnection client, String sql, int errno, String message) {
        ServerException error = catchThrowableOfType(ServerException.class, () -> client.query(sql));
        assertThat(error.errno()).as(sql).isEqualTo(errno);
        assertThat(error).as(sql).hasMessageContaining(message);
    }

    @AllServers
    void aSetValueHoldsAtOnceAndUntilTheReload(TestServer server) throws Exception {
        try (Proxy proxy = new Proxy(server);
                WireConnection admin = proxy.as("set_admin", "pw")) {
            assertThat(proxy.splits()).isTrue();
            assertThat(proxy.variable("fan-out.mode")).isEqualTo("[fan-out.mode|on|default]");
            assertThat(proxy.variable("fan-out.min-rows")).isEqualTo("[fan-out.min-rows|0|file]");
            admin.execute("SET FANFOLD fan-out.mode = OFF");
            assertThat(admin.query("SHOW WARNINGS").rows()).isEmpty();
            assertThat(proxy.variable("fan-out.mode")).isEqualTo("[fan-out.mode|off|set]");
            assertThat(proxy.splits()).isFalse();
            admin.execute("set /* all */ fanfold `fan-out.mode` := 'on'");
            assertThat(proxy.splits()).isTrue();
            admin.execute("SET FANFOLD fan-out.mode = observe");
            assertThat(proxy.splits()).isFalse();
            assertThat(admin.query("RELOAD FANFOLD").rows()).hasToString("[fan-out.mode|observe|on|now]");
            assertThat(proxy.splits()).isTrue();
            assertThat(proxy.variable("fan-out.mode")).isEqualTo("[fan-out.mode|on|default]");
        }
    }

    @AllServers
    void whoMayNotSetGlobalVariablesMayNotSetTheseEither(TestServer server) throws Exception {
        try (Proxy proxy = new Proxy(server);
                WireConnection guest = proxy.as("set_guest", "pw")) {
            assertError(guest, "SET FANFOLD fan-out.mode = off", 1227, "Access denied; you need");
            assertError(guest, "SET FANFOLD no.such = off", 1227, "SUPER");
            proxy.write("fan-out: {mode: off}");
            assertError(guest, "RELOAD FANFOLD", 1227, "SUPER");
            assertThat(proxy.variable("fan-out.mode")).isEqualTo("[fan-out.mode|on|default]");
            CommandRun refused = proxy.reload("set_guest");
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.err()).contains("Access denied; you need");
            assertThat(proxy.splits()).isTrue();
        }
    }

    @AllServers
    void mistakesHaveTheErrorsOfTheServer(TestServer server) throws Exception {
        try (Proxy proxy = new Proxy(server);
                WireConnection admin = proxy.as("set_admin", "pw")) {
            assertError(admin, "SET FANFOLD fan-out.moed = off", 1193, "fan-out.moed: unknown key, did you mean mode?");
            assertError(
                    admin, "SET FANFOLD fan-out.degree = 0", 1231, "'0' (expected: auto or a whole number 1..1000)");
            assertError(admin, "SET FANFOLD listener.port = 3308", 1238, "read only variable");
            assertError(admin, "SET FANFOLD workers.user = root", 1238, "restart");
            assertError(admin, "SET FANFOLD fan-out.degree", 1064, "expected SET FANFOLD variable = value");
            assertError(admin, "RELOAD FANFOLD TABLES", 1064, "expected RELOAD FANFOLD");
            assertThat(admin.ping()).isTrue();
            assertThat(proxy.splits()).isTrue();
        }
    }

    @AllServers
    void aTransactionStaysOpen(TestServer server) throws Exception {
        try (Proxy proxy = new Proxy(server)) {
            proxy.root.execute("BEGIN");
            proxy.root.execute("DELETE FROM it_set.t");
            proxy.root.execute("SET FANFOLD fan-out.degree = 3");
            proxy.root.execute("ROLLBACK");
            assertThat(proxy.splits()).isTrue();
        }
    }

    @AllServers
    void theCommandSaysWhatHasChangedOrWhatIsWrong(TestServer server) throws Exception {
        try (Proxy proxy = new Proxy(server)) {
            assertThat(proxy.reload("set_admin"))
                    .isEqualTo(new CommandRun(0, "no setting has changed" + System.lineSeparator(), ""));
            proxy.write("fan-out: {min-rows: 0, degree: 3}\ntables: {it_set.t: {mode: off}}\nhttp: {port: 1}");
            CommandRun changed = proxy.reload("set_admin");
            assertThat(changed.code()).as(changed.err()).isZero();
            assertThat(changed.out().lines())
                    .containsExactly(
                            "fan-out.degree: auto -> 3",
                            "tables.it_set.t: (none) -> {mode: off}",
                            "http.port: 13380 -> 1 (after a restart)");
            assertThat(proxy.splits()).isFalse();
            proxy.write("fan-out: {degree: 4, mood: on}\nlog: {level: loud}");
            CommandRun wrong = proxy.reload("set_admin");
            assertThat(wrong.code()).isEqualTo(1);
            assertThat(wrong.err())
                    .contains("fan-out.mood: unknown key")
                    .contains("log.level: 'loud' (expected: error or warn or info or debug or trace)");
            assertThat(proxy.variable("fan-out.degree")).isEqualTo("[fan-out.degree|3|file]");
        }
    }

    @AllServers
    void theCommandNeedsAProxy(TestServer server) throws Exception {
        try (Proxy proxy = new Proxy(server)) {
            CommandRun direct = proxy.reload("set_admin", server.host() + ":" + server.port());
            assertThat(direct.code()).isEqualTo(1);
            assertThat(direct.err()).contains("it does not know RELOAD FANFOLD");
            CommandRun nowhere = proxy.reload("set_admin", "127.0.0.1:1");
            assertThat(nowhere.code()).isEqualTo(1);
            assertThat(nowhere.err()).contains("127.0.0.1:1 cannot be reached");
        }
    }

    @AllServers
    void withoutAWorkerAccountSettingsChangeToo(TestServer server) throws Exception {
        try (Proxy proxy = new Proxy(server, "''")) {
            proxy.root.execute("SET FANFOLD limits.slow-client = 9s");
            assertThat(proxy.root.query("RELOAD FANFOLD").rows()).hasToString("[limits.slow-client|9s|1m|now]");
            proxy.write("fan-out: {degree: 7}");
            assertThat(proxy.reload("set_guest").code()).isEqualTo(1);
        }
    }

    @AllServers
    void driversSeeAStatementWithoutRows(TestServer server) throws Exception {
        try (Proxy proxy = new Proxy(server);
                Connection connection = DriverManager.getConnection(
                        server.jdbcUrl("127.0.0.1", proxy.proxy.port(), ""), "set_admin", "pw");
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("SET FANFOLD fan-out.degree = 6"))
                    .isZero();
            assertThat(proxy.variable("fan-out.degree")).isEqualTo("[fan-out.degree|6|set]");
        }
    }
}

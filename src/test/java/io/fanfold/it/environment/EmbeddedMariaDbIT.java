package io.fanfold.it.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.demo.EmbeddedMariaDb;
import io.fanfold.demo.UserAccount;
import io.fanfold.it.support.server.EmbeddedServer;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.ServerUses;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The life cycle of the embedded server: start, stop, restart, and what remains of it. */
class EmbeddedMariaDbIT {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    @Test
    void keepsItsDataAndTakesNewAccountsAtTheNextStart() throws Exception {
        try (EmbeddedMariaDb server = EmbeddedMariaDb.start(options(folder.resolve("data"), 0, List.of()));
                Connection connection = connect(server, "admin", "s'e\\cret");
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE DATABASE my_shop");
            statement.executeUpdate("CREATE TABLE my_shop.t (id INT)");
            statement.executeUpdate("INSERT INTO my_shop.t VALUES (1), (2)");
        }
        EmbeddedMariaDb.Options again = new EmbeddedMariaDb.Options(
                EmbeddedServer.binaries(),
                folder.resolve("data"),
                0,
                List.of(UserAccount.reader("reader", "pw", "my_shop")),
                List.of());
        try (EmbeddedMariaDb server = EmbeddedMariaDb.start(again);
                Connection connection = connect(server, "reader", "pw");
                Statement statement = connection.createStatement()) {
            assertThat(count(statement, "my_shop.t")).isEqualTo(2);
            assertThatThrownBy(() -> statement.executeUpdate("DELETE FROM my_shop.t"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("denied");
        }
    }

    @Test
    void hasNoAccountsButTheGivenOnes() throws Exception {
        try (EmbeddedMariaDb server = EmbeddedMariaDb.start(options(folder.resolve("data"), 0, List.of()));
                Connection connection = connect(server, "admin", "s'e\\cret");
                Statement statement = connection.createStatement();
                ResultSet users = statement.executeQuery("SELECT GROUP_CONCAT(DISTINCT User ORDER BY User)"
                        + " FROM mysql.global_priv WHERE NOT JSON_VALUE(Priv, '$.account_locked') <=> 1"
                        + " AND User <> 'PUBLIC'")) {
            assertThat(users.next()).isTrue();
            assertThat(users.getString(1)).isEqualTo("admin");
            assertThat(folder.resolve("data/accounts.sql")).doesNotExist();
        }
    }

    @Test
    void isGoneAfterClose() throws Exception {
        EmbeddedMariaDb server = EmbeddedMariaDb.start(options(folder.resolve("data"), 0, List.of()));
        assertThat(ProcessHandle.of(server.pid())).isPresent();

        server.close();
        server.close();

        assertThat(ProcessHandle.of(server.pid())).isEmpty();
        assertThat(Files.readString(folder.resolve("data/server.log"))).contains("Shutdown complete");
    }

    @Test
    void refusesAFolderInUse() throws Exception {
        EmbeddedMariaDb.Options options = options(folder.resolve("data"), 0, List.of());
        try (EmbeddedMariaDb server = EmbeddedMariaDb.start(options)) {
            assertThatThrownBy(() -> EmbeddedMariaDb.start(options))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use by process");
            connect(server, "admin", "s'e\\cret").close();
        }
    }

    @Test
    void saysWhyItDidNotStart() throws Exception {
        assertThatThrownBy(
                        () -> EmbeddedMariaDb.start(options(folder.resolve("data"), 0, List.of("--no-such-option=1"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("unknown variable 'no-such-option=1'");
        try (ServerSocket taken = new ServerSocket(0)) {
            assertThatThrownBy(() ->
                            EmbeddedMariaDb.start(options(folder.resolve("data"), taken.getLocalPort(), List.of())))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Address already in use");
        }
        EmbeddedMariaDb.start(options(folder.resolve("data"), 0, List.of())).close();
    }

    @Test
    void saysWhichAccountItCouldNotMake() throws Exception {
        EmbeddedMariaDb.Options options = new EmbeddedMariaDb.Options(
                EmbeddedServer.binaries(),
                folder.resolve("data"),
                0,
                List.of(new UserAccount("guest", "hush", "NONSENSE ON *.*")),
                List.of());

        assertThatThrownBy(() -> EmbeddedMariaDb.start(options))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("could not make the accounts")
                .hasMessageContaining("1064");
        assertThat(folder.resolve("data/accounts.sql")).doesNotExist();
        assertThat(folder.resolve("data/owner")).doesNotExist();
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux tells a child that its parent is gone")
    void endsWithAJvmThatIsKilled() throws Exception {
        Path data = folder.resolve("data");
        Process jvm = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("surefire.real.class.path", System.getProperty("java.class.path")),
                        "-Dfanfold.mariadb.jar=" + EmbeddedServer.jar(),
                        StartAndStay.class.getName(),
                        data.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = jvm.inputReader()) {
            long pid = Long.parseLong(String.valueOf(output.readLine()));
            ProcessHandle server = ProcessHandle.of(pid).orElseThrow();

            jvm.destroyForcibly().waitFor();

            await().atMost(LIMIT).until(() -> !server.isAlive());
        } finally {
            jvm.destroyForcibly();
        }
        EmbeddedMariaDb.start(options(data, 0, List.of())).close();
    }

    /** The other JVM of that test. */
    static final class StartAndStay {
        private StartAndStay() {}

        public static void main(String[] arguments) throws Exception {
            EmbeddedMariaDb server = EmbeddedMariaDb.start(options(Path.of(arguments[0]), 0, List.of()));
            System.out.println(server.pid());
            Thread.currentThread().join();
        }
    }

    private static EmbeddedMariaDb.Options options(Path data, int port, List<String> serverOptions) throws IOException {
        ServerUses.record(ServerName.MARIADB);
        return new EmbeddedMariaDb.Options(
                EmbeddedServer.binaries(),
                data,
                port,
                List.of(UserAccount.administrator("admin", "s'e\\cret")),
                serverOptions);
    }

    private static Connection connect(EmbeddedMariaDb server, String user, String password) throws SQLException {
        String url = "jdbc:mariadb://" + server.host() + ":" + server.port() + "/?sslMode=disable";
        return DriverManager.getConnection(url, user, password);
    }

    private static long count(Statement statement, String table) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
            assertThat(rows.next()).isTrue();
            return rows.getLong(1);
        }
    }
}

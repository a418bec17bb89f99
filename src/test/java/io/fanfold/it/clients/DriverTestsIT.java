package io.fanfold.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.TestServers;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The published test suites of drivers: each test has the same result through the proxy as direct on the server. A
 * driver's tests run on both at the same time, because they mostly wait.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the clients are installed by a script for Linux")
class DriverTestsIT {
    private static final String DATABASE = "it_driver_tests";

    /** Connector/Python's tests require this database name. */
    private static final String CONNECTOR_DATABASE = "myconnpy";

    /** The pytest result of each test with -rA, and the reason of a failure after a dash. */
    private static final String PYTEST = "(?<end>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (?<test>\\S.*?)(?: - .*)?";

    @TempDir
    private Path folder;

    /** A command that runs against a port of this machine. */
    private interface Command {
        String on(int port) throws Exception;
    }

    /**
     * A driver's tests.
     *
     * @param name the name of the files with their output
     * @param outcome matches a line with the result of a test, with the groups "test" and "end"
     * @param passed the result of a passed test
     * @param failed the result of a failed test
     * @param command runs them; its exit code must be 0 even if tests fail
     */
    private record Suite(String name, String outcome, String passed, String failed, Command command) {
        /** Returns the results of the tests by name. */
        Map<String, String> run(TestServer server, String way, int port) throws Exception {
            Pattern pattern = Pattern.compile(outcome);
            Map<String, String> ends = new TreeMap<>();
            for (String line : ClientProgram.shell(name + "-tests-" + server.kind() + "-" + way, command.on(port))) {
                Matcher matcher = pattern.matcher(line);
                if (matcher.matches()) {
                    ends.put(matcher.group("test"), matcher.group("end"));
                }
            }
            return ends;
        }
    }

    @Test
    void goSqlDriver() throws Exception {
        TestServers.onAllAtOnce(this::goSqlDriver);
    }

    private void goSqlDriver(TestServer server) throws Exception {
        Path go = ClientProgram.installed("go");
        // the first test needs the internet; MariaDB itself loses long packets of compressing clients
        String without = server.kind() == ServerFlavor.MARIADB
                ? "^(TestConnectorReturnsTimeout|TestLongData)$"
                : "^TestConnectorReturnsTimeout$";
        Suite suite = new Suite(
                "go",
                "\\s*--- (?<end>PASS|FAIL|SKIP): (?<test>\\S+) .*",
                "PASS",
                "FAIL",
                port ->
                        "cd '%s' && MYSQL_TEST_USER='%s' MYSQL_TEST_PASS='%s' MYSQL_TEST_ADDR=127.0.0.1:%d MYSQL_TEST_DBNAME=%s"
                                        .formatted(
                                                go.resolve("driver"),
                                                server.adminUser(),
                                                server.adminPassword(),
                                                port,
                                                DATABASE)
                                + " ../driver-tests -test.v -test.timeout=100s -test.skip='" + without
                                + "' 2>&1 || true");
        compare(server, suite, 300, Set.of());
    }

    /** One test is left out. It fails if 20,000 rows arrive within the 10 ms between two checks of another thread. */
    @Test
    void mysqlclient() throws Exception {
        TestServers.onAllAtOnce(this::mysqlclient);
    }

    private void mysqlclient(TestServer server) throws Exception {
        Suite suite = new Suite(
                "mysqlclient",
                PYTEST,
                "PASSED",
                "FAILED|ERROR",
                port -> "TESTDB='%s' ".formatted(optionFile(server, port))
                        + pytest("mysqlclient/tests", "test_result_concurrent_use_raises"));
        compare(server, suite, 150, Set.of());
    }

    /** The package includes authentication tests, for accounts that only MySQL supports. */
    @OnServers(ServerName.MYSQL)
    void pyMySql(TestServer server) throws Exception {
        Suite suite = new Suite("pymysql", PYTEST, "PASSED", "FAILED|ERROR", port -> {
            account(server, "sha256", "");
            account(server, "caching_sha2", "GRANT RELOAD ON *.* TO user_caching_sha2");
            return "TEST_HOST=127.0.0.1 TEST_PORT=%d ".formatted(port) + pytest("pymysql/tests");
        });
        try {
            compare(server, suite, 8, Set.of());
        } finally {
            admin(server, "DROP USER IF EXISTS user_sha256, nopass_sha256, user_caching_sha2, nopass_caching_sha2");
        }
    }

    /** Creates a new account, so that the server's cache does not hold the password. */
    private static void account(TestServer server, String plugin, String grant) throws Exception {
        admin(
                server,
                "DROP USER IF EXISTS user_%1$s, nopass_%1$s".formatted(plugin),
                "CREATE USER user_%1$s IDENTIFIED WITH %1$s_password BY 'pass_%1$s_01234567890123456789'"
                        .formatted(plugin),
                "CREATE USER nopass_%1$s IDENTIFIED WITH %1$s_password".formatted(plugin));
        if (!grant.isEmpty()) {
            admin(server, grant);
        }
    }

    /**
     * Only the tests of these modules. Others wait for timeouts, take minutes, or need servers that they start
     * themselves. They support MySQL only.
     */
    @OnServers(ServerName.MYSQL)
    void connectorPython(TestServer server) throws Exception {
        Path python = ClientProgram.installed("python");
        String modules = "^(connection|cursor|pep249|authentication)$";
        Suite suite = new Suite(
                "connector-python",
                // test_shutdown checks whether the server has already noticed that another connection was cut
                "(?<test>[\\w.]+)(?<!\\.test_shutdown) \\.\\.\\. (?<end>ok|FAIL|ERROR|skipped.*)",
                "ok",
                "FAIL|ERROR",
                port ->
                        "cd '%s' && ../../bin/python unittests.py --use-external-server --skip-install -H 127.0.0.1 -P %d --user '%s'"
                                        .formatted(python.resolve("tests/connector"), port, server.adminUser())
                                + " --password '%s' --verbosity 2 --log '%s' -r '%s' 2>&1 || true"
                                        .formatted(server.adminPassword(), folder.resolve("connector.log"), modules));
        try {
            compare(server, suite, 180, Set.of());
        } finally {
            admin(server, "DROP DATABASE IF EXISTS " + CONNECTOR_DATABASE);
        }
    }

    @Test
    void rustMysqlAsync() throws Exception {
        TestServers.onAllAtOnce(this::rustMysqlAsync);
    }

    private void rustMysqlAsync(TestServer server) throws Exception {
        Path tests = ClientProgram.installed("rust").resolve("driver-tests");
        Suite suite = new Suite(
                "rust",
                "test (?<test>\\S+) \\.\\.\\. (?<end>ok|FAILED|ignored.*)",
                "ok",
                "FAILED",
                port ->
                        "DATABASE_URL='mysql://%s:%s@127.0.0.1:%d/%s?prefer_socket=false' '%s' --test-threads=2 --skip should_reconnect 2>&1 || true"
                                .formatted(server.adminUser(), server.adminPassword(), port, DATABASE, tests));
        // The skipped should_reconnect counts connections while others open and close, and sometimes fails on the
        // server itself. should_change_user tries old authentication plugins, one of which MariaDB rejects.
        Set<String> failing =
                server.kind() == ServerFlavor.MARIADB ? Set.of("conn::test::should_change_user") : Set.of();
        try {
            compare(server, suite, 80, failing);
        } finally {
            // restores what one of the tests changes, in case it was aborted
            admin(server, "SET GLOBAL wait_timeout = DEFAULT", "DROP USER IF EXISTS '__mats'@'%'");
        }
    }

    /**
     * Runs the tests direct on the server, then through a proxy that offers its clients the server's features.
     *
     * @param passing the least number of tests that must pass
     * @param failing tests that fail on the server itself
     */
    private static void compare(TestServer server, Suite suite, int passing, Set<String> failing) throws Exception {
        ProxySetup.Tls tls = new ProxySetup.Tls(
                ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED),
                BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.AS_CLIENT));
        try (ProxiedServer proxy =
                ProxiedServer.start(server, ProxySetup.ofDegree(3).withTls(tls))) {
            createDatabases(server);
            Map<String, String> direct = suite.run(server, "direct", server.port());
            createDatabases(server);
            Map<String, String> proxied = suite.run(server, "proxied", proxy.port());

            assertThat(proxied).as("how tests end through the proxy").isEqualTo(direct);
            assertThat(ended(direct, suite.passed)).hasSizeGreaterThanOrEqualTo(passing);
            assertThat(ended(direct, suite.failed))
                    .as("tests that fail on the server itself")
                    .isSubsetOf(failing);
        } finally {
            admin(server, "DROP DATABASE IF EXISTS " + DATABASE);
        }
    }

    private static List<String> ended(Map<String, String> ends, String how) {
        return ends.keySet().stream()
                .filter(test -> String.valueOf(ends.get(test)).matches(how))
                .toList();
    }

    private static void createDatabases(TestServer server) throws Exception {
        for (String database : List.of(DATABASE, CONNECTOR_DATABASE)) {
            admin(
                    server,
                    "DROP DATABASE IF EXISTS " + database,
                    "CREATE DATABASE " + database + " DEFAULT CHARACTER SET utf8mb4");
        }
    }

    private static void admin(TestServer server, String... statements) throws IOException, ServerException {
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            for (String statement : statements) {
                admin.execute(statement);
            }
        }
    }

    private Path optionFile(TestServer server, int port) throws IOException {
        return Files.writeString(folder.resolve("mysqlclient-" + server.kind() + ".cnf"), """
                [MySQLdb-tests]
                host=127.0.0.1
                port=%d
                user=%s
                password=%s
                database=%s
                default-character-set=utf8mb4
                """.formatted(
                        port, server.adminUser(), server.adminPassword(), DATABASE));
    }

    private static String pytest(String tests) throws Exception {
        return pytest(tests, "nothing_is_left_out");
    }

    /** @param without a test to leave out */
    private static String pytest(String tests, String without) throws Exception {
        Path python = ClientProgram.installed("python");
        return "'%s' -m pytest -p no:cacheprovider -rA -q -k 'not %s' '%s' || true"
                .formatted(
                        python.resolve("bin/python"),
                        without,
                        python.resolve("tests").resolve(tests));
    }
}

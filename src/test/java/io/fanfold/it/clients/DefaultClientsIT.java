package io.fanfold.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.client.ClientScenario;
import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.TestServers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.MountableFile;

/**
 * Clients in their default settings, without any TLS option, on servers with and without TLS. Each client logs in
 * through a proxy with default settings, or gets the same error as direct on the server. Its server connection is
 * encrypted exactly if it is without the proxy. The programs are the {@code defaults} in {@code src/test/clients}.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the clients are installed by a script for Linux")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DefaultClientsIT {
    private static final String DATABASE = "it_default";
    private static final String PASSWORD = "d3fault";

    /** Password not in the server's cache, password in the cache, no password, wrong password. */
    private static final List<String> LOGINS = List.of("cold", "warm", "empty", "wrong");

    private static final int GOOD_LOGINS = 3;

    /** A server and the proxy in front of it. */
    private record Pair(TestServer server, boolean tls, PlainProxy proxy) {
        String host() {
            // clients take "localhost" as a Unix domain socket
            return server.host().equals("localhost") ? "127.0.0.1" : server.host();
        }
    }

    private final List<Pair> pairs = new ArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    void start() throws Exception {
        add(TestServers.mysql(), true);
        add(TestServers.mariadb(), true);
        add(TestServers.mariadb1011(), false);
        GenericContainer<?> plain = ContainerServers.mysqlContainer("--tls-version=");
        open.add(plain);
        add(ContainerServers.start(ServerName.MYSQL, plain), false);
        for (Pair pair : pairs) {
            createAccounts(pair.server());
        }
    }

    private void add(TestServer server, boolean tls) throws Exception {
        PlainProxy proxy = PlainProxy.start(
                ListenerConfig.defaults().at("127.0.0.1", 0),
                BackendConfig.defaults().at(server.host(), server.port()));
        open.add(proxy);
        pairs.add(new Pair(server, tls, proxy));
    }

    @AfterAll
    void stop() throws Exception {
        for (Pair pair : pairs) {
            try (WireConnection admin = admin(pair.server())) {
                admin.execute("DROP DATABASE IF EXISTS " + DATABASE);
                for (String way : List.of("d", "p")) {
                    admin.execute("DROP USER IF EXISTS it_default_" + way + ", it_default_" + way + "_empty");
                }
            }
        }
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private static WireConnection admin(TestServer server) throws Exception {
        return ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword());
    }

    /**
     * Creates separate accounts for each route, because a login over one route leaves the password in the server's
     * cache.
     */
    private static void createAccounts(TestServer server) throws Exception {
        try (WireConnection admin = admin(server)) {
            admin.execute("CREATE DATABASE IF NOT EXISTS " + DATABASE);
            for (String way : List.of("d", "p")) {
                for (String account : List.of("", "_empty")) {
                    String user = "it_default_" + way + account;
                    admin.execute("DROP USER IF EXISTS " + user);
                    admin.execute(
                            "CREATE USER " + user + " IDENTIFIED BY '" + (account.isEmpty() ? PASSWORD : "") + "'");
                    admin.execute("GRANT ALL ON " + DATABASE + ".* TO " + user);
                }
            }
        }
    }

    /** Runs a client with these logins, {@code USER:PASSWORD:HOST:PORT}, and returns a line of output for each. */
    private interface Client {
        List<String> run(List<String> logins) throws Exception;
    }

    /** Requires the same output through the proxy, and returns the output of the direct logins. */
    private List<String> sameAsDirect(String name, Client client) throws Exception {
        List<String> logins = new ArrayList<>();
        List<String> labels = new ArrayList<>();
        for (Pair pair : pairs) {
            try (WireConnection admin = admin(pair.server())) {
                // empties the server's password cache
                admin.execute("FLUSH PRIVILEGES");
            }
            for (String login : LOGINS) {
                String rest = switch (login) {
                    case "empty" -> "_empty:";
                    case "wrong" -> ":" + PASSWORD + "x";
                    default -> ":" + PASSWORD;
                };
                logins.add("it_default_d" + rest + ":" + pair.host() + ":"
                        + pair.server().port());
                logins.add("it_default_p" + rest + ":127.0.0.1:" + pair.proxy().port());
                labels.add(pair.server() + (pair.tls() ? " with TLS, " : " without TLS, ") + login + ": ");
            }
        }
        List<String> lines = client.run(logins);
        assertThat(lines).as("one line of %s for each login", name).hasSameSizeAs(logins);
        List<String> direct = new ArrayList<>();
        List<String> proxied = new ArrayList<>();
        for (int i = 0; i < labels.size(); i++) {
            direct.add(labels.get(i) + general(lines.get(2 * i), logins.get(2 * i)));
            proxied.add(labels.get(i) + general(lines.get(2 * i + 1), logins.get(2 * i + 1)));
        }
        assertThat(proxied).as("logins of %s", name).containsExactlyElementsOf(direct);
        return direct;
    }

    /** Removes everything that differs between the routes, and the TLS version. */
    private static String general(String line, String login) {
        String[] parts = login.split(":", -1);
        return line.replace("it_default_p", "it_default_d")
                .replace(parts[2] + ":" + parts[3], "HOST:PORT")
                .replaceAll("\\b" + parts[3] + "\\b", "PORT")
                .replaceAll("conn([:=])\\d+", "conn$1ID")
                .replaceAll("TLSv1\\.[23]", "TLS")
                .strip();
    }

    /** Runs a program that logs in to a MariaDB as installed by its packages. */
    private void runs(String name, List<String> command) throws Exception {
        logsIn(sameAsDirect(name, logins -> {
            List<String> all = new ArrayList<>(command);
            all.add(DATABASE);
            all.addAll(logins);
            return ClientProgram.run("defaults-" + name, all);
        }));
    }

    private static void logsIn(List<String> seen) {
        assertThat(seen)
                .filteredOn(line -> line.startsWith("MariaDB (container)") && !line.contains(", wrong: "))
                .hasSize(GOOD_LOGINS)
                .allMatch(line -> line.endsWith(": 42"));
    }

    private static String script(String name) {
        return ClientScenario.FOLDER.resolve(name).toString();
    }

    private void python(String driver) throws Exception {
        String python = ClientProgram.installed("python").resolve("bin/python").toString();
        runs(driver + "-python", List.of(python, script("python/defaults.py"), driver));
    }

    private void node(String driver) throws Exception {
        Path node = ClientProgram.installed("node");
        String program = node.resolve("bin/node").toString();
        runs(driver + "-node", List.of(program, script("node/defaults.mjs"), node.toString(), driver));
    }

    private void java(String driver) throws Exception {
        Path java = ClientProgram.installed("java");
        String program = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        runs(
                driver,
                List.of(
                        program,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        java.resolve("classes") + ":" + java.resolve("lib") + "/*",
                        "Defaults",
                        driver));
    }

    private void php(String driver) throws Exception {
        String php = ClientProgram.onPath("php");
        ClientProgram.require(
                "PHP's " + driver,
                List.of(php, "-r", "exit(extension_loaded('mysqli') && extension_loaded('pdo_mysql') ? 0 : 1);"));
        runs(driver, List.of(php, script("php/defaults.php"), driver));
    }

    private void perl(String driver) throws Exception {
        String perl = ClientProgram.onPath("perl");
        ClientProgram.require("Perl's DBD::" + driver, List.of(perl, "-MDBD::" + driver, "-e", "1"));
        runs("perl-" + driver, List.of(perl, script("perl/defaults.pl"), driver));
    }

    @Test
    void pyMySql() throws Exception {
        python("pymysql");
    }

    @Test
    void mysqlclient() throws Exception {
        python("mysqlclient");
    }

    @Test
    void connectorPythonPure() throws Exception {
        python("connector-pure");
    }

    @Test
    void connectorPythonInC() throws Exception {
        python("connector-c");
    }

    @Test
    void mariaDbOfPython() throws Exception {
        python("mariadb");
    }

    @Test
    void asyncmy() throws Exception {
        python("asyncmy");
    }

    @Test
    void aiomysql() throws Exception {
        python("aiomysql");
    }

    @Test
    void sqlAlchemy() throws Exception {
        python("sqlalchemy");
    }

    @Test
    void mysql2OfNode() throws Exception {
        node("mysql2");
    }

    @Test
    void mariaDbOfNode() throws Exception {
        node("mariadb");
    }

    @Test
    void go() throws Exception {
        runs("go", List.of(ClientProgram.installed("go").resolve("defaults").toString()));
    }

    @Test
    void rustMysqlAsync() throws Exception {
        runs("rust", List.of(ClientProgram.installed("rust").resolve("defaults").toString()));
    }

    @Test
    void mysqliOfPhp() throws Exception {
        php("mysqli");
    }

    @Test
    void pdoOfPhp() throws Exception {
        php("pdo");
    }

    @Test
    void dbdMariaDbOfPerl() throws Exception {
        perl("MariaDB");
    }

    @Test
    void dbdMysqlOfPerl() throws Exception {
        perl("mysql");
    }

    @Test
    void vertx() throws Exception {
        java("vertx");
    }

    @Test
    void r2dbcMysql() throws Exception {
        java("r2dbc-mysql");
    }

    @Test
    void r2dbcMariaDb() throws Exception {
        java("r2dbc-mariadb");
    }

    @Test
    void connectorJ() throws Exception {
        List<String> seen = jdbc("mysql");
        logsIn(seen);
        assertThat(seen)
                .as("the servers with TLS are what they are taken for")
                .filteredOn(line -> line.contains(" with TLS") && !line.contains(", wrong: "))
                .hasSize(2 * GOOD_LOGINS)
                .allMatch(line -> line.endsWith(": 42 TLS"));
    }

    /** The driver demands TLS with a verifiable certificate, which none of these servers has. */
    @Test
    void mariaDbConnectorJ() throws Exception {
        assertThat(jdbc("mariadb"))
                .filteredOn(line -> !line.contains(", wrong: "))
                .allMatch(line -> line.contains("sslMode"));
    }

    private List<String> jdbc(String scheme) throws Exception {
        return sameAsDirect("jdbc-" + scheme, logins -> {
            List<String> lines = new ArrayList<>();
            for (String login : logins) {
                String[] parts = login.split(":");
                String url = "jdbc:" + scheme + "://" + parts[2] + ":" + parts[3] + "/" + DATABASE;
                try (Connection connection = DriverManager.getConnection(url, parts[0], parts[1]);
                        Statement statement = connection.createStatement()) {
                    String answer = Sql.only(statement, "SELECT 6 * 7");
                    try (ResultSet tls = statement.executeQuery("SHOW SESSION STATUS LIKE 'Ssl_version'")) {
                        tls.next();
                        lines.add(answer + " " + tls.getString(2));
                    }
                } catch (SQLException e) {
                    lines.add("error " + e.getErrorCode() + " " + e.getSQLState() + " " + e.getMessage());
                }
            }
            return lines;
        });
    }

    @Test
    void mariaDbOnTheCommandLine() throws Exception {
        runs("mariadb", List.of("sh", script("tools/defaults.sh"), ClientProgram.onPath("mariadb")));
    }

    @Test
    void mysqlOnTheCommandLine() throws Exception {
        try (GenericContainer<?> clients = ContainerServers.clients(ServerName.MYSQL)
                .withCopyFileToContainer(MountableFile.forHostPath(script("tools/defaults.sh")), "/defaults.sh")) {
            clients.start();
            logsIn(sameAsDirect("mysql", logins -> {
                List<String> command = new ArrayList<>(List.of("sh", "/defaults.sh", "mysql", DATABASE));
                command.addAll(logins);
                return clients.execInContainer(StandardCharsets.UTF_8, command.toArray(String[]::new))
                        .getStdout()
                        .lines()
                        .toList();
            }));
        }
    }
}

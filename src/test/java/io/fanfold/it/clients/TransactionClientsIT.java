package io.fanfold.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.client.ClientScenario;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Drivers, pools and frameworks that run each statement in a transaction, by default or by a setting. Each report is
 * split, and all answers equal those direct from the server. The programs are the {@code transactions} in
 * {@code src/test/clients}.
 */
@AllServers
@EnabledOnOs(value = OS.LINUX, disabledReason = "the clients are installed by a script for Linux")
class TransactionClientsIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_transaction_clients", SmallTable::create);
    private static final String USER = "it_transaction";

    /** The server sorts the keys, on the client's own connection. */
    private static final String REPORT = "SELECT name, COUNT(*), SUM(v) FROM t GROUP BY name ORDER BY name";

    private static final String SUM = "SELECT SUM(v) FROM t";

    /** Two reports in one transaction, one in the next, two outside transactions. */
    private static final int OF_FRAMEWORKS = 5;

    /** MySQL Connector/J and MariaDB Connector/J. */
    private static final List<String> SCHEMES = List.of("mysql", "mariadb");

    private final TestServer server;
    private SameAsServer same;

    TransactionClientsIT(TestServer server) {
        this.server = server;
    }

    @BeforeEach
    void open() throws Exception {
        same = DATABASE.shared(server, 3);
        try (WireConnection admin = same.proxy().direct()) {
            admin.execute("CREATE USER IF NOT EXISTS " + USER + " IDENTIFIED BY ''");
            admin.execute("GRANT SELECT ON " + DATABASE.name() + ".* TO " + USER);
        }
    }

    @AfterEach
    void close() throws Exception {
        try (WireConnection admin = same.proxy().direct()) {
            admin.execute("DROP USER " + USER);
        }
        same.close();
    }

    @Test
    void pyMySql() throws Exception {
        pythonDriver("pymysql");
    }

    @Test
    void mysqlclient() throws Exception {
        pythonDriver("mysqlclient");
    }

    @Test
    void connectorPythonPure() throws Exception {
        pythonDriver("connector-pure");
    }

    @Test
    void connectorPythonInC() throws Exception {
        pythonDriver("connector-c");
    }

    @Test
    void mariaDbOfPython() throws Exception {
        pythonDriver("mariadb");
    }

    @Test
    void asyncmy() throws Exception {
        pythonDriver("asyncmy");
    }

    @Test
    void aiomysql() throws Exception {
        pythonDriver("aiomysql");
    }

    @Test
    void sqlAlchemy() throws Exception {
        pythonDriver("sqlalchemy");
    }

    /** Before it runs a text, pandas checks whether that is the name of a table. */
    @Test
    void pandas() throws Exception {
        pythonDriver("pandas");
        python("pandas", "engine", List.of("report", "report"));
    }

    /** The transactions are those of ATOMIC_REQUESTS. */
    @Test
    void django() throws Exception {
        List<String> steps = List.of("report", "report", "begin", "report", "report", "commit", "report");
        python("django", "default", steps);
    }

    /** Runs a driver in its default mode, and in the mode that the README recommends for splitting each report. */
    private void pythonDriver(String driver) throws Exception {
        python(driver, "default", List.of("report", "report", "commit", "report"));
        python(driver, "autocommit", List.of("report", "report"));
    }

    private void python(String driver, String mode, List<String> steps) throws Exception {
        String name = driver + "-" + mode;
        List<String> direct = python(name + "-direct", driver, mode, host(), server.port(), steps);
        same.proxy().forget();
        List<String> proxied =
                python(name, driver, mode, "127.0.0.1", same.proxy().port(), steps);
        int reports = Collections.frequency(steps, "report");
        requireReports(name, direct, proxied, reports);
        requireSplit(name, reports);
    }

    private static List<String> python(
            String name, String driver, String mode, String host, int port, List<String> steps) throws Exception {
        String python = ClientProgram.installed("python").resolve("bin/python").toString();
        String script = ClientScenario.FOLDER.resolve("python/transactions.py").toString();
        String login = USER + "::" + host + ":" + port;
        List<String> command = new ArrayList<>(List.of(python, script, driver, mode, DATABASE.name(), login));
        command.addAll(steps);
        return run(name, command);
    }

    @Test
    void spring() throws Exception {
        java("spring");
    }

    @Test
    void hibernate() throws Exception {
        java("hibernate");
    }

    @Test
    void hibernateInSpring() throws Exception {
        java("spring-jpa");
    }

    /** Runs both drivers and both modes in one program, because its start takes most of the time. */
    private void java(String framework) throws Exception {
        Path java = ClientProgram.installed("java");
        String program = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = java.resolve("classes") + ":" + java.resolve("lib") + "/*";
        List<String> command = new ArrayList<>(
                List.of(program, "-XX:TieredStopAtLevel=1", "-cp", classes, "Transactions", framework, USER));
        for (String scheme : SCHEMES) {
            command.add(url(scheme, host(), server.port()));
            command.add(url(scheme, "127.0.0.1", same.proxy().port()));
        }
        same.proxy().forget();
        List<String> lines = run(framework, command);
        int each = lines.size() / (2 * SCHEMES.size());
        for (int i = 0; i < SCHEMES.size(); i++) {
            List<String> direct = lines.subList(2 * i * each, (2 * i + 1) * each);
            List<String> proxied = lines.subList((2 * i + 1) * each, (2 * i + 2) * each);
            String name = framework + " on " + SCHEMES.get(i);
            requireReports(name, direct, proxied, 2 * OF_FRAMEWORKS);
            for (String mode : List.of("read-only", "read-write")) {
                requireSplit(name + ", " + mode, OF_FRAMEWORKS);
            }
        }
    }

    private static String url(String scheme, String host, int port) {
        // by default MariaDB's driver requires a verifiable certificate
        String options = scheme.equals("mariadb") ? "?sslMode=disable" : "";
        return "jdbc:" + scheme + "://" + host + ":" + port + "/" + DATABASE.name() + options;
    }

    private String host() {
        // clients take "localhost" as a Unix domain socket
        return server.host().equals("localhost") ? "127.0.0.1" : server.host();
    }

    private static void requireReports(String name, List<String> direct, List<String> proxied, int count) {
        assertThat(direct).as("reports of %s", name).hasSize(count).allMatch(line -> line.contains("n12|15|"));
        assertThat(proxied).as("reports of %s", name).isEqualTo(direct);
    }

    /** Requires that exactly this number of reports was split. A client's other queries read no partitioned table. */
    private void requireSplit(String name, int reports) throws Exception {
        for (int split = 0; split < reports; ) {
            ProxiedServer.Outcome outcome = same.proxy().outcome();
            assertThat(outcome.reason())
                    .as("reports of %s", name)
                    .isIn(null, Reason.NO_PARTITIONED_TABLE, Reason.NOT_A_SELECT);
            split += outcome.fannedOut() ? 1 : 0;
        }
    }

    private static List<String> run(String name, List<String> command) throws Exception {
        List<String> all = new ArrayList<>(List.of("env", "FANFOLD_SELECT=" + REPORT));
        all.addAll(command);
        return ClientProgram.run("transaction-" + name, all);
    }

    /** A pool that sets what a driver sends before each transaction. */
    @Test
    void pooledJdbc() throws Exception {
        try (WireConnection admin = same.proxy().direct()) {
            admin.execute("USE " + DATABASE.name());
            String answer = String.valueOf(admin.query(SUM).rows().get(0).utf8(0));
            for (String scheme : SCHEMES) {
                for (boolean readOnly : List.of(true, false)) {
                    pooled(scheme, readOnly, answer);
                }
            }
        }
    }

    private void pooled(String scheme, boolean readOnly, String answer) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url(scheme, "127.0.0.1", same.proxy().port()));
        config.setUsername(USER);
        config.setPassword("");
        config.setMaximumPoolSize(1);
        config.setReadOnly(readOnly);
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            for (int i = 0; i < 2; i++) {
                try (Connection connection = pool.getConnection();
                        Statement statement = connection.createStatement()) {
                    same.proxy().forget();
                    assertThat(Sql.only(statement, SUM)).isEqualTo(answer);
                    assertThat(Sql.only(statement, SUM)).isEqualTo(answer);
                    requireSplit(scheme + ", read only: " + readOnly, 2);
                    connection.commit();
                }
            }
        }
    }
}

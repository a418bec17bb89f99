package io.fanfold.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.backend.WireConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tools of the command line, and a driver's own tests, end the same through the proxy as straight on the server. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the tools are Debian's")
class ClientToolsIT {
    private static final String GO_TESTS = "gotest";

    /** Tests of the Go driver that prove nothing here: the first of them wants to reach the world, the others want TLS. */
    private static final String NO_GO_TESTS = "^(TestConnectorReturnsTimeout|TestTLS|TestIssue1567)$";

    @TempDir
    private Path folder;

    /** Statements in a file, with what the client shows of each. */
    @AllServers
    void mariaDbReadsAFile(TestServer server) throws Exception {
        String mariadb = ClientProgram.onPath("mariadb");
        ClientScenario scenario = ClientScenario.read(ClientMatrix.DATABASE);
        Path file = Files.writeString(folder.resolve("scenario.sql"), String.join(";\n", statements(scenario)) + ";\n");
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            Run run = port -> ClientProgram.shell(
                    "mariadb-" + server.kind(),
                    "%s %s --default-character-set=utf8mb4 --force --unbuffered -vvv --table --show-warnings %s < %s 2>&1 || true"
                            .formatted(mariadb, login(server, port), ClientMatrix.DATABASE, file));
            List<String> seen = same(matrix, run);
            assertThat(seen.stream()
                            .filter(line -> line.matches(".*ERROR [0-9]+ .*"))
                            .count())
                    .isEqualTo(scenario.steps().stream()
                            .filter(step -> step.fails() && !statement(step).isEmpty())
                            .count());
            assertThat(seen).anyMatch(line -> line.startsWith("Warning (Code 1265)"));
            assertThat(matrix.fannedOut())
                    .matches(scenario.fanOuts(Set.of("query", "stream"), Set.of("args", "prepared")));
        }
    }

    private static List<String> statements(ClientScenario scenario) {
        return scenario.steps().stream()
                .map(ClientToolsIT::statement)
                .filter(sql -> !sql.isEmpty())
                .toList();
    }

    /** The step as SQL, or "" where it is none. */
    private static String statement(ClientScenario.Step step) {
        String rest = step.line().substring(step.line().indexOf(' ') + 1);
        return switch (step.verb()) {
            // the client itself would look for the end of the string
            case "query", "stream" -> rest.contains("'unended") ? "" : rest;
            case "begin", "commit", "rollback" -> step.verb();
            case "use" -> "USE " + rest;
            default -> "";
        };
    }

    @AllServers
    void dumpsAreTheSame(TestServer server) throws Exception {
        String dump = ClientProgram.onPath("mariadb-dump");
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            for (String options : List.of("", "--single-transaction", "--skip-lock-tables --skip-extended-insert")) {
                Run run = port -> ClientProgram.shell(
                        "dump-" + server.kind(),
                        "%s %s --skip-comments --routines %s %s"
                                .formatted(dump, login(server, port), options, ClientMatrix.DATABASE));
                assertThat(same(matrix, run))
                        .anyMatch(line -> line.startsWith("CREATE TABLE `visits`"))
                        .anyMatch(line -> line.startsWith("INSERT INTO `visits`"))
                        .anyMatch(line -> line.contains("PROCEDURE `two_results`"));
                assertThat(matrix.fannedOut()).isEmpty();
            }
        }
    }

    /** LOAD DATA LOCAL, which has the client send a file in the middle of a command. */
    @AllServers
    void importsAreTheSame(TestServer server) throws Exception {
        String mariadb = ClientProgram.onPath("mariadb");
        String mariadbImport = ClientProgram.onPath("mariadb-import");
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 50_000; i++) {
            rows.append(i).append('\t').append(i * 7 % 1000).append('\n');
        }
        Path file = Files.writeString(folder.resolve("plain.txt"), rows);
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            Run run = port -> ClientProgram.shell(
                    "import-" + server.kind(),
                    "%1$s %3$s --local --replace --verbose %4$s %5$s && %2$s %3$s -e 'SELECT COUNT(*), SUM(n) FROM plain' %4$s"
                            .formatted(mariadbImport, mariadb, login(server, port), ClientMatrix.DATABASE, file));
            assertThat(same(matrix, run)).contains("50000\t24975000");
        }
    }

    @AllServers
    void checksAreTheSame(TestServer server) throws Exception {
        String check = ClientProgram.onPath("mariadb-check");
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            for (String what : List.of("--check", "--analyze", "--optimize")) {
                Run run = port -> ClientProgram.shell(
                        "check-" + server.kind(),
                        "%s %s %s %s".formatted(check, login(server, port), what, ClientMatrix.DATABASE));
                assertThat(same(matrix, run))
                        .anyMatch(line -> line.startsWith(ClientMatrix.DATABASE + ".sales"))
                        .anyMatch(line -> line.matches("(.* |status +: )OK"));
            }
        }
    }

    /** Several connections at once; each of their statements is split. */
    @AllServers
    void slapsAreSplit(TestServer server) throws Exception {
        String slap = ClientProgram.onPath("mariadb-slap");
        String sql = "SELECT region, SUM(amount) FROM sales GROUP BY region ORDER BY region";
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            Run run = port -> ClientProgram.shell(
                    "slap-" + server.kind(),
                    "%s %s --create-schema=%s --no-drop --query=\"%s\" --concurrency=3 --number-of-queries=60 | grep -v seconds"
                            .formatted(slap, login(server, port), ClientMatrix.DATABASE, sql));
            assertThat(same(matrix, run)).anyMatch(line -> line.matches("\\s*Number of clients running queries: 3"));
            assertThat(matrix.fannedOut()).isEqualTo("4 ".repeat(60));
        }
    }

    @AllServers
    void sysbenchDoesTheSame(TestServer server) throws Exception {
        String sysbench = ClientProgram.onPath("sysbench");
        Pattern counts =
                Pattern.compile(" *(read|write|other|total|transactions|queries|ignored errors|reconnects):.*");
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            Run run = port -> {
                String call = sysbench + " oltp_read_write --db-driver=mysql --mysql-ssl=off --mysql-host=127.0.0.1"
                        + " --mysql-port=" + port + " --mysql-user=" + server.adminUser() + " --mysql-password="
                        + server.adminPassword() + " --mysql-db=" + ClientMatrix.DATABASE
                        + " --tables=1 --table-size=500 --events=50 --time=0 --rand-seed=7 ";
                List<String> seen = ClientProgram.shell(
                        "sysbench-" + server.kind(),
                        call + "prepare && " + call + "run && " + call + "--db-ps-mode=disable run && " + call
                                + "cleanup");
                return seen.stream()
                        .filter(line -> counts.matcher(line).matches())
                        .map(line -> line.replaceAll("\\(.*", "").strip())
                        .toList();
            };
            assertThat(same(matrix, run))
                    .filteredOn(line -> line.matches("transactions: +50"))
                    .hasSize(2);
        }
    }

    /** The tests that go-sql-driver/mysql has for itself. */
    @AllServers
    void testsOfTheGoDriverEndTheSame(TestServer server) throws Exception {
        Path go = ClientProgram.installed("go");
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            Run run = port -> {
                try (WireConnection admin = matrix.proxy().direct()) {
                    admin.execute("DROP DATABASE IF EXISTS " + GO_TESTS);
                    admin.execute("CREATE DATABASE " + GO_TESTS);
                }
                List<String> seen = ClientProgram.shell(
                        "go-tests-" + server.kind(),
                        "cd '%s' && MYSQL_TEST_USER='%s' MYSQL_TEST_PASS='%s' MYSQL_TEST_ADDR=127.0.0.1:%d MYSQL_TEST_DBNAME=%s"
                                        .formatted(
                                                go.resolve("driver"),
                                                server.adminUser(),
                                                server.adminPassword(),
                                                port,
                                                GO_TESTS)
                                + " ../driver-tests -test.v -test.timeout=100s -test.skip='" + NO_GO_TESTS
                                + "' 2>&1 || true");
                return seen.stream()
                        .filter(line -> line.strip().startsWith("--- "))
                        // MariaDB itself loses long packets of compressing clients; through the proxy nobody compresses
                        .filter(line -> !line.contains("TestLongData"))
                        .map(line -> line.replaceAll(" \\([0-9.]+s\\)$", ""))
                        .sorted()
                        .toList();
            };
            assertThat(same(matrix, run))
                    .filteredOn(line -> line.contains("--- PASS: "))
                    .hasSizeGreaterThan(300)
                    .contains("--- PASS: TestCRUD", "--- PASS: TestLoadData", "--- PASS: TestContextCancelQuery");
        }
    }

    /** Something that is run on a port of this machine, and what it shows. */
    private interface Run {
        List<String> on(int port) throws Exception;
    }

    /** Runs it straight on the server and through the proxy, on the same tables; returns what was seen both times. */
    private static List<String> same(ClientMatrix matrix, Run run) throws Exception {
        matrix.createTables();
        List<String> direct = timeless(run.on(matrix.proxy().server().port()));
        matrix.createTables();
        matrix.proxy().forget();
        List<String> proxied = timeless(run.on(matrix.proxy().port()));
        assertThat(proxied).as("what was seen through the proxy").containsExactlyElementsOf(direct);
        return proxied;
    }

    private static List<String> timeless(List<String> lines) {
        List<String> kept = new ArrayList<>();
        for (String line : lines) {
            kept.add(line.replaceAll("\\([0-9.]+ (sec|min [0-9.]+ sec)\\)", "()"));
        }
        return kept;
    }

    private static String login(TestServer server, int port) {
        return "--skip-ssl --host=127.0.0.1 --port=%d --user='%s' --password='%s'"
                .formatted(port, server.adminUser(), server.adminPassword());
    }
}

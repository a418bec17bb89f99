package io.fanfold.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.it.support.client.ClientMatrix;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.client.ClientScenario;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Command-line tools see the same through the proxy as direct on the server: without encryption, and with TLS through a
 * proxy that requires it.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the tools are Debian's")
class ClientToolsIT {
    @TempDir
    private Path folder;

    /** Statements in a file, with the client's output for each. */
    @AllServers
    void mariaDbReadsAFile(TestServer server) throws Exception {
        String mariadb = ClientProgram.onPath("mariadb");
        ClientScenario scenario = ClientScenario.read(ClientMatrix.DATABASE);
        Path file = Files.writeString(folder.resolve("scenario.sql"), String.join(";\n", statements(scenario)) + ";\n");
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            Run run = way -> ClientProgram.shell(
                    "mariadb-" + server.kind(),
                    "%s %s --default-character-set=utf8mb4 --force --unbuffered -vvv --table --show-warnings %s < %s 2>&1 || true"
                            .formatted(mariadb, login(server, way), ClientMatrix.DATABASE, file));
            Seen seen = same(matrix, run);
            assertThat(seen.lines().stream()
                            .filter(line -> line.matches(".*ERROR [0-9]+ .*"))
                            .count())
                    .isEqualTo(scenario.steps().stream()
                            .filter(step -> step.fails() && !statement(step).isEmpty())
                            .count());
            assertThat(seen.lines()).anyMatch(line -> line.startsWith("Warning (Code 1265)"));
            assertThat(seen.fannedOut())
                    .matches(scenario.fanOuts(Set.of("query", "stream"), Set.of("args", "prepared")));
        }
    }

    private static List<String> statements(ClientScenario scenario) {
        return scenario.steps().stream()
                .map(ClientToolsIT::statement)
                .filter(sql -> !sql.isEmpty())
                .toList();
    }

    /** Returns the step as SQL, or "" if it is not a statement. */
    private static String statement(ClientScenario.Step step) {
        String rest = step.line().substring(step.line().indexOf(' ') + 1);
        return switch (step.verb()) {
            // the client itself would wait for the end of the string
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
                Run run = way -> ClientProgram.shell(
                        "dump-" + server.kind(),
                        "%s %s --skip-comments --routines %s %s"
                                .formatted(dump, login(server, way), options, ClientMatrix.DATABASE));
                Seen seen = same(matrix, run);
                assertThat(seen.lines())
                        .anyMatch(line -> line.startsWith("CREATE TABLE `visits`"))
                        .anyMatch(line -> line.startsWith("INSERT INTO `visits`"))
                        .anyMatch(line -> line.contains("PROCEDURE `two_results`"));
                assertThat(seen.fannedOut()).isEmpty();
            }
        }
    }

    /** LOAD DATA LOCAL: the client sends a file in the middle of a command. */
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
            Run run = way -> ClientProgram.shell(
                    "import-" + server.kind(),
                    "%1$s %3$s --local --replace --verbose %4$s %5$s && %2$s %3$s -e 'SELECT COUNT(*), SUM(n) FROM plain' %4$s"
                            .formatted(mariadbImport, mariadb, login(server, way), ClientMatrix.DATABASE, file));
            assertThat(same(matrix, run).lines()).contains("50000\t24975000");
        }
    }

    @AllServers
    void checksAreTheSame(TestServer server) throws Exception {
        String check = ClientProgram.onPath("mariadb-check");
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            for (String what : List.of("--check", "--analyze", "--optimize")) {
                Run run = way -> ClientProgram.shell(
                        "check-" + server.kind(),
                        "%s %s %s %s".formatted(check, login(server, way), what, ClientMatrix.DATABASE));
                assertThat(same(matrix, run).lines())
                        .anyMatch(line -> line.startsWith(ClientMatrix.DATABASE + ".sales"))
                        .anyMatch(line -> line.matches("(.* |status +: )OK"));
            }
        }
    }

    /** Several connections at once. All their statements are split. */
    @AllServers
    void slapsAreSplit(TestServer server) throws Exception {
        String slap = ClientProgram.onPath("mariadb-slap");
        String sql = "SELECT region, SUM(amount) FROM sales GROUP BY region ORDER BY region";
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            Run run = way -> ClientProgram.shell(
                    "slap-" + server.kind(),
                    "%s %s --create-schema=%s --no-drop --query=\"%s\" --concurrency=3 --number-of-queries=60 | grep -v seconds"
                            .formatted(slap, login(server, way), ClientMatrix.DATABASE, sql));
            Seen seen = same(matrix, run);
            assertThat(seen.lines()).anyMatch(line -> line.matches("\\s*Number of clients running queries: 3"));
            assertThat(seen.fannedOut()).isEqualTo("4 ".repeat(60));
        }
    }

    @AllServers
    void sysbenchDoesTheSame(TestServer server) throws Exception {
        String sysbench = ClientProgram.onPath("sysbench");
        Pattern counts =
                Pattern.compile(" *(read|write|other|total|transactions|queries|ignored errors|reconnects):.*");
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            Run run = way -> {
                String call = "cd '" + certificates(way) + "' && " + sysbench + " oltp_read_write --db-driver=mysql"
                        + " --mysql-ssl=" + (way.certificate() == null ? "off" : "on") + " --mysql-host=127.0.0.1"
                        + " --mysql-port=" + way.port() + " --mysql-user=" + server.adminUser() + " --mysql-password="
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
            assertThat(same(matrix, run).lines())
                    .filteredOn(line -> line.matches("transactions: +50"))
                    .hasSize(2);
        }
    }

    /**
     * A route to the server.
     *
     * @param port a port of this machine
     * @param certificate the certificate of the listener; null if connections are not encrypted
     */
    private record Way(int port, @Nullable Path certificate) {}

    private interface Run {
        List<String> on(Way way) throws Exception;
    }

    /** The reproducible output, and the partitions of each fan-out. */
    private record Seen(List<String> lines, String fannedOut) {}

    /** Runs the tool direct on the server and through each proxy, on the same tables. */
    private static Seen same(ClientMatrix matrix, Run run) throws Exception {
        matrix.createTables();
        List<String> direct = timeless(run.on(new Way(matrix.proxy().server().port(), null)));
        String inClear = same(matrix, run, matrix.proxy(), null, direct);
        String encrypted = same(matrix, run, matrix.encrypted(), matrix.certificate(), direct);
        assertThat(encrypted).as("what was fanned out with TLS").isEqualTo(inClear);
        return new Seen(direct, inClear);
    }

    private static String same(
            ClientMatrix matrix, Run run, ProxiedServer through, @Nullable Path certificate, List<String> direct)
            throws Exception {
        matrix.createTables();
        through.forget();
        List<String> proxied = timeless(run.on(new Way(through.port(), certificate)));
        assertThat(proxied)
                .as("what was seen through the proxy, %s", certificate == null ? "in clear" : "with TLS")
                .containsExactlyElementsOf(direct);
        return ClientMatrix.fannedOut(through);
    }

    private static List<String> timeless(List<String> lines) {
        List<String> kept = new ArrayList<>();
        for (String line : lines) {
            kept.add(line.replaceAll("\\([0-9.]+ (sec|min [0-9.]+ sec)\\)", "()"));
        }
        return kept;
    }

    private static String login(TestServer server, Way way) {
        return "%s --host=127.0.0.1 --port=%d --user='%s' --password='%s'"
                .formatted(
                        way.certificate() == null ? "--skip-ssl" : "--ssl --ssl-ca='" + way.certificate() + "'",
                        way.port(),
                        server.adminUser(),
                        server.adminPassword());
    }

    /**
     * Creates a working folder with the files that sysbench reads. It always needs a client certificate, even if the
     * server requests none.
     */
    private Path certificates(Way way) throws IOException {
        Path certificate = way.certificate();
        if (certificate != null) {
            Files.copy(certificate, folder.resolve("cacert.pem"));
            Files.copy(certificate, folder.resolve("client-cert.pem"));
            Files.copy(certificate.resolveSibling("server-key.pem"), folder.resolve("client-key.pem"));
        }
        return folder;
    }
}

package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.config.ConfigLoader;
import io.fanfold.execute.PlanFault;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** {@code fanfold verify}. */
class VerifyCommandIT {
    @TempDir
    private Path folder;

    private static void prepare(TestServer server) throws Exception {
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            for (String sql : List.of(
                    "DROP DATABASE IF EXISTS it_both_ways",
                    "CREATE DATABASE it_both_ways",
                    "CREATE TABLE it_both_ways.both_ways (id INT PRIMARY KEY, v INT) ENGINE=InnoDB"
                            + " PARTITION BY HASH (id) PARTITIONS 3",
                    "INSERT INTO it_both_ways.both_ways VALUES (1, 1), (2, 2), (3, 3), (4, 1)",
                    "DROP USER IF EXISTS both_worker",
                    "CREATE USER both_worker IDENTIFIED BY 'w'",
                    "GRANT SELECT, LOCK TABLES ON it_both_ways.* TO both_worker")) {
                admin.execute(sql);
            }
        }
    }

    private CommandRun verify(TestServer server, String statements) throws Exception {
        return verify(server, "{}", statements);
    }

    /** @param settings the text of the settings' file */
    private CommandRun verify(TestServer server, String settings, String statements) throws Exception {
        Path config = Files.writeString(folder.resolve("fanfold.yaml"), settings);
        Path file = Files.writeString(folder.resolve("reports.sql"), statements);
        return CommandRun.of(
                Map.of(ConfigLoader.PASSWORD_VARIABLE, "w"),
                "verify",
                "--config",
                config.toString(),
                "--backend",
                server.host() + ":" + server.port(),
                "--worker-user",
                "both_worker",
                "--database",
                "it_both_ways",
                file.toString());
    }

    @AllServers
    void runsTheStatementsOfAFileBothWays(TestServer server) throws Exception {
        prepare(server);
        CommandRun run = verify(server, """
                        SELECT v, COUNT(*) FROM both_ways WHERE id > 0 GROUP BY v;
                        SELECT SUM(@a := v) FROM both_ways;
                        SELECT COUNT(*) FROM gone;
                        DELETE FROM both_ways;
                        """);
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        List<String> lines = run.out().lines().toList();
        assertThat(lines.get(2))
                .startsWith("same ")
                .matches(".* [0-9.]+ ms +[0-9.]+ ms  .*")
                .endsWith("  SELECT v, COUNT(*) FROM both_ways WHERE id > 0 GROUP BY v");
        assertThat(lines.get(3)).startsWith("user_variable ").endsWith("  SELECT SUM(@a := v) FROM both_ways");
        assertThat(lines.get(4)).startsWith("error 114").endsWith("  SELECT COUNT(*) FROM gone");
        assertThat(lines.get(5)).isEqualTo("3 statements, 1 split, 0 with different answers");
        assertThat(lines).hasSize(6);
    }

    @AllServers
    void tablesWithSettingsOfTheirOwnAreVerifiedToo(TestServer server) throws Exception {
        prepare(server);
        CommandRun run = verify(
                server,
                "tables: {it_both_ways.both_ways: {min-rows: 1000000, verify-share: '0%'}}\n",
                "SELECT v, COUNT(*) FROM both_ways WHERE id > 0 GROUP BY v;");
        assertThat(run.out()).contains("\nsame ").endsWith("1 statements, 1 split, 0 with different answers\n");
        assertThat(run.code()).isZero();
    }

    @AllServers
    void aDifferentAnswerIsAFailure(TestServer server) throws Exception {
        prepare(server);
        try (PlanFault wrong = PlanFault.of("both_ways", PlanFault.tail(tail -> tail.with("v > 1", tail.rest())))) {
            CommandRun run = verify(server, "SELECT v, COUNT(*) FROM both_ways WHERE id > 0 GROUP BY v");
            assertThat(run.out())
                    .contains("\ndifferent ")
                    .endsWith("1 statements, 1 split, 1 with different answers\n");
            assertThat(run.code()).isEqualTo(3);
        }
    }

    @AllServers
    void saysWhatIsWrong(TestServer server) throws Exception {
        prepare(server);
        CommandRun run = CommandRun.of(
                Map.of(ConfigLoader.PASSWORD_VARIABLE, "w"),
                "verify",
                "--backend",
                server.host() + ":" + server.port(),
                "--worker-user",
                "both_worker",
                folder.resolve("none.sql").toString());
        assertThat(run.err()).endsWith("none.sql: there is no such file\n");
        assertThat(run.code()).isEqualTo(1);
    }
}

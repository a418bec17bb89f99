package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.config.ConfigLoader;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code fanfold explain}. */
class ExplainCommandIT {
    private static final String SPLIT = "SELECT v, COUNT(*) FROM t WHERE id > 0 GROUP BY v";
    private static final Map<String, String> PASSWORDS =
            Map.of(ConfigLoader.PASSWORD_VARIABLE, "w", ServerAccess.PASSWORD_VARIABLE, "u");

    @TempDir
    private Path folder;

    private void prepare(TestServer server) throws Exception {
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            for (String sql : List.of(
                    "DROP DATABASE IF EXISTS it_shell",
                    "CREATE DATABASE it_shell",
                    "CREATE TABLE it_shell.t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3",
                    "INSERT INTO it_shell.t VALUES (1, 1), (2, 2), (3, 3)",
                    "DROP USER IF EXISTS shell_worker",
                    "CREATE USER shell_worker IDENTIFIED BY 'w'",
                    "GRANT SELECT, LOCK TABLES ON it_shell.* TO shell_worker",
                    "DROP USER IF EXISTS shell_user",
                    "CREATE USER shell_user IDENTIFIED BY 'u'",
                    "GRANT SELECT (id) ON it_shell.t TO shell_user")) {
                admin.execute(sql);
            }
        }
    }

    private CommandRun explain(TestServer server, String... arguments) throws Exception {
        Path settings = Files.writeString(
                folder.resolve("fanfold.yaml"), "fan-out: {min-rows: 0, degree: 2, key-ranges: off}\n");
        return CommandRun.of(
                PASSWORDS,
                List.of("explain", "--config", settings.toString(), "--backend", server.host() + ":" + server.port()),
                arguments);
    }

    @AllServers
    void explainsAsTheWorkerAccountOrAsAUser(TestServer server) throws Exception {
        prepare(server);
        CommandRun split = explain(server, "--worker-user", "shell_worker", "--database", "it_shell", SPLIT);
        assertThat(split.err()).isEmpty();
        assertThat(split.code()).isZero();
        assertThat(split.out())
                .startsWith("decision        split\nworkers         2\nsnapshot        ")
                .contains("partitions      3 of 3 of it_shell.t, in 3 queries: p0, p1, p2\n")
                .contains("partition       SELECT v, COUNT(*) FROM t PARTITION (`p");

        CommandRun denied = explain(
                server, "--worker-user", "shell_worker", "--user", "shell_user", "--database", "it_shell", SPLIT);
        assertThat(denied.err()).startsWith("fanfold: error 1143 (42000): ").contains("'v'");
        assertThat(denied.code()).isEqualTo(1);

        CommandRun passed = explain(
                server,
                "--worker-user",
                "shell_worker",
                "--user",
                "shell_user",
                "SELECT MAX(@a := id) FROM it_shell.t;");
        assertThat(passed.out()).isEqualTo("""
                decision  passed through
                reason    user_variable
                because   the statement uses a user variable or a system variable
                found     a variable at character 12
                """);
        assertThat(passed.code()).isZero();
    }

    @AllServers
    void saysWhatIsWrong(TestServer server) throws Exception {
        prepare(server);
        assertThat(explain(server, "--worker-user", "shell_worker", "SELECT FROM it_shell.t WHERE")
                        .err())
                .startsWith("fanfold: error 1064 (42000): ");
        assertThat(explain(server, "--worker-user", "shell_worker", "SELEC 1").err())
                .startsWith("fanfold: error 1064 (42000): ");
        assertThat(explain(server, "--worker-user", "shell_worker", "SELECT COUNT(*) FROM it_shell.gone")
                        .err())
                .matches("fanfold: error (1146|1142) \\(42.*\n");
        assertThat(explain(server, "--worker-user", "shell_worker", "SELECT COUNT(*) FROM it_shell.t WHERE id = ?")
                        .err())
                .startsWith("fanfold: the statement has parameters (expected: values in their place)");
        assertThat(explain(server, "--worker-user", "shell_worker", "--database", "it_nowhere", SPLIT)
                        .err())
                .matches("fanfold: error (1049|1044) \\(42000\\): .*\n");

        CommandRun wrongPassword = CommandRun.of(
                Map.of(ConfigLoader.PASSWORD_VARIABLE, "wrong"),
                "explain",
                "--backend",
                server.host() + ":" + server.port(),
                "--worker-user",
                "shell_worker",
                SPLIT);
        assertThat(wrongPassword.err())
                .startsWith("fanfold: the worker account shell_worker cannot log in at " + server.host() + ":"
                        + server.port() + ": error 1045 Access denied")
                .contains("To change that: check the password");
        assertThat(wrongPassword.code()).isEqualTo(1);

        CommandRun oneAccount = CommandRun.of(
                Map.of(ConfigLoader.PASSWORD_VARIABLE, "w"),
                "explain",
                "--backend",
                server.host() + ":" + server.port(),
                "--user",
                "shell_worker",
                SPLIT.replace(" t", " it_shell.t"));
        assertThat(oneAccount.err()).as("either variable has its password").isEmpty();
        assertThat(oneAccount.code()).isZero();

        CommandRun wrongUser = explain(
                server, "--worker-user", "shell_worker", "--user", "shell_nobody", "--database", "it_shell", SPLIT);
        assertThat(wrongUser.err()).startsWith("fanfold: error 1045 (28000): Access denied for user 'shell_nobody'");
        assertThat(wrongUser.code()).isEqualTo(1);
    }

    /** A proxy with these settings may be running. */
    @AllServers
    void doesWithoutTheHttpPortOfTheSettings(TestServer server) throws Exception {
        prepare(server);
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path settings = Files.writeString(
                    folder.resolve("running.yaml"),
                    "workers: {user: shell_worker}\nhttp: {enabled: true, port: " + taken.getLocalPort() + "}\n");
            CommandRun run = CommandRun.of(
                    PASSWORDS,
                    "explain",
                    "--config",
                    settings.toString(),
                    "--backend",
                    server.host() + ":" + server.port(),
                    "--database",
                    "it_shell",
                    SPLIT);
            assertThat(run.err()).isEmpty();
            assertThat(run.code()).isZero();
        }
    }

    @AllServers
    void saysThatNoTableIsPartitioned(TestServer server) throws Exception {
        prepare(server);
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            admin.execute("ALTER TABLE it_shell.t REMOVE PARTITIONING");
        }
        CommandRun run = explain(server, "--worker-user", "shell_worker", "--database", "it_shell", SPLIT);
        assertThat(run.code()).isZero();
        assertThat(run.out())
                .contains("reason    no_partitioned_table\n")
                .contains("BLOCKED 'shell_worker'@'%' can read no partitioned or large table")
                .contains(
                        "        to change that: ALTER TABLE your_schema.your_table PARTITION BY KEY () PARTITIONS 8;");
    }

    @Test
    void aWrongAddressIsNamed() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        CommandRun run = CommandRun.of(
                PASSWORDS, "explain", "--backend", "127.0.0.1:" + port, "--worker-user", "shell_worker", SPLIT);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("fanfold: the server at 127.0.0.1:" + port + " cannot be reached: connection refused");
    }
}

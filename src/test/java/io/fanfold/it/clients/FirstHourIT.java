package io.fanfold.it.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.testcontainers.containers.GenericContainer;

/**
 * The quick start in README.md, command by command, on servers as Debian installs them: no server setting is changed.
 * Clients have their default settings, and the first report is split.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the clients are installed by a script for Linux")
class FirstHourIT {
    private static final String REPORT =
            "SELECT status, COUNT(*), SUM(amount) FROM orders GROUP BY status ORDER BY status";

    /** Without the hint, Fanfold times such a short report without a split first. */
    private static final String AGAIN = REPORT.replace("SELECT", "SELECT /*+ PARALLEL */");

    /** In the order of README's commands. */
    private static final Pattern START = Pattern.compile(
            "In front of a server of yours:\\n\\n```sh\\n(mariadb .*)\\n(export .*)\\n(\\./fanfold run .*?) *#.*\\n(mariadb .*?) *#.*\\n```");

    /**
     * A server.
     *
     * @param options changed settings
     * @param proof the proof that its snapshots are equal
     */
    private record Installed(String title, ServerName name, String proof, String... options) {
        @Override
        public String toString() {
            return title;
        }
    }

    @TempDir
    private Path folder;

    static Stream<Installed> servers() {
        return Stream.of(
                new Installed("MariaDB as installed", ServerName.MARIADB_WITH_PLUGINS, "locked"),
                new Installed("MySQL as installed", ServerName.MYSQL, "verified"),
                new Installed(
                        "MySQL without GTIDs",
                        ServerName.MYSQL,
                        "locked",
                        "--gtid-mode=OFF",
                        "--enforce-gtid-consistency=OFF"));
    }

    @ParameterizedTest
    @MethodSource("servers")
    void firstReportIsSplit(Installed installed) throws Exception {
        ClientProgram.onPath("mariadb");
        Path python = ClientProgram.installed("python").resolve("bin/python");
        try (GenericContainer<?> container = ContainerServers.asInstalled(installed.name(), installed.options())) {
            TestServer server = ContainerServers.start(installed.name(), container);
            List<String> direct = create(server);
            int port = freePort();
            Path log = folder.resolve("fanfold.log");
            List<String> commands = commands(server, port);
            shell("account", commands.get(0));
            Process proxy = new ProcessBuilder("bash", "-c", commands.get(1) + "; exec " + commands.get(2))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            try {
                await().atMost(Duration.ofMinutes(2))
                        .until(() -> !proxy.isAlive() || Files.readString(log).contains("proof of equal snapshots"));
                assertThat(shell("report", commands.get(3))).isEqualTo(direct);
                assertThat(fannedOut(log)).singleElement().asString().contains("snapshot " + installed.proof());
                assertThat(pyMySql(python, port)).isEqualTo(direct);
                assertThat(fannedOut(log)).hasSize(2);
                assertThat(Files.readString(log)).doesNotContain("WARN", "ERROR");
            } finally {
                proxy.destroy();
                proxy.waitFor();
            }
            assertThat(proxy.exitValue()).as("status after SIGTERM").isZero();
        }
    }

    private static List<String> fannedOut(Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .filter(line -> line.contains("fanned out"))
                .toList();
    }

    /** Returns README's commands for this server. Passwords and prompts are filled in. */
    private static List<String> commands(TestServer server, int port) throws IOException {
        Matcher matcher = START.matcher(Files.readString(Path.of("README.md")));
        assertThat(matcher.find()).as("the start in README.md").isTrue();
        String host = server.host().equals("localhost") ? "127.0.0.1" : server.host();
        List<String> commands = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            commands.add(matcher.group(i)
                    .replace("db.example:3306", host + ":" + server.port())
                    .replace("-h db.example", "-h " + host + " -P " + server.port())
                    .replace("-u root -p", "-u root -p" + server.adminPassword())
                    .replace("-P 3307", "-P " + port));
        }
        assertThat(commands.get(2)).contains("--backend " + host + ":" + server.port());
        assertThat(commands.get(3)).endsWith("-u me -p shop");
        commands.set(2, commands.get(2) + " --listen 127.0.0.1:" + port);
        commands.set(3, commands.get(3).replace("-p shop", "-pmine shop") + " -N -e '" + REPORT + "'");
        return commands;
    }

    private static List<String> shell(String name, String command) throws Exception {
        return ClientProgram.shell("first-hour-" + name, command);
    }

    private static List<String> pyMySql(Path python, int port) throws Exception {
        String program = "import pymysql\n"
                + "connection = pymysql.connect(host='127.0.0.1', port=" + port + ", user='me', password='mine',"
                + " database='shop', autocommit=True)\n"
                + "cursor = connection.cursor()\n"
                + "cursor.execute('" + AGAIN + "')\n"
                + "for row in cursor.fetchall():\n"
                + "    print('\\t'.join(str(value) for value in row))\n";
        return ClientProgram.run("first-hour-pymysql", List.of(python.toString(), "-c", program));
    }

    /** Creates the table of a server's user, and returns the expected report, line by line. */
    private static List<String> create(TestServer server) throws Exception {
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            admin.execute("CREATE DATABASE shop");
            admin.execute("CREATE USER me IDENTIFIED BY 'mine'");
            admin.execute("GRANT ALL ON shop.* TO me");
            admin.execute("USE shop");
            admin.execute("CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, status INT NOT NULL,"
                    + " amount DECIMAL(10,2) NOT NULL) PARTITION BY HASH (id) PARTITIONS 8");
            admin.execute("INSERT INTO orders (status, amount) VALUES (1, 10.25), (2, 20.50), (3, 7)");
            for (int doubled = 0; doubled < 16; doubled++) {
                admin.execute("INSERT INTO orders (status, amount) SELECT status, amount + 1 FROM orders");
            }
            admin.query("ANALYZE TABLE orders");
            return admin.query(REPORT).rows().stream()
                    .map(row -> row.ascii(0) + "\t" + row.ascii(1) + "\t" + row.ascii(2))
                    .toList();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return reserved.getLocalPort();
        }
    }
}

package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.config.ConfigLoader;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The release archive, unpacked in a folder whose name has a blank, and its systemd unit. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "systemd is for Linux")
class ArchiveIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_archive", admin -> {
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
        admin.execute("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)");
    });

    private static final String SPLIT = "SELECT /*+ PARALLEL(3) */ SUM(v) FROM it_archive.t";

    @TempDir
    private Path folder;

    private Path archive = Path.of("");
    private Path home = Path.of("");

    @BeforeEach
    void unpack() throws Exception {
        String named = System.getProperty("fanfold.archive", "");
        ClientProgram.require("the archive '" + named + "', which ./mvnw verify builds,", List.of("test", "-f", named));
        archive = Path.of(named);
        Path target = Files.createDirectory(folder.resolve("a folder"));
        ClientProgram.run("archive-unpack", List.of("tar", "-xzf", archive.toString(), "-C", target.toString()));
        try (Stream<Path> unpacked = Files.list(target)) {
            home = unpacked.toList().get(0);
        }
    }

    @Test
    void holdsWhatAnInstallationNeeds() {
        assertThat(archive.getFileName()).hasToString(home.getFileName() + ".tar.gz");
        assertThat(List.of(
                        "lib/fanfold.jar",
                        "config/fanfold.yaml",
                        "config/starter.yaml",
                        "config/systemd/fanfold.service",
                        "docs/operations.md",
                        "docs/first-day.md",
                        "docker/prometheus/alerts.yml",
                        "docker/grafana/dashboards/fanfold.json",
                        "LICENSE",
                        "README.md",
                        "CHANGELOG.md"))
                .allMatch(file -> Files.isRegularFile(home.resolve(file)));
    }

    /** Two builds give the same bytes only if no entry tells when, where or by whom it was built. */
    @Test
    void tellsNeitherTimeNorBuilder() throws Exception {
        List<String> entries = ClientProgram.run(
                "archive-entries",
                List.of("env", "TZ=UTC", "tar", "--numeric-owner", "--full-time", "-tvzf", archive.toString()));
        assertThat(entries)
                .hasSizeGreaterThan(10)
                .allMatch(
                        entry -> entry.matches("(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) 0/0 +\\d+ 2026-01-01 00:00:00 .*"));
        try (ZipFile jar = new ZipFile(home.resolve("lib/fanfold.jar").toFile())) {
            assertThat(jar.stream().filter(entry -> entry.getName().startsWith("io/fanfold/")))
                    .hasSizeGreaterThan(100)
                    .allMatch(entry -> entry.getTimeLocal().equals(LocalDateTime.of(2026, 1, 1, 0, 0)));
        }
    }

    @Test
    void saysItsVersion() throws Exception {
        assertThat(ClientProgram.run("archive-version", List.of(launcher(), "--version")))
                .containsExactly(home.getFileName().toString().replaceFirst("-", " "));
    }

    /** Runs without a variable of the environment but PATH, and by a link, as from /usr/local/bin. */
    @OnServers(ServerName.MARIADB)
    void splitsAStatement(TestServer server) throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("fanfold"), home.resolve("bin/fanfold"));
        try (Service service = start(server, List.of("env", "-i", "PATH=" + System.getenv("PATH")), link)) {
            service.awaitLog("proof of equal snapshots");
            service.asks(server);
            service.signal("TERM");
            assertThat(service.awaitExit()).isZero();
        }
    }

    @OnServers(ServerName.MARIADB)
    void tellsSystemdWhenItListensReloadsAndStops(TestServer server) throws Exception {
        ClientProgram.onPath("systemd-notify");
        Path socket = folder.resolve("notify");
        try (Service systemd = Service.of(
                folder.resolve("systemd"),
                List.of(ClientProgram.onPath("python3"), "src/test/clients/notify.py", socket.toString()))) {
            systemd.awaitLog("bound");
            try (Service service = start(
                    server, List.of("env", "--default-signal=HUP,TERM", "NOTIFY_SOCKET=" + socket), launcherPath())) {
                systemd.awaitLog("READY=1|STATUS=clients on 127.0.0.1:" + service.port + ", server at ");
                service.signal("HUP");
                await().until(() -> systemd.lines().contains("READY=1"));
                assertThat(systemd.lines()).containsSubsequence("RELOADING=1", "READY=1");
                service.asks(server);
                service.signal("TERM");
                assertThat(service.awaitExit()).isZero();
                systemd.awaitLog("STOPPING=1|EXTEND_TIMEOUT_USEC=80000000|STATUS=stopping; ");
                assertThat(service.log()).doesNotContain("WARN");
            }
        }
    }

    @Test
    void theUnitFitsTheArchive() throws Exception {
        String unit = Files.readString(home.resolve("config/systemd/fanfold.service"));
        assertThat(programs(unit))
                .singleElement()
                .satisfies(program -> assertThat(program).isExecutable());
        // systemd allows no blank in the path of a program
        Path plain = Files.createSymbolicLink(folder.resolve("opt"), home);
        Path installed = folder.resolve("fanfold.service");
        Files.writeString(installed, unit.replace("/opt/fanfold", plain.toString()));
        assertThat(verify(installed)).isEmpty();
        Files.writeString(installed, "\n[Service]\nNoNewPrivilege=yes\n", StandardOpenOption.APPEND);
        assertThat(verify(installed)).anyMatch(line -> line.contains("Unknown key"));
        assertThat(exposure(home.resolve("config/systemd/fanfold.service"))).isLessThan(2.5);
    }

    /** The programs of the archive that the unit starts. */
    private List<Path> programs(String unit) {
        return unit.lines()
                .filter(line -> line.startsWith("Exec") && line.contains("=/opt/fanfold/"))
                .map(line -> line.replaceFirst("^\\w+=/opt/fanfold/", "").replaceFirst(" .*", ""))
                .map(home::resolve)
                .toList();
    }

    private List<String> verify(Path unit) throws Exception {
        return ClientProgram.run(
                "archive-verify",
                List.of(
                        "sh",
                        "-c",
                        ClientProgram.onPath("systemd-analyze")
                                + " verify --man=no --recursive-errors=no \"$0\" 2>&1 || :",
                        unit.toString()));
    }

    /** What systemd thinks of the unit's restrictions: 0 is none that it lacks, 10 is a unit without any. */
    private static double exposure(Path unit) throws Exception {
        List<String> lines = ClientProgram.run(
                "archive-security", List.of("systemd-analyze", "security", "--offline=true", unit.toString()));
        String last = lines.get(lines.size() - 1);
        return Double.parseDouble(last.replaceFirst("^.*fanfold\\.service: ([0-9.]+) .*$", "$1"));
    }

    private Service start(TestServer server, List<String> prefix, Path launcher) throws Exception {
        // also creates the worker account
        DATABASE.compared(server, 2).close();
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path config = folder.resolve("the settings.yaml");
        Files.writeString(config, """
                listener: {port: %d}
                backend: {host: %s, port: %d}
                workers: {user: %s, password-file: worker-password}
                """.formatted(port, server.host(), server.port(), ProxiedServer.WORKER));
        Files.writeString(folder.resolve("worker-password"), ProxiedServer.WORKER_PASSWORD + "\n");
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of("JAVA_OPTS=-Xmx128m", launcher.toString(), "run", "--config", config.toString()));
        Service service = Service.of(folder.resolve("log"), command);
        service.port = port;
        return service;
    }

    private Path launcherPath() {
        return home.resolve("bin/fanfold");
    }

    private String launcher() {
        return launcherPath().toString();
    }

    /** A process that writes a log. */
    private static final class Service implements AutoCloseable {
        private final Process process;
        private final Path output;
        private int port;

        private Service(Process process, Path output) {
            this.process = process;
            this.output = output;
        }

        static Service of(Path output, List<String> command) throws IOException {
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().remove(ConfigLoader.PASSWORD_VARIABLE);
            return new Service(builder.start(), output);
        }

        List<String> lines() throws IOException {
            return Files.readAllLines(output);
        }

        String log() throws IOException {
            return Files.readString(output);
        }

        void awaitLog(String text) throws IOException {
            await().atMost(Duration.ofSeconds(60)).until(() -> !process.isAlive() || log().contains(text));
            assertThat(log()).contains(text);
        }

        /** Asks for the sum of a table, which is split. */
        void asks(TestServer server) throws Exception {
            try (WireConnection client =
                    ProxiedServer.connect("127.0.0.1", port, server.adminUser(), server.adminPassword())) {
                assertThat(client.query(SPLIT).rows()).hasToString("[6]");
            }
            awaitLog(" fanned out: 3 partitions");
        }

        void signal(String name) throws Exception {
            Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
            assertThat(kill.waitFor()).isZero();
        }

        int awaitExit() throws InterruptedException {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it has ended").isTrue();
            return process.exitValue();
        }

        @Override
        public void close() throws InterruptedException {
            process.destroy();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }
}

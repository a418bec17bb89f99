package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.ConfigLoader;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.config.Network;
import io.fanfold.config.Secret;
import io.fanfold.inspect.Inspection;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.metrics.VerifyReport;
import io.fanfold.server.ProxyFactory;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class MainTest {
    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<FanfoldConfig> started = new ArrayList<>();

    @Test
    void saysThatAGoodFileIsFine() throws IOException {
        Path file = write("workers:\n  user: fanfold\n");
        assertThat(execute("check-config", file.toString())).isZero();
        assertThat(out.toString())
                .isEqualTo(file + ": fine; clients on 127.0.0.1:3307, server at 127.0.0.1:3306,"
                        + " fan-out with account fanfold" + System.lineSeparator());
    }

    @Test
    void answersABadFileWithOneLineAndExitCodeTwo() throws IOException {
        Path file = write("workers:\n  connections: many\n");
        assertThat(execute("check-config", file.toString())).isEqualTo(2);
        assertThat(err.toString())
                .isEqualTo("fanfold: fanfold.yaml:2:16: workers.connections: 'many'"
                        + " (expected: a whole number 2..10000)" + System.lineSeparator());
    }

    @Test
    void answersEachMistakeOfAFileWithALineOfItsOwn() throws IOException {
        Path file = write("workers:\n  connections: many\ntables:\n  shop.orders: {degree: all}\n");
        for (String command : List.of("check-config", "run --config")) {
            assertThat(execute((command + " " + file).split(" "))).isEqualTo(2);
            assertThat(err.toString().lines())
                    .containsExactly(
                            "fanfold: fanfold.yaml:2:16: workers.connections: 'many' (expected: a whole number 2..10000)",
                            "fanfold: fanfold.yaml:4:25: tables.shop.orders.degree: 'all' (expected: a whole number"
                                    + " 1..1000)");
            err.getBuffer().setLength(0);
        }
        assertThat(started).isEmpty();
    }

    @Test
    void answersAFailedStartWithExitCodeOne() {
        assertThat(execute("run")).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("fanfold: port taken" + System.lineSeparator());
    }

    @Test
    void aBackendThatIsTheProxyItselfIsRefusedWithExitCodeTwo() {
        assertThat(execute(ProxyProcess::start, "run", "--listen", "0.0.0.0:3307", "--backend", "localhost:3307"))
                .isEqualTo(2);
        assertThat(err.toString())
                .isEqualTo("fanfold: backend localhost:3307 leads to Fanfold's own listener, 0.0.0.0:3307"
                        + " (expected: the address of a MySQL or MariaDB server)" + System.lineSeparator());
    }

    @Test
    void checkConfigReportsAMissingWorkerAccount() throws IOException {
        Path file = write("workers: {queue-wait: 0ms}\nfan-out: {degree: 100}\n");
        assertThat(execute("check-config", "--connect", file.toString())).isEqualTo(1);
        assertThat(out.toString())
                .contains(
                        "BLOCKED no worker account is configured",
                        "        to change that: CREATE USER 'fanfold'@'%' IDENTIFIED BY",
                        "advice  fan-out.degree 100 is more than workers.connections 32",
                        "advice  workers.queue-wait is 0",
                        "ok      memory: heap ",
                        "No statement can be split.");
    }

    @Test
    void checksThatTheServerIsThere() throws IOException {
        Path file = write("workers: {user: fanfold}\nbackend: {host: no-such-host.invalid}\n");
        assertThat(execute("check-config", "--connect", file.toString())).isEqualTo(1);
        assertThat(out.toString())
                .contains(
                        "BLOCKED the server at no-such-host.invalid:3306 cannot be reached: the host name is unknown");
    }

    @Test
    void checksThatTheServerIsAnother() throws IOException {
        Path file = write("backend: {port: 3307}\n");
        assertThat(execute("check-config", "--connect", file.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("backend 127.0.0.1:3307 leads to Fanfold's own listener");
    }

    @Test
    void runsWithTheDefaultsWhenNothingIsSaid() {
        execute("run");
        assertThat(started).containsExactly(FanfoldConfig.defaults());
    }

    @Test
    void theCommandLineWinsOverTheFile() throws IOException {
        Path file = write(
                "listener:\n  port: 1\n  backlog: 7\n  keep-alive: 8s\n  proxy-protocol-networks: [10.1.2.3]\nbackend:\n  host: db\n  keep-alive: 9s\nfan-out:\n  degree: 3\ntables:\n  a.b: {degree: 5}\n");
        execute("run", "--config", file.toString(), "--listen", "0.0.0.0:0", "--backend", "h:9", "--worker-user", "w");
        FanfoldConfig config = started.get(0);
        assertThat(config.listener())
                .isEqualTo(new ListenerConfig("0.0.0.0", 0, 7, Duration.ofSeconds(8))
                        .withProxyNetworks(List.of(Network.parse("10.1.2.3").orElseThrow()))
                        .withTls(ListenerTlsConfig.defaults())
                        .withCompression(ListenerConfig.ClientCompression.ON));
        assertThat(config.backend().host()).isEqualTo("h");
        assertThat(config.backend().port()).isEqualTo(9);
        assertThat(config.backend().keepAlive()).isEqualTo(Duration.ofSeconds(9));
        assertThat(config.workers().user()).isEqualTo("w");
        assertThat(config.workers().password()).isEqualTo(new Secret("pw"));
        assertThat(config.fanOut().degree()).isEqualTo(3);
        assertThat(config.tables().entries()).hasSize(1);
    }

    @Test
    void theHttpPortIsSwitchedOnByTheCommandLine() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "Zm9yIHRlc3RzIG9ubHk=\n");
        Path file = write("http: {host: 127.0.0.2, port: 99, token-file: token}\n");
        execute("run");
        execute("run", "--http", "--backend", "h:9");
        execute("run", "--config", file.toString(), "--http");
        execute("run", "--config", file.toString(), "--http", "0.0.0.0:0");
        assertThat(started)
                .extracting(config -> config.http().enabled() ? config.http().address() : "off")
                .containsExactly("off", "127.0.0.1:13380", "127.0.0.2:99", "0.0.0.0:0");
        assertThat(started.get(3).http().token().reveal())
                .isEqualTo(Files.readString(token).trim());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    rum                               | Unmatched argument
                    check-config                      | Missing required parameter: 'FILE'
                    run --listen 3307                 | '3307' (expected: host:port
                    run --http 13380                  | Invalid value for option '--http': '13380' (expected: host:port
                    run --http 0.0.0.0:80             | --http: '0.0.0.0' is not a loopback address, and there is neither a token nor a client CA
                    demo --scale 0                    | --scale 0 (expected: 0.0001..100)
                    demo --port 70000                 | --port 70000 (expected: 0..65535)
                    demo --degree 1                   | --degree 1 (expected: 2..1000)
                    demo --database a`b               | --database 'a`b' (expected: 1..64 letters
                    demo --server localhost:3306      | --server without --user
                    demo --user u                     | --user without --server
                    explain SELECT                    | no account is named (expected: --user or --worker-user
                    observe                           | no account is named (expected: --user or --worker-user
                    verify reports.sql                | no account is named (expected: --user or --worker-user
                    observe --groups 0                | --groups 0 (expected: 1..10000)
                    observe --top -1                  | --top -1 (expected: 0 or more)
                    observe --server-cores -1         | --server-cores -1 (expected: 0 or more)
                    """)
    void answersWrongUsageWithExitCodeTwo(String arguments, String message) {
        assertThat(execute(arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString()).contains(message);
        assertThat(started).isEmpty();
    }

    @Test
    void namesEveryCommandInItsHelp() {
        assertThat(execute("--help")).isZero();
        assertThat(out.toString())
                .contains("run", "reload", "check-config", "explain", "observe", "verify", "demo", "bench", "fuzz");
    }

    @Test
    void theHelpOfRunNamesDefaultsAnExampleAndTheDocumentation() {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        HostPort listener =
                new HostPort(defaults.listener().host(), defaults.listener().port());
        HostPort backend =
                new HostPort(defaults.backend().host(), defaults.backend().port());
        assertHelp("run", "(default: the file's listener, or " + listener + ")");
        assertHelp("run", "(default: the file's backend, or " + backend + ")");
        assertHelp("run", "(default: the file's http, or " + defaults.http().address() + ")");
        assertHelp("run", "Without a worker account (--worker-user, or workers.user in the file), nothing is split");
        assertHelp("run", "./fanfold run --backend db.example:3306 --worker-user fanfold");
        assertHelp("run", "Documentation: <source folder>/docs");
    }

    @Test
    void theHelpOfDemoNamesTheSizeOfTheDownload() {
        assertHelp("demo", "The first start downloads about 150 MB");
    }

    /** Compares without blanks, because the help is wrapped. */
    private void assertHelp(String command, String part) {
        assertThat(execute(command, "--help")).isZero();
        assertThat(out.toString().replaceAll("\\s", "")).contains(part.replace(" ", ""));
    }

    @Test
    void aBrokenProxyIsClosedAndEndsTheProcessWithAStatusOfItsOwn() {
        AtomicBoolean closed = new AtomicBoolean();
        RunningProxy broken = new RunningProxy() {
            @Override
            public int port() {
                return 3307;
            }

            @Override
            public Inspection inspection() {
                return new Inspection(List.of(), List.of(), true);
            }

            @Override
            public CompletableFuture<VerifyReport> lastVerification() {
                return new CompletableFuture<>();
            }

            @Override
            public FanOutReport lastFanOut() {
                return FanOutReport.NONE;
            }

            @Override
            public CompletableFuture<Void> broken() {
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public void close() {
                closed.set(true);
            }
        };
        assertThat(execute(config -> broken, "run")).isEqualTo(70);
        assertThat(closed).isTrue();
    }

    private int execute(String... arguments) {
        return execute(
                config -> {
                    started.add(config.get());
                    throw new IOException("port taken");
                },
                arguments);
    }

    private int execute(ProxyFactory proxies, String... arguments) {
        ConfigLoader loader = new ConfigLoader(Map.of(ConfigLoader.PASSWORD_VARIABLE, "pw")::get);
        CommandLine line = Main.commandLine(loader, proxies, endpoint -> {
            throw new IOException("no server");
        });
        return line.setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("fanfold.yaml"), text);
    }
}

package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.bench.BenchCommand;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.demo.DemoCommand;
import io.fanfold.demo.DemoQuery;
import io.fanfold.demo.SsbQueries;
import io.fanfold.demo.WireSqlClient;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.TestServers;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs demo and benchmark as a user does, but small: embedded server, proxy, tables and every query. */
class DemoIT {
    /** 120,000 rows of lineorder, more than the estimate below which nothing is split. */
    private static final String SCALE = "--scale=0.02";

    /** The tests share its tables; the first test loads them. */
    @TempDir
    static Path directory;

    @Test
    void splitsAndFoldsToTheSameRowsAndMeasures() {
        Ended demonstrated = run(
                new DemoCommand(ProxyProcess::start, WireSqlClient::open, goodbye -> {}, Duration.ofMillis(200)),
                "--exit");
        String demo = demonstrated.out();
        assertThat(demonstrated.exitCode()).as(demo).isZero();
        assertThat(demo).contains("120,000 rows of lineorder");
        for (DemoQuery query : SsbQueries.ALL) {
            assertThat(line(demo, query.name())).contains("  yes  ");
        }
        for (DemoQuery query : SsbQueries.PLAIN) {
            // the statistics of a table without partitions differ from load to load
            assertThat(line(demo, query.name())).matches(".*  yes .*(  verified|passed through: (measured|few_rows))");
        }
        // At this size either way may be faster, and the proxy keeps the faster one.
        for (String query : List.of("distinct days", "count", "ship modes")) {
            assertThat(line(demo, query)).matches(".*(  verified|passed through: measured)");
        }
        assertThat(line(demo, "SSB, all 13")).matches(".*  yes  .* \\d+ split, \\d+ passed through");
        assertThat(line(demo, "ratio")).contains("above 1.0 Fanfold is faster");
        assertThat(demo)
                .contains("\ndistinct days     SELECT COUNT(DISTINCT LO_OrderDateKey) FROM lineorder\n")
                .contains("\nSSB Q4.3          select d_year, s_city, p_brand, sum(lo_revenue - lo_supplycost)");
        assertThat(demo.replaceAll("\\s+", " "))
                .contains(" group by d_year, p_brand order by d_year, p_brand query direct s ");

        // The tables exist by now, and the second start uses them.
        Ended measured = run(
                new BenchCommand(ProxyProcess::start, WireSqlClient::open),
                "--runs=1",
                "--tiny-runs=3",
                "--executions=1",
                "--seconds=0.1");
        String bench = measured.out();
        assertThat(bench).contains("machine: ", "; 3 of 3 runs were split (last: degree ", "snapshot verified)");
        String relayed = bench.substring(bench.indexOf("passed through, statements"), bench.indexOf("a sum over"));
        assertThat(loads(relayed)).hasSize(6);
        // the embedded server does not encrypt
        assertThat(relayed).contains("TLS IS NOT MEASURED: ");
        String scale = bench.substring(bench.indexOf("a sum over"));
        assertThat(scale.lines().filter(line -> line.matches(" *(8|64|256|1024)  .* parts, degree 2")))
                .as("one line for each number of partitions")
                .hasSize(4);
        assertThat(scale)
                .contains(
                        "totals of all rows by the number of workers",
                        "direct/Fanfold by the number of the server's cores: a model",
                        "statements per second of all clients");
        // one line in the tables of statements, of first executions, of the model and of reuse
        assertThat(bench.lines().filter(line -> line.startsWith("top orders  ")))
                .hasSize(4)
                .anyMatch(line -> line.matches(".*  [01] of 1"));
        assertThat(bench)
                .contains(
                        "\nMeasured by `./fanfold bench --scale 0.02 --runs 1 --executions 1 --seconds 0.1`\nmachine: ")
                .contains("\n| `SELECT COUNT(DISTINCT LO_OrderDateKey) FROM lineorder` | ");
        // a small table on a busy machine may miss targets; only the exit code must agree with the report
        if (measured.exitCode() == 0) {
            assertThat(bench).endsWith("\nall targets are met\n");
        } else {
            assertThat(measured.exitCode()).isEqualTo(1);
            assertThat(bench).matches("(?s).*\ntargets missed: [1-9]\\d*\n(  [^\n]+: [^\n]+ \\(target: [^\n]+\\)\n)+");
        }
    }

    /** A head and two servers with the partitions. */
    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "the plugin of Spider comes from a package for Linux")
    void splitsSpiderTables() throws Exception {
        ClientProgram.require(
                "MariaDB with the plugin of Spider (mariadb-server, mariadb-plugin-spider)",
                List.of("sh", "-c", "test -x /usr/sbin/mariadbd -a -e /usr/lib/mysql/plugin/ha_spider.so"));
        Ended demonstrated = run(
                new DemoCommand(DemoIT::withoutComparison, WireSqlClient::open, goodbye -> {}, Duration.ZERO),
                List.of(SCALE, "--degree=2", "--keep=" + directory.resolve("spider"), "--spider", "--exit"));
        String demo = demonstrated.out();
        assertThat(demonstrated.exitCode()).as(demo).isZero();
        assertThat(demo).contains("120,000 rows of lineorder in 8 partitions on 2 other servers");
        assertThat(line(demo, "totals")).matches(".* 120,000 +\\d{1,3}  yes +8 +2  locked");
        assertThat(line(demo, "all 7")).matches(".*  yes .*  7 split, 0 passed through");
    }

    /** Starts a proxy that splits whatever can be split: at this size either way may be faster. */
    private static RunningProxy withoutComparison(RunningSettings settings) throws IOException {
        FanfoldConfig config = settings.get();
        return ProxyProcess.start(
                RunningSettings.of(config.withFanOut(config.fanOut().withMinRows(0))));
    }

    /** Measures a small database on a server. */
    private Ended bench(TestServer server, String... more) {
        List<String> options = new ArrayList<>(List.of(
                "--scale=0.001",
                "--server=" + server.host() + ":" + server.port(),
                "--user=" + server.adminUser(),
                "--password=" + server.adminPassword(),
                "--database=it_bench"));
        options.addAll(List.of(more));
        return run(new BenchCommand(ProxyProcess::start, WireSqlClient::open), options);
    }

    private static List<String> loads(String report) {
        return report.lines()
                .filter(line -> line.matches("(one row|all rows) for \\d+ clients?(, each every 20 ms)?  .*"))
                .toList();
    }

    /** Measures what passes through, on a server that can encrypt. */
    @Test
    void measuresTheRelayInClearAndWithTls() {
        TestServer server = TestServers.mysql();
        Ended measured = bench(server, "--seconds=0.05", "--only=relay");
        assertThat(measured.out()).contains("in clear\n", "with TLS on both sides\n");
        assertThat(loads(measured.out())).hasSize(12);
    }

    /** Runs and judges some statements once; times of so small a table mean nothing. */
    @Test
    void measuresAServerThatIsGiven() {
        TestServer server = TestServers.mysql();
        Ended measured = bench(server, "--runs=1", "--tiny-runs=1", "--executions=1", "--seconds=0", "--only=SSB Q4");
        assertThat(measured.exitCode()).as(measured.out()).isBetween(0, 1);
        assertThat(measured.out())
                .contains("server: 9.", "lineorder 6,000 rows")
                .contains(
                        "\nMeasured by `./fanfold bench --scale 0.001 --runs 1 --executions 1 --seconds 0 --only 'SSB Q4'"
                                + " --server HOST:PORT --user USER`\n")
                .doesNotContain(server.adminPassword());
        // in the tables of statements and of first executions
        assertThat(measured.out().lines().filter(line -> line.startsWith("SSB Q4.3  ")))
                .hasSize(2);
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void saysGoodbyeAndStopsItsServer() throws Exception {
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Dfanfold.mariadb.jar=" + System.getProperty("fanfold.mariadb.jar"),
                        "-Dfanfold.home=" + directory,
                        "-Dfanfold.log.level=WARN",
                        Main.class.getName(),
                        "demo",
                        SCALE,
                        "--degree=2",
                        "--keep=" + directory.resolve("data"))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> Files.readString(out).contains("rows of lineorder"));
            List<ProcessHandle> servers = demo.descendants().toList();
            assertThat(servers).isNotEmpty();
            assertThat(new ProcessBuilder("kill", "-INT", Long.toString(demo.pid()))
                            .start()
                            .waitFor())
                    .isZero();
            assertThat(demo.waitFor()).isEqualTo(130);
            assertThat(Files.readString(err))
                    .contains("starting MariaDB\n")
                    .endsWith("stopped; ./fanfold demo starts it again\n");
            assertThat(servers).noneMatch(ProcessHandle::isAlive);
        } finally {
            demo.destroyForcibly();
        }
    }

    private record Ended(int exitCode, String out) {}

    private static Ended run(Callable<Integer> command, String... arguments) {
        List<String> all = new ArrayList<>(List.of(SCALE, "--degree=2", "--keep=" + directory.resolve("data")));
        all.addAll(List.of(arguments));
        return run(command, all);
    }

    private static Ended run(Callable<Integer> command, List<String> arguments) {
        StringWriter out = new StringWriter();
        int exitCode =
                new CommandLine(command).setOut(new PrintWriter(out, true)).execute(arguments.toArray(String[]::new));
        return new Ended(exitCode, out.toString());
    }

    private static String line(String text, String start) {
        return text.lines()
                .filter(line -> line.startsWith(start + "  "))
                // the statements precede the table
                .reduce((first, second) -> second)
                .orElseThrow(() -> new AssertionError("no line '" + start + "' in:\n" + text));
    }
}

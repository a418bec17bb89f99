package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.cli.bench.BenchCommand;
import io.fanfold.cli.demo.DemoCommand;
import io.fanfold.cli.demo.SsbQueries;
import io.fanfold.cli.demo.WireSqlClient;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Demo and benchmark as a user starts them, small: embedded server, proxy, tables, every query. */
class DemoIT {
    /** 120,000 rows of lineorder: more than the estimate below which nothing is split. */
    private static final String SCALE = "--scale=0.02";

    @TempDir
    Path directory;

    @Test
    void splitsAndFoldsToTheSameRowsAndMeasures() {
        String demo = run(new DemoCommand(ProxyProcess::start, WireSqlClient::open), "--exit");
        assertThat(demo).contains("120,000 rows of lineorder");
        for (int i = 0; i < SsbQueries.ALL.size(); i++) {
            assertThat(line(demo, SsbQueries.ALL.get(i).name())).contains("  yes  ");
        }
        // At this size either way may be the faster one, and the proxy keeps the faster one.
        for (String query : List.of("distinct days", "count", "ship modes")) {
            assertThat(line(demo, query)).matches(".*(  verified|passed through: measured)");
        }

        // The tables are there by now; the second start takes them as they are.
        String bench = run(
                new BenchCommand(ProxyProcess::start, WireSqlClient::open), "--runs=1", "--tiny-runs=3", "--seconds=1");
        assertThat(bench).contains("machine: ", "; 3 of 3 runs were split (last: degree ", "snapshot verified)");
        assertThat(line(bench, "distinct days")).endsWith("8 partitions, degree 2");
        assertThat(bench.lines().filter(line -> line.matches(" *(1|16|64)  .*")))
                .hasSize(3);
    }

    private String run(Callable<Integer> command, String... arguments) {
        StringWriter out = new StringWriter();
        List<String> all = new ArrayList<>(List.of(SCALE, "--degree=2", "--keep=" + directory.resolve("data")));
        all.addAll(List.of(arguments));
        int exitCode =
                new CommandLine(command).setOut(new PrintWriter(out, true)).execute(all.toArray(String[]::new));
        assertThat(exitCode).as(out.toString()).isZero();
        return out.toString();
    }

    private static String line(String text, String start) {
        return text.lines()
                .filter(line -> line.startsWith(start + "  "))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no line '" + start + "' in:\n" + text));
    }
}

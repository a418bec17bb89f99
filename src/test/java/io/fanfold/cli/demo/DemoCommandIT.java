package io.fanfold.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.cli.bench.BenchCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Demo and benchmark as a whole on the embedded server, with a proxy that is the server itself. */
class DemoCommandIT {
    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();

    @Test
    void loadsOnceAndComparesEveryQuery() {
        assertThat(demo("0.002")).isZero();
        assertThat(out.toString()).contains("12,000 rows of lineorder").contains("SSB Q4.3");
        assertThat(out.toString().lines().filter(line -> line.contains("  yes  ")))
                .hasSameSizeAs(SsbQueries.ALL);
        int first = out.toString().length();
        assertThat(demo("0.002")).isZero();
        assertThat(out.toString().substring(first)).contains("SSB Q1.1");
        assertThat(bench("0.002")).isZero();
        assertThat(out.toString())
                .contains("machine: ", "profit by nation", "median of 3: direct", "point selects passed through");
    }

    private int demo(String scale) {
        return execute(new DemoCommand(new DirectProxies(), WireSqlClient::open), "--scale", scale, "--exit");
    }

    private int bench(String scale) {
        return execute(
                new BenchCommand(new DirectProxies(), WireSqlClient::open),
                "--scale",
                scale,
                "--runs=1",
                "--tiny-runs=3",
                "--seconds=1");
    }

    private int execute(Callable<Integer> command, String... arguments) {
        CommandLine line = new CommandLine(command).setOut(new PrintWriter(out, true));
        String[] all = new String[arguments.length + 1];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = "--keep=" + directory.resolve("data");
        return line.execute(all);
    }
}

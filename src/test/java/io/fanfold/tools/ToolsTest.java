package io.fanfold.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class ToolsTest {
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        CommandLine commands = Tools.commandLine((config) -> {
            throw new AssertionError("a proxy was started");
        });
        commands.setErr(new PrintWriter(err, true));
        commands.setOut(new PrintWriter(err, true));
        return commands.execute(arguments);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    bench --runs 0                    | --runs 0 (expected: 1..1000)
                    bench --tiny-runs 0               | --tiny-runs 0 (expected: 1..100000)
                    fuzz --statements 0               | --statements 0 (expected: 1..100000000)
                    fuzz --statement 0                | --statement 0 (expected: 1 or more)
                    fuzz --degree 1,0                 | --degree 0 (expected: 1..1000)
                    fuzz --degree two                 | Invalid value for option '--degree'
                    fuzz --seed x                     | Invalid value for option '--seed'
                    fuzz --database a-b               | --database 'a-b' (expected: 1..64 letters
                    fuzz --server localhost:3306      | --server without --user
                    fuzz --user u                     | --user without --server
                    bench --seconds -1                | --seconds -1.0 (expected: 0..600)
                    bench --only Reuse                | --only 'Reuse' (expected: reuse, scale, relay, or the beginning of a statement's name, such as SSB)
                    bench --executions 1001           | --executions 1001 (expected: 0..1000)
                    """)
    void answersWrongUsageWithExitCodeTwo(String arguments, String message) {
        assertThat(execute(arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString()).contains(message);
    }

    @Test
    void namesEveryCommandInItsHelp() {
        assertThat(execute("--help")).isZero();
        assertThat(err.toString()).contains("bench", "fuzz");
    }
}

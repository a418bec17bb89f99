package io.fanfold.cli;

import io.fanfold.config.ConfigLoader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The end of a command that ran in this process.
 *
 * @param code its exit code
 */
record CommandRun(int code, String out, String err) {
    /** Runs a command with these variables of the environment. */
    static CommandRun of(Map<String, String> environment, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.commandLine(new ConfigLoader(environment::get), ProxyProcess::start, endpoint -> {
                    throw new IOException("none is opened");
                })
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
        return new CommandRun(code, out.toString(), err.toString());
    }

    /** Runs a command with arguments before those of the test. */
    static CommandRun of(Map<String, String> environment, List<String> first, String... arguments) {
        return of(
                environment, Stream.concat(first.stream(), Stream.of(arguments)).toArray(String[]::new));
    }
}

package io.fanfold.it.support.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** External programs, and the clients that {@code src/test/clients/install.sh} installs for them. */
public final class ClientProgram {
    private static final Logger LOG = LoggerFactory.getLogger(ClientProgram.class);
    private static final Path OUTPUT = Path.of("target", "clients");
    private static final String INSTALL =
            ClientScenario.FOLDER.resolve("install.sh").toString();

    private ClientProgram() {}

    /**
     * Returns the folder of an installed set of clients. If it is missing, skips the test, or fails it if all are
     * required.
     */
    public static Path installed(String set) throws IOException, InterruptedException {
        if (!succeeds(List.of("bash", INSTALL, "--check", set))) {
            throw absent("the clients in " + set + " are not installed: " + INSTALL + " " + set + " does it");
        }
        return Path.of(String.join("", run("install-home", List.of("bash", INSTALL, "--home"))), set);
    }

    /** Returns a program of the system. If it is missing, skips the test, or fails it if all are required. */
    public static String onPath(String program) {
        pathOf(program);
        return program;
    }

    /** Like {@link #onPath}, with its whole path. */
    public static String pathOf(String program) {
        for (String folder : System.getenv("PATH").split(":")) {
            Path path = Path.of(folder, program);
            if (Files.isExecutable(path)) {
                return path.toString();
            }
        }
        throw absent(program + " is not installed");
    }

    /** If the command fails, skips the test, or fails it if everything is required. */
    public static void require(String what, List<String> command) throws InterruptedException {
        if (!succeeds(command)) {
            throw absent(what + " is not installed");
        }
    }

    private static RuntimeException absent(String what) {
        if (Boolean.getBoolean("fanfold.it.required")) {
            throw new AssertionError(what);
        }
        LOG.warn("SKIPPED: {}", what);
        return new TestAbortedException(what);
    }

    private static boolean succeeds(List<String> command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // no such program
        }
    }

    /**
     * Runs a program to its end, and requires success.
     *
     * @param name of the files with its output in target/clients
     * @return the lines of its standard output
     */
    public static List<String> run(String name, List<String> command) throws IOException, InterruptedException {
        return run(name, command, StandardCharsets.UTF_8);
    }

    private static List<String> run(String name, List<String> command, Charset charset)
            throws IOException, InterruptedException {
        Files.createDirectories(OUTPUT);
        Path out = OUTPUT.resolve(name + ".out");
        Path err = OUTPUT.resolve(name + ".err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        Process process = builder.start();
        if (!process.waitFor(2, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            fail("%s did not end; its last lines are%n%s", name, tail(out));
        }
        assertThat(process.exitValue())
                .as("exit code of %s; last lines%n%s%n%s", name, tail(out), tail(err))
                .isZero();
        return Files.readAllLines(out, charset);
    }

    /** Like {@link #run}, for a shell command whose output need not be text: one character per byte. */
    public static List<String> shell(String name, String command) throws IOException, InterruptedException {
        return run(name, List.of("sh", "-c", command), StandardCharsets.ISO_8859_1);
    }

    private static String tail(Path file) throws IOException {
        List<String> lines = new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                .lines()
                .toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
    }
}

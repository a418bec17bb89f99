package io.fanfold.it.support.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Records which test class ran on which server, for the summary at the end of a build. Otherwise a test that silently
 * ran on one server only would go unnoticed. Writes lines of "class, tab, server" to {@code target/server-uses.txt},
 * with repetitions.
 */
public final class ServerUses {
    private static final Path FILE = Path.of("target", "server-uses.txt");

    private ServerUses() {}

    /** Records the calling test class, which is found on the stack by its name. */
    public static synchronized void record(ServerName server) {
        Optional<String> testClass = StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                        .filter(name -> name.endsWith("IT"))
                        .findFirst());
        testClass.ifPresent(name -> record(name, server));
    }

    /** Records the given test class. */
    static synchronized void record(String testClass, ServerName server) {
        try {
            Files.createDirectories(FILE.toAbsolutePath().getParent());
            Files.writeString(
                    FILE,
                    testClass + "\t" + server + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

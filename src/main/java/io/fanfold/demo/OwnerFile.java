package io.fanfold.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A file in a server's folder that names the server's process and the JVM that owns it. A JVM that is killed cannot
 * stop its server. The next JVM that uses the folder finds the orphan here and ends it.
 *
 * <p>Process ids are reused, so the start times are compared too.
 */
final class OwnerFile {
    private static final Duration SAME_START = Duration.ofSeconds(2);
    private static final long STOP_SECONDS = 30;

    private final Path file;

    OwnerFile(Path file) {
        this.file = file;
    }

    /** Writes the two processes. */
    void write(ProcessHandle server, ProcessHandle owner) throws IOException {
        Files.writeString(file, identity(server) + "\n" + identity(owner) + "\n", StandardCharsets.US_ASCII);
    }

    void delete() throws IOException {
        Files.deleteIfExists(file);
    }

    /**
     * Ends a server that an ended JVM has left in this folder, and waits for its end.
     *
     * @throws IOException if the folder belongs to a JVM that is alive, or the orphan does not end
     */
    void endOrphan() throws IOException, InterruptedException {
        String[] lines;
        try {
            lines = Files.readString(file, StandardCharsets.US_ASCII).split("\n", -1);
        } catch (NoSuchFileException e) {
            return;
        }
        Optional<ProcessHandle> server = lines.length < 2 ? Optional.empty() : alive(lines[0]);
        if (server.isPresent()) {
            Optional<ProcessHandle> owner = alive(lines[1]);
            if (owner.isPresent()) {
                throw new IOException("the server folder " + file.getParent() + " is in use by process "
                        + owner.get().pid());
            }
            end(server.get());
        }
        delete();
    }

    private void end(ProcessHandle server) throws IOException, InterruptedException {
        server.destroy();
        try {
            server.onExit().get(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException(
                    "the server " + server.pid() + " left over in " + file.getParent() + " does not end", e);
        } catch (ExecutionException e) {
            throw new IOException("cannot wait for the end of process " + server.pid(), e);
        }
    }

    private static String identity(ProcessHandle process) {
        return process.pid() + " "
                + process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    private static Optional<ProcessHandle> alive(String identity) {
        String[] words = identity.split(" ", -1);
        if (words.length != 2) {
            return Optional.empty();
        }
        try {
            Instant start = Instant.ofEpochMilli(Long.parseLong(words[1]));
            return ProcessHandle.of(Long.parseLong(words[0]))
                    .filter(ProcessHandle::isAlive)
                    .filter(process -> process.info()
                            .startInstant()
                            .filter(now -> Duration.between(now, start).abs().compareTo(SAME_START) < 0)
                            .isPresent());
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}

package io.fanfold.demo;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Starts a child process that does not outlive this JVM, as far as the operating system allows. */
final class ChildProcess {
    private static final long PROBE_SECONDS = 10;

    private ChildProcess() {}

    /**
     * Starts a program with its standard output and standard error in a file. So it needs no thread that reads them,
     * and never waits for one.
     *
     * <p>On Linux the kernel sends SIGTERM to the program when this JVM ends for any reason, if {@code setpriv} of
     * util-linux is installed. The signal is bound to the thread that forked, not to the JVM. So that thread waits
     * until the program has ended.
     *
     * @return the process, whose id is the program's own
     */
    static Process start(List<String> command, Path directory, Path console) throws IOException, InterruptedException {
        List<String> bound = new ArrayList<>(deathSignal());
        bound.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(bound)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.to(console.toFile()));
        CompletableFuture<Process> started = new CompletableFuture<>();
        Thread parent = new Thread(() -> startAndStay(builder, started), "embedded-mariadb-parent");
        parent.setDaemon(true);
        parent.start();
        try {
            return started.get();
        } catch (ExecutionException e) {
            throw new IOException("cannot start " + command.get(0), e.getCause());
        }
    }

    private static void startAndStay(ProcessBuilder builder, CompletableFuture<Process> started) {
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            started.completeExceptionally(e);
            return;
        }
        started.complete(process);
        process.onExit().join();
    }

    private static List<String> deathSignal() throws IOException, InterruptedException {
        if (!ServerBinaries.onLinux()) {
            return List.of();
        }
        String path = System.getenv().getOrDefault("PATH", "");
        for (String folder : path.split(Pattern.quote(File.pathSeparator), -1)) {
            Path setpriv = Path.of(folder, "setpriv");
            List<String> prefix = List.of(setpriv.toString(), "--pdeathsig", "TERM");
            if (!folder.isEmpty() && Files.isExecutable(setpriv) && works(prefix)) {
                return prefix;
            }
        }
        return List.of();
    }

    /** Whether this setpriv knows the option. BusyBox and util-linux before 2.33 do not. */
    private static boolean works(List<String> prefix) throws IOException, InterruptedException {
        List<String> probe = new ArrayList<>(prefix);
        probe.add("true");
        Process process = new ProcessBuilder(probe)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(PROBE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return false;
        }
        return process.exitValue() == 0;
    }
}

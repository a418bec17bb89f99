package io.fanfold.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A MariaDB server that runs as a child process. It is meant for demonstrations and tests: it listens on the loopback address, without TLS.
 *
 * <p>It ends with {@link #close()} and with the JVM, on Linux even if the JVM is killed (see {@link ChildProcess}). On
 * other systems, the next start in the same folder ends a server that a killed JVM has left.
 *
 * <p>Thread-safe.
 */
public final class EmbeddedMariaDb implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
    private static final long POLL_MILLIS = 20;
    private static final int PORT_ATTEMPTS = 5;
    private static final String PORT_TAKEN = "Can't start server: Bind on TCP/IP port";
    private static final String READY = "ready for connections";

    private final ServerFolder folder;
    private final int port;
    private final Process process;
    private final Thread stopAtExit;

    /**
     * The options of a start.
     *
     * @param binaries the server
     * @param dataDirectory folder for this server alone, with data and logs; created if missing, and kept and used
     *     again by later starts
     * @param port TCP port, 1 to 65535, or 0 for any free one
     * @param accounts the only accounts, created at each start; there is no root
     * @param serverOptions command line options such as {@code --log-bin=binlog}; they override the built-in ones
     */
    public record Options(
            ServerBinaries binaries,
            Path dataDirectory,
            int port,
            List<UserAccount> accounts,
            List<String> serverOptions) {
        public Options {
            if (port < 0 || port > 65535) {
                throw new IllegalArgumentException("port " + port + " (expected: 0 to 65535)");
            }
            accounts = List.copyOf(accounts);
            serverOptions = List.copyOf(serverOptions);
        }
    }

    private EmbeddedMariaDb(ServerFolder folder, int port, Process process) {
        this.folder = folder;
        this.port = port;
        this.process = process;
        stopAtExit = new Thread(this::stop, "embedded-mariadb-stop");
    }

    /**
     * Starts a server and returns when it accepts connections.
     *
     * @throws IOException if it does not start; the message ends with the last lines of its log
     */
    public static EmbeddedMariaDb start(Options options) throws IOException, InterruptedException {
        return start(options, Steps.silent());
    }

    /** Starts a server like {@link #start(Options)}, and shows steps that take long. */
    static EmbeddedMariaDb start(Options options, Steps steps) throws IOException, InterruptedException {
        try (Steps.Step step = steps.begin("starting MariaDB")) {
            return startNow(options);
        }
    }

    private static EmbeddedMariaDb startNow(Options options) throws IOException, InterruptedException {
        ServerFolder folder = new ServerFolder(options.dataDirectory().toAbsolutePath(), options.binaries());
        folder.owner().endOrphan();
        folder.prepare();
        for (int attempt = 1; ; attempt++) {
            int port = options.port() == 0 ? freePort() : options.port();
            EmbeddedMariaDb server = launch(folder, port, options);
            if (server.awaitReady()) {
                Runtime.getRuntime().addShutdownHook(server.stopAtExit);
                return server;
            }
            String log = ServerFolder.tail(folder.console()) + "\n" + ServerFolder.tail(folder.log());
            // another process took the free port before the server did
            boolean again = options.port() == 0 && attempt < PORT_ATTEMPTS && log.contains(PORT_TAKEN);
            if (!again) {
                throw new IOException("MariaDB did not start in " + folder.folder() + ":\n" + log);
            }
        }
    }

    /** The address it listens on. */
    public String host() {
        return "127.0.0.1";
    }

    /** The TCP port it listens on. */
    public int port() {
        return port;
    }

    /** The id of the server's process. */
    public long pid() {
        return process.pid();
    }

    /** Shuts the server down and waits for its end; the data stays. Does nothing if it has ended. */
    @Override
    public void close() {
        stop();
        try {
            Runtime.getRuntime().removeShutdownHook(stopAtExit);
        } catch (IllegalStateException e) {
            // the JVM is ending: the hook runs or has run, and finds nothing to do
            return;
        }
    }

    private static EmbeddedMariaDb launch(ServerFolder folder, int port, Options options)
            throws IOException, InterruptedException {
        Path accounts = folder.writeAccounts(options.accounts());
        Files.deleteIfExists(folder.log());
        List<String> command = new ArrayList<>(folder.command(folder.data()));
        command.addAll(List.of(
                "--bind-address=127.0.0.1",
                "--port=" + port,
                // no socket file: its path is limited to 107 bytes, and only TCP is used here
                "--socket=",
                "--pid-file=" + folder.folder().resolve("server.pid"),
                "--log-error=" + folder.log(),
                "--init-file=" + accounts,
                "--skip-name-resolve",
                "--character-set-server=utf8mb4",
                "--max-allowed-packet=64M",
                "--innodb-log-file-size=64M"));
        command.addAll(options.serverOptions());
        Process process = ChildProcess.start(command, folder.data(), folder.console());
        folder.owner().write(process.toHandle(), ProcessHandle.current());
        return new EmbeddedMariaDb(folder, port, process);
    }

    /** Returns false if the server has ended, or was ended because it took too long. */
    private boolean awaitReady() throws IOException, InterruptedException {
        long end = System.nanoTime() + START_LIMIT.toNanos();
        boolean ready = false;
        try {
            while (!ready && System.nanoTime() - end < 0 && !process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                ready = ServerFolder.text(folder.log()).contains(READY);
            }
            if (ready) {
                requireAccounts();
            }
            return ready;
        } catch (IOException | InterruptedException e) {
            ready = false;
            throw e;
        } finally {
            Files.deleteIfExists(folder.accounts());
            if (!ready) {
                stop();
            }
        }
    }

    /**
     * Fails if an account could not be created. The server starts even if statements of its init file fail, and logs
     * such errors without a date.
     */
    private void requireAccounts() throws IOException {
        Optional<String> error = ServerFolder.text(folder.log())
                .lines()
                .filter(line -> line.startsWith("ERROR: "))
                .findFirst();
        if (error.isPresent()) {
            throw new IOException("MariaDB could not make the accounts in " + folder.folder() + ": " + error.get());
        }
    }

    /**
     * Stops the server. SIGTERM is a clean shutdown of InnoDB. On systems without signals, InnoDB recovers at the next
     * start.
     */
    private synchronized void stop() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
            folder.owner().delete();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // the file names two processes that have ended, which the next start recognises
            return;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}

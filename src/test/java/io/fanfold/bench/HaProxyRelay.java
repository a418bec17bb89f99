package io.fanfold.bench;

import io.fanfold.config.HostPort;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An installed HAProxy that listens on a free port of the loopback address, until closed. */
final class HaProxyRelay implements AutoCloseable {
    /** The value of the environment variable {@code FANFOLD_HTTP_TOKEN}. */
    static final String TOKEN = "0123456789abcdef";

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Process process;
    private final Path directory;
    private final int port;
    private final Thread stopAtExit;

    private HaProxyRelay(Process process, Path directory, int port) {
        this.process = process;
        this.directory = directory;
        this.port = port;
        this.stopAtExit = new Thread(process::destroy, "haproxy-stop");
        Runtime.getRuntime().addShutdownHook(stopAtExit);
    }

    /** The path of HAProxy; null if it is not installed. */
    static @Nullable Path installed() {
        String path = System.getenv("PATH");
        return Stream.concat(
                        Stream.of((path == null ? "" : path).split(File.pathSeparator, -1)),
                        Stream.of("/usr/sbin", "/usr/local/sbin"))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, "haproxy"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /** The first line of the output of {@code haproxy -v}. */
    static String version(Path binary) throws IOException {
        Process process = new ProcessBuilder(binary.toString(), "-v")
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String first = lines.readLine();
            return first == null ? binary.toString() : first;
        } finally {
            process.destroy();
        }
    }

    /** Starts a plain TCP relay and returns when it accepts connections. */
    static HaProxyRelay start(Path binary, HostPort server) throws IOException, InterruptedException {
        return start(binary, server, "");
    }

    /** @param options additional server options, such as {@code send-proxy} */
    static HaProxyRelay start(Path binary, HostPort server, String options) throws IOException, InterruptedException {
        return start(binary, port -> settings(port, server, options));
    }

    /**
     * Starts with settings of the caller's.
     *
     * @param settings returns the text for the port that it must listen on
     */
    static HaProxyRelay start(Path binary, IntFunction<String> settings) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("fanfold-relay");
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path file = Files.writeString(directory.resolve("haproxy.cfg"), settings.apply(port));
        ProcessBuilder builder = new ProcessBuilder(List.of(binary.toString(), "-db", "-f", file.toString()))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("haproxy.log").toFile());
        builder.environment().put("FANFOLD_HTTP_TOKEN", TOKEN);
        Process process = builder.start();
        HaProxyRelay relay = new HaProxyRelay(process, directory, port);
        try {
            relay.awaitListening();
            return relay;
        } catch (IOException | InterruptedException e) {
            relay.close();
            throw e;
        }
    }

    /** The minimal settings of a relay, with timeouts longer than any measurement. */
    static String settings(int port, HostPort server, String options) {
        return """
                global
                  maxconn 1000
                defaults
                  mode tcp
                  timeout connect 5s
                  timeout client 1h
                  timeout server 1h
                listen relay
                  bind 127.0.0.1:%d
                  server server %s %s
                """.formatted(port, server, options);
    }

    private void awaitListening() throws IOException, InterruptedException {
        long end = System.nanoTime() + START_NANOS;
        while (true) {
            try (Socket probe = new Socket()) {
                probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return;
            } catch (IOException e) {
                if (process.waitFor(50, TimeUnit.MILLISECONDS) || System.nanoTime() > end) {
                    String log = Files.readString(directory.resolve("haproxy.log"));
                    throw new IOException("HAProxy did not start: " + log.strip(), e);
                }
            }
        }
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            Runtime.getRuntime().removeShutdownHook(stopAtExit);
            for (String name : List.of("haproxy.cfg", "haproxy.log")) {
                Files.deleteIfExists(directory.resolve(name));
            }
            Files.deleteIfExists(directory);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | IllegalStateException e) {
            // two small files stay in the temporary folder, or the JVM is ending anyway
            return;
        }
    }
}

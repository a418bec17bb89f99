package io.fanfold.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.fanfold.backend.ServerException;
import io.fanfold.backend.WireConnection;
import io.fanfold.cli.Main;
import io.fanfold.config.ConfigLoader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A whole proxy in a JVM of its own, with a heap of 256 MiB and limits that fit it, the cost gate open. */
final class SmallProxy implements AutoCloseable {
    private final TestServer server;
    private final int port;
    private final Process process;
    private final Path folder;

    private SmallProxy(TestServer server, int port, Process process, Path folder) {
        this.server = server;
        this.port = port;
        this.process = process;
        this.folder = folder;
    }

    /** The worker account has to be there already. */
    static SmallProxy start(TestServer server) throws Exception {
        int port;
        try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = reserved.getLocalPort();
        }
        Path folder = Files.createTempDirectory("small-proxy");
        Path config = folder.resolve("fanfold.yaml");
        Files.writeString(config, """
                listener: {host: 127.0.0.1, port: %d}
                backend: {host: %s, port: %d}
                workers: {user: %s}
                fan-out: {degree: 3, min-rows: 0, snapshot-time: 2s, snapshot-rounds: 100}
                limits: {query-memory: 64MiB, total-memory: 128MiB}
                """.formatted(port, server.host(), server.port(), ProxiedServer.WORKER));
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-Dlogback.configurationFile=logback.xml",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "run",
                        "--config",
                        config.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment().put(ConfigLoader.PASSWORD_VARIABLE, ProxiedServer.WORKER_PASSWORD);
        SmallProxy proxy = new SmallProxy(server, port, builder.start(), folder);
        boolean listening = false;
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> proxy.log().contains("listening"));
            listening = true;
        } finally {
            if (!listening) {
                proxy.close();
            }
        }
        return proxy;
    }

    WireConnection connect() throws IOException, ServerException {
        return ProxiedServer.connect("127.0.0.1", port, server.adminUser(), server.adminPassword());
    }

    /** All it has written so far. */
    String log() throws IOException {
        return Files.readString(folder.resolve("log"), UTF_8);
    }

    @Override
    public void close() throws Exception {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        for (Path file : List.of(folder.resolve("log"), folder.resolve("fanfold.yaml"), folder)) {
            Files.delete(file);
        }
    }
}

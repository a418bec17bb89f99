package io.fanfold.it.support.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.cli.Main;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.config.ConfigLoader;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.server.TestServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;

/** A complete proxy in a JVM of its own, with a small heap, matching limits, and the cost gate open. */
public final class SmallProxy implements AutoCloseable {
    private static final List<String> SIGNALS = List.of("env", "--default-signal=HUP,INT,TERM");
    private static final String SHARED = ", reuse-port: true";

    private final Place place;
    private final Process process;
    private final Path folder;

    /**
     * Between which server and which port it runs.
     *
     * @param listener further settings of the listener, each after a comma
     */
    private record Place(TestServer server, int port, String listener) {}

    private SmallProxy(Place place, Process process, Path folder) {
        this.place = place;
        this.process = process;
        this.folder = folder;
    }

    /** Starts with a heap of 256 MiB. The worker account must already exist. */
    public static SmallProxy start(TestServer server) throws Exception {
        return start(server, List.of(), "256m", "limits: {query-memory: 64MiB}");
    }

    /** Starts with the given heap, for example {@code 64m}, and a limit of clients. */
    public static SmallProxy withHeap(TestServer server, String heap, int clients) throws Exception {
        return start(server, List.of(), heap, "limits: {query-memory: 4MiB, connections: " + clients + "}");
    }

    /** Starts with the default limits for such a heap. */
    public static SmallProxy withLimitsOfItsHeap(TestServer server, String heap) throws Exception {
        return start(server, List.of(), heap, "");
    }

    /**
     * Starts with additional groups of settings. The process handles signals even if the test runner ignores them,
     * which a child process would inherit.
     */
    public static SmallProxy withSettings(TestServer server, String settings) throws Exception {
        return start(server, SIGNALS, "256m", settings);
    }

    /** Starts under nohup. */
    public static SmallProxy underNohup(TestServer server) throws Exception {
        return start(server, List.of("nohup"), "256m", "");
    }

    /** Starts with a limit of file handles. */
    public static SmallProxy withHandles(TestServer server, int handles) throws Exception {
        return start(
                server,
                List.of("sh", "-c", "ulimit -n " + handles + "; exec \"$@\"", "sh"),
                "256m",
                "limits: {query-memory: 64MiB}");
    }

    /** Starts on a port that a {@link #successor} can share. */
    public static SmallProxy onSharedPort(TestServer server) throws Exception {
        return start(new Place(server, freePort(), SHARED), SIGNALS, "256m", "");
    }

    /** Starts with the settings of the listener that HAProxy on this machine needs, and additional groups of settings. */
    public static SmallProxy behindHaProxy(TestServer server, String settings) throws Exception {
        return start(
                new Place(server, freePort(), SHARED + ", proxy-protocol-networks: [127.0.0.1]"),
                SIGNALS,
                "256m",
                settings);
    }

    /** Starts another proxy on the port of this one, which must share it. */
    public SmallProxy successor() throws Exception {
        return start(place, SIGNALS, "256m", "");
    }

    private static int freePort() throws IOException {
        try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return reserved.getLocalPort();
        }
    }

    private static SmallProxy start(TestServer server, List<String> launcher, String heap, String settings)
            throws Exception {
        return start(new Place(server, freePort(), ""), launcher, heap, settings);
    }

    private static SmallProxy start(Place place, List<String> launcher, String heap, String settings) throws Exception {
        Path folder = Files.createTempDirectory("small-proxy");
        Path config = folder.resolve("fanfold.yaml");
        Files.writeString(config, text(place, settings));
        List<String> command = new ArrayList<>(launcher);
        command.addAll(List.of(
                tool("java"),
                "-Xmx" + heap,
                // starts sooner, and lives too short for the better code of the other compiler
                "-XX:TieredStopAtLevel=1",
                "-Dlogback.configurationFile=logback.xml",
                "-cp",
                jar(folder) + File.pathSeparator + System.getProperty("java.class.path"),
                Main.class.getName(),
                "run",
                "--config",
                config.toString()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment().put(ConfigLoader.PASSWORD_VARIABLE, ProxiedServer.WORKER_PASSWORD);
        SmallProxy proxy = new SmallProxy(place, builder.start(), folder);
        boolean listening = false;
        try {
            await().atMost(Duration.ofMinutes(3)).until(() -> proxy.log().contains("listening"));
            listening = true;
        } finally {
            if (!listening) {
                proxy.close();
            }
        }
        return proxy;
    }

    private static String text(Place place, String settings) {
        TestServer server = place.server();
        return """
                listener: {host: 127.0.0.1, port: %d%s}
                backend: {host: %s, port: %d}
                workers: {user: %s}
                fan-out: {degree: 3, min-rows: 0, key-ranges: off, snapshot-time: 2s, snapshot-rounds: 100}
                %s
                """.formatted(
                        place.port(), place.listener(), server.host(), server.port(), ProxiedServer.WORKER, settings);
    }

    /** Replaces the additional groups in its settings file. */
    public void settings(String settings) throws IOException {
        Files.writeString(folder.resolve("fanfold.yaml"), text(place, settings));
    }

    /** Sends a signal, for example {@code HUP}. */
    public void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    /** Waits for the end of the process, and returns its exit status. */
    public int awaitExit() throws InterruptedException {
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it has ended").isTrue();
        return process.exitValue();
    }

    /** Returns a jar as shipped. From a folder, each class would need a file handle when it is loaded. */
    private static Path jar(Path folder) throws Exception {
        Path classes = Path.of(
                Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isRegularFile(classes)) {
            return classes;
        }
        Path jar = folder.resolve("proxy.jar");
        int failed = ToolProvider.findFirst("jar")
                .orElseThrow()
                .run(
                        System.out,
                        System.err,
                        "--create",
                        "--no-compress",
                        "--file",
                        jar.toString(),
                        "-C",
                        classes.toString(),
                        ".");
        if (failed != 0) {
            throw new IOException("no jar could be made of " + classes);
        }
        return jar;
    }

    private static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the used heap after a garbage collection, in bytes. */
    public long heapBytes() throws IOException {
        Process histogram = new ProcessBuilder(tool("jcmd"), String.valueOf(process.pid()), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String text = new String(histogram.getInputStream().readAllBytes(), UTF_8);
        return text.lines()
                .filter(line -> line.startsWith("Total"))
                .map(line -> Long.parseLong(line.trim().split("\\s+", -1)[2]))
                .findFirst()
                .orElseThrow(() -> new IOException(text));
    }

    public int port() {
        return place.port();
    }

    public WireConnection connect() throws IOException, ServerException {
        return ProxiedServer.connect(
                "127.0.0.1", port(), place.server().adminUser(), place.server().adminPassword());
    }

    /** Repeats a query until it is answered by a fan-out. {@link SlowTables} must exist. */
    public void awaitSplit(WireConnection client) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            long before = splits();
            assertThat(client.query(SlowTables.SHORT).rows().toString()).isEqualTo(SlowTables.SHORT_ANSWER);
            // the fan-out is logged before the answer's last packet
            assertThat(client.ping()).isTrue();
            assertThat(splits()).isGreaterThan(before);
        });
    }

    private long splits() throws IOException {
        return log().lines().filter(line -> line.contains(" fanned out: ")).count();
    }

    /** Returns everything it has logged so far. */
    public String log() throws IOException {
        return Files.readString(folder.resolve("log"), UTF_8);
    }

    @Override
    public void close() throws Exception {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        Files.deleteIfExists(folder.resolve("proxy.jar"));
        for (Path file : List.of(folder.resolve("log"), folder.resolve("fanfold.yaml"), folder)) {
            Files.delete(file);
        }
    }
}

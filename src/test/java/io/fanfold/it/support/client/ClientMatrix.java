package io.fanfold.it.support.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.tls.SharedKeys;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Runs clients direct on a server and through a proxy in front of it, on the same tables, and compares. */
public final class ClientMatrix implements AutoCloseable {
    public static final String DATABASE = "it_clients";
    static final String USER = "it_client";
    static final String PASSWORD = "cl1ent";

    private static final Path TABLES = ClientScenario.FOLDER.resolve("tables.sql");

    private final TestServer server;
    private final ProxiedServer proxy;
    private final ProxiedServer encrypted;

    private ClientMatrix(TestServer server, ProxiedServer proxy, ProxiedServer encrypted) {
        this.server = server;
        this.proxy = proxy;
        this.encrypted = encrypted;
    }

    /**
     * Starts two proxies with the cost gate open. Both encrypt their connections to the server. One offers clients no
     * encryption, the other requires it.
     */
    public static ClientMatrix before(TestServer server) throws Exception {
        ProxiedServer plain = start(server, ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.DISABLED));
        boolean started = false;
        try {
            ProxiedServer encrypted = start(server, ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.REQUIRED));
            started = true;
            return new ClientMatrix(server, plain, encrypted);
        } finally {
            if (!started) {
                plain.close();
            }
        }
    }

    private static ProxiedServer start(TestServer server, ListenerTlsConfig clients) throws Exception {
        ProxySetup.Tls tls = new ProxySetup.Tls(
                clients,
                BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.REQUIRED)
                        .withClearClients(BackendTlsConfig.ClearClients.ALLOW));
        return ProxiedServer.start(server, ProxySetup.ofDegree(3).withTls(tls));
    }

    public ProxiedServer proxy() {
        return proxy;
    }

    /** Returns the proxy that requires TLS. */
    public ProxiedServer encrypted() {
        return encrypted;
    }

    /** Returns the certificate of the proxy that encrypts. Its key is server-key.pem in the same folder. */
    public Path certificate() {
        return SharedKeys.directory().resolve("server-cert.pem");
    }

    /**
     * A client that can run the scenario.
     *
     * @param name for the files with its output
     * @param command the program; the scenario and the connection arguments are appended
     * @param skipped verbs that it does not support
     * @param asText verbs that it sends as text, in addition to those that always are
     * @param warm whether it needs the account's password in the server's cache
     * @param broken steps that fail in the client itself
     * @param encrypts whether it can encrypt
     */
    public record Client(
            String name,
            List<String> command,
            Set<String> skipped,
            Set<String> asText,
            boolean warm,
            int broken,
            boolean encrypts) {
        public Client(String name, List<String> command) {
            this(name, command, Set.of(), Set.of("query", "stream", "args"), false, 0, true);
        }

        /** Returns a client that does not support these verbs. */
        public Client without(String... verbs) {
            return new Client(name, command, Set.of(verbs), asText, warm, broken, encrypts);
        }

        /** Returns a client that prepares statements with parameters, and those it streams. */
        public Client preparingStreams() {
            return new Client(name, command, skipped, Set.of("query"), warm, broken, encrypts);
        }

        /** Returns a client that prepares statements with parameters. */
        public Client preparing() {
            return new Client(name, command, skipped, Set.of("query", "stream"), warm, broken, encrypts);
        }

        /** Returns a client that without TLS supports only the fast path of MySQL's authentication. */
        public Client afterLogin() {
            return new Client(name, command, skipped, asText, true, broken, encrypts);
        }

        /** Returns a client that cannot encrypt. */
        public Client inClear() {
            return new Client(name, command, skipped, asText, warm, broken, false);
        }

        /** Returns a client in which the given number of steps fail by its own fault. */
        public Client brokenIn(int steps) {
            return new Client(name, command, skipped, asText, warm, steps, encrypts);
        }
    }

    /**
     * Requires that the client sees the same, and that exactly the statements that can be fanned out were. On MariaDB,
     * whose logins are the same in clear, a client that can encrypt does so.
     */
    public void runs(Client client) throws Exception {
        ClientScenario scenario = ClientScenario.read(DATABASE);
        List<String> direct = transcript(client, "direct", server.host(), server.port());
        requireComplete(client, scenario, direct);
        if (server.kind() == ServerFlavor.MYSQL || !client.encrypts) {
            runsThrough(proxy, client, scenario, direct, "proxied");
        }
        if (client.encrypts) {
            runsThrough(
                    encrypted,
                    client,
                    scenario,
                    direct,
                    "encrypted",
                    "tls",
                    certificate().toString());
        }
    }

    private void runsThrough(
            ProxiedServer through,
            Client client,
            ClientScenario scenario,
            List<String> direct,
            String way,
            String... options)
            throws Exception {
        int cancelled = through.cancelled();
        through.forget();
        List<String> proxied = transcript(client, way, "127.0.0.1", through.port(), options);

        assertThat(proxied)
                .as("what %s saw through the proxy, %s", client.name, way)
                .containsExactlyElementsOf(direct);
        if (!client.skipped.contains("killquery")) {
            assertThat(through.cancelled() - cancelled)
                    .as("killed fan-outs of %s, %s", client.name, way)
                    .isEqualTo(1);
        }
        assertThat(fannedOut(through))
                .as("partitions of what was fanned out for %s, %s", client.name, way)
                .matches(scenario.fanOuts(client.asText, client.skipped));
    }

    /** Returns the partitions of each fan-out since the last call, each followed by a blank. */
    public static String fannedOut(ProxiedServer through) throws InterruptedException {
        StringBuilder partitions = new StringBuilder();
        while (!through.lookedAtNothing()) {
            ProxiedServer.Outcome outcome = through.outcome();
            if (outcome.fannedOut()) {
                partitions.append(outcome.partitions()).append(' ');
            }
        }
        return partitions.toString();
    }

    private List<String> transcript(Client client, String way, String host, int port, String... options)
            throws Exception {
        createTables();
        if (client.warm) {
            proxy.direct(USER, PASSWORD).close();
        }
        List<String> command = new ArrayList<>(client.command);
        command.addAll(List.of(ClientScenario.FILE.toString(), host, String.valueOf(port), USER, PASSWORD, DATABASE));
        command.addAll(List.of(options));
        List<String> lines = ClientProgram.run(client.name + "-" + server.kind() + "-" + way, command);
        // which error a client gets after a kill depends on who noticed it before the next request: the client, or the
        // proxy that relays it
        return lines.stream()
                .map(line -> line.startsWith("lost ") ? "lost" : line)
                .toList();
    }

    /** Requires that the client ran all steps, with exactly the expected errors. */
    private static void requireComplete(Client client, ClientScenario scenario, List<String> transcript) {
        List<String> unexpected = new ArrayList<>();
        Set<String> skipped = new TreeSet<>();
        int broken = 0;
        int line = 0;
        for (ClientScenario.Step step : scenario.steps()) {
            assertThat(line < transcript.size() ? transcript.get(line) : "the end")
                    .as("next step of %s", client.name)
                    .isEqualTo("> " + step.line());
            boolean failed = false;
            boolean left = false;
            int brokenBefore = broken;
            for (line++; line < transcript.size() && !transcript.get(line).startsWith("> "); line++) {
                failed |= transcript.get(line).startsWith("error ");
                left |= transcript.get(line).equals("skipped");
                broken += transcript.get(line).startsWith("broken ") ? 1 : 0;
            }
            if (left) {
                skipped.add(step.verb());
            } else if (failed != step.fails() && broken == brokenBefore) {
                unexpected.add((failed ? "failed: " : "did not fail: ") + step.line());
            }
        }
        assertThat(unexpected).as("unexpected ends of steps of %s", client.name).isEmpty();
        assertThat(skipped).as("steps that %s skips", client.name).isEqualTo(new TreeSet<>(client.skipped));
        assertThat(broken).as("steps that fail in %s itself", client.name).isEqualTo(client.broken);
    }

    /** Recreates the database and the account. The server then no longer caches the password. */
    public void createTables() throws Exception {
        String how = server.kind() == ServerFlavor.MYSQL ? "WITH caching_sha2_password" : "VIA mysql_native_password";
        String secret = server.kind() == ServerFlavor.MYSQL ? "'" + PASSWORD + "'" : "PASSWORD('" + PASSWORD + "')";
        String by = server.kind() == ServerFlavor.MYSQL ? " BY " : " USING ";
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS " + DATABASE);
            admin.execute("CREATE DATABASE " + DATABASE + " DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci");
            admin.execute("DROP USER IF EXISTS '" + USER + "'@'%'");
            admin.execute("CREATE USER '" + USER + "'@'%' IDENTIFIED " + how + by + secret);
            admin.execute("GRANT ALL ON " + DATABASE + ".* TO '" + USER + "'@'%'");
            // to see the proxy's workers
            admin.execute("GRANT PROCESS ON *.* TO '" + USER + "'@'%'");
            admin.execute("USE " + DATABASE);
            for (String statement : statements()) {
                if (statement.startsWith("ANALYZE")) {
                    admin.query(statement);
                } else {
                    admin.execute(statement);
                }
            }
        }
        proxy.tablesChanged();
        encrypted.tablesChanged();
    }

    private static List<String> statements() throws IOException {
        return Files.readAllLines(TABLES, StandardCharsets.UTF_8).stream()
                .filter(line -> !line.startsWith("--"))
                .toList();
    }

    @Override
    public void close() throws Exception {
        proxy.close();
        encrypted.close();
    }
}

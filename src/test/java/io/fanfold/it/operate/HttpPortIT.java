package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.cli.ProxyProcess;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HttpConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.Secret;
import io.fanfold.it.support.client.MetricsPage;
import io.fanfold.it.support.client.MetricsPage.PageFormat;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.RoundTripRelay;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Metrics and health checks of whole proxies in front of real servers. */
class HttpPortIT {
    private static final String HTTP = "http: {enabled: true, port: 0}";
    private static final Pattern PORT = Pattern.compile(" HTTP on /127\\.0\\.0\\.1:(\\d+)");
    private static final String SPLIT = "SELECT v, COUNT(*) FROM t WHERE id > 0 GROUP BY v";
    private static final String EXECUTED = "fanfold_statements_executed_total{}";
    private static final String NOT_CHOSEN = "fanfold_statements_not_chosen_total";
    private static final int CLIENTS = 6;
    private static final int TURNS = 40;

    private static final TestDatabase DATABASE = new TestDatabase("it_http", admin -> {
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
        admin.execute("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)");
        admin.execute("CREATE TABLE plain (id INT PRIMARY KEY) ENGINE=InnoDB");
    });

    /** A meter in a text: its name, and what stands in braces after it. */
    private static final Pattern METER = Pattern.compile(
            "\\b((?:fanfold|hikaricp|jvm|netty|process|system)_[a-z0-9_]+)(?<!_)(?![a-z0-9_])(?:\\{([^}]*)})?");

    private static final List<Path> TEXTS_WITH_METERS = List.of(
            Path.of("docs/operations.md"),
            Path.of("docs/first-day.md"),
            Path.of("docs/availability.md"),
            Path.of("docker/prometheus/alerts.yml"),
            Path.of("docker/grafana/dashboards/fanfold.json"));

    private final HttpClient http = HttpClient.newHttpClient();

    static int httpPort(SmallProxy proxy) throws IOException {
        Matcher line = PORT.matcher(proxy.log());
        assertThat(line.find()).as(proxy.log()).isTrue();
        return Integer.parseInt(line.group(1));
    }

    private HttpResponse<String> get(int port, String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(Duration.ofSeconds(30))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static double reason(MetricsPage page, String reason) {
        return page.value(NOT_CHOSEN + "{reason=\"" + reason + "\"}");
    }

    /** Attempted, minus all ends of attempts: 0 while no statement is under way. */
    private static double open(MetricsPage page) {
        return page.value("fanfold_statements_attempted_total{}")
                - page.value(EXECUTED)
                - page.sum(NOT_CHOSEN)
                - page.value("fanfold_statements_cancelled_total{}")
                - page.value("fanfold_statements_broken_off_total{}");
    }

    private static void awaitSplit(WireConnection client, int port) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            client.query(SPLIT);
            return MetricsPage.of(port).value(EXECUTED) > 0;
        });
    }

    @AllServers
    void statementsAreCounted(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        try (SmallProxy proxy = SmallProxy.withSettings(server, HTTP);
                WireConnection client = proxy.connect()) {
            int port = httpPort(proxy);
            client.execute("USE it_http");
            awaitSplit(client, port);
            MetricsPage before = MetricsPage.of(port);
            for (int i = 0; i < 3; i++) {
                client.query(SPLIT);
            }
            client.query("SELECT MAX(@a := v) FROM t");
            client.query("SELECT MAX(@a := v) FROM t");
            client.execute("INSERT INTO plain VALUES (" + System.nanoTime() % 1_000_000_007 + ")");
            client.query("EXPLAIN FORMAT=FANFOLD " + SPLIT);
            assertThat(client.ping()).isTrue();
            MetricsPage after = MetricsPage.of(port);
            assertThat(after.value(EXECUTED) - before.value(EXECUTED)).isEqualTo(3);
            assertThat(reason(after, "user_variable") - reason(before, "user_variable"))
                    .isEqualTo(2);
            assertThat(reason(after, "not_a_select") - reason(before, "not_a_select"))
                    .isEqualTo(1);
            assertThat(after.value("fanfold_statements_attempted_total{}")
                            - before.value("fanfold_statements_attempted_total{}"))
                    .as("an EXPLAIN of the proxy's own is no attempt")
                    .isEqualTo(6);
            assertThat(open(after)).isZero();
            assertThat(after.value("fanfold_partition_queries_total{}")
                            - before.value("fanfold_partition_queries_total{}"))
                    .isEqualTo(9);
            assertThat(after.value("fanfold_split_statement_seconds_count{}")).isEqualTo(after.value(EXECUTED));
            assertThat(after.value("fanfold_relayed_statement_seconds_count{}")
                            - before.value("fanfold_relayed_statement_seconds_count{}"))
                    .isEqualTo(3);
            assertThat(after.sum("fanfold_snapshot_seconds_count"))
                    .as("one for each split, and for the EXPLAIN")
                    .isEqualTo(before.sum("fanfold_snapshot_seconds_count") + 4);
            assertThat(after.value("fanfold_clients{}")).isEqualTo(1);
            assertThat(after.value("fanfold_backend_up{}")).isEqualTo(1);
            assertThat(after.value("fanfold_server_connections_total{outcome=\"opened\"}"))
                    .isPositive();
            assertThat(after.value("hikaricp_connections{pool=\"workers\"}")).isPositive();
            assertThat(after.value("hikaricp_connections_max{pool=\"workers\"}"))
                    .isEqualTo(32);
            assertThat(after.samples().keySet())
                    .contains("jvm_threads_live_threads{}", "process_uptime_seconds{}", "process_files_open_files{}")
                    .anyMatch(name -> name.startsWith("netty_allocator_memory_used{"))
                    .anyMatch(name -> name.startsWith("netty_eventexecutor_tasks_pending{"));
            assertThat(MetricsPage.of(port, PageFormat.OPENMETRICS).value(EXECUTED))
                    .isEqualTo(after.value(EXECUTED));
            proxy.signal("TERM");
            assertThat(proxy.awaitExit()).isZero();
            assertThat(proxy.log()).contains(" fan_outs=" + (long) after.value(EXECUTED) + " partition_queries=");
        }
    }

    @OnServers(ServerName.MARIADB)
    void textsNameOnlyMetersThatAreShown(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        try (SmallProxy proxy = SmallProxy.withSettings(server, HTTP);
                WireConnection client = proxy.connect()) {
            int port = httpPort(proxy);
            client.execute("USE it_http");
            awaitSplit(client, port);
            Set<String> samples = MetricsPage.of(port).samples().keySet();
            List<String> unknown = new ArrayList<>();
            int found = 0;
            for (Path text : TEXTS_WITH_METERS) {
                Matcher meter = METER.matcher(Files.readString(text).replace("\\\"", "\""));
                while (meter.find()) {
                    found++;
                    String labels = meter.group(2) == null ? "" : meter.group(2);
                    if (samples.stream().noneMatch(sample -> isOf(sample, meter.group(1), labels))) {
                        unknown.add(text + ": " + meter.group());
                    }
                }
            }
            assertThat(found).isGreaterThan(80);
            assertThat(unknown).isEmpty();
        }
    }

    /**
     * Whether a sample is one of a meter.
     *
     * @param labels as in a text: {@code outcome} for all of its values, or {@code outcome="failed"}
     */
    private static boolean isOf(String sample, String meter, String labels) {
        int brace = sample.indexOf('{');
        String name = sample.substring(0, brace);
        if (!name.equals(meter) && !name.equals(meter + "_count")) {
            return false;
        }
        for (String label : labels.split(",", -1)) {
            // Prometheus itself adds job
            if (!label.startsWith("job=") && !sample.substring(brace).contains(label)) {
                return false;
            }
        }
        return true;
    }

    @OnServers(ServerName.MARIADB)
    void everyAttemptHasOneEndUnderParallelClients(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try (SmallProxy proxy = SmallProxy.withSettings(server, HTTP);
                WireConnection first = proxy.connect()) {
            int port = httpPort(proxy);
            first.execute("USE it_http");
            awaitSplit(first, port);
            MetricsPage before = MetricsPage.of(port);
            List<Callable<Integer>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                clients.add(() -> statements(proxy, number));
            }
            int sent = 0;
            for (Future<Integer> one : threads.invokeAll(clients)) {
                sent += one.get();
            }
            await().untilAsserted(() -> assertThat(open(MetricsPage.of(port))).isZero());
            MetricsPage after = MetricsPage.of(port);
            assertThat(after.value("fanfold_statements_attempted_total{}")
                            - before.value("fanfold_statements_attempted_total{}"))
                    .isEqualTo(sent);
            assertThat(after.value(EXECUTED)).isGreaterThan(before.value(EXECUTED) + CLIENTS);
            assertThat(after.value("fanfold_clients{}")).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns the number of statements that the proxy must have considered. */
    private static int statements(SmallProxy proxy, int number) throws Exception {
        int sent = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            WireConnection client = proxy.connect();
            try {
                client.execute("USE it_http");
                client.query(SPLIT);
                client.query("SELECT COUNT(*) FROM plain");
                client.query("EXPLAIN FORMAT=FANFOLD " + SPLIT);
                try {
                    client.query("SELECT COUNT(nowhere) + " + number + " FROM t");
                } catch (ServerException e) {
                    assertThat(e.errno()).isEqualTo(1054);
                }
                client.execute("BEGIN");
                client.query(SPLIT);
                client.execute("COMMIT");
                sent += 7;
            } finally {
                client.close();
            }
        }
        return sent;
    }

    @OnServers(ServerName.MARIADB)
    void readyOnlyWhileTheServerCanBeReached(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        try (RoundTripRelay relay = RoundTripRelay.before(server)) {
            TestServer behind = new TestServer(
                    server.name(),
                    server.kind(),
                    "127.0.0.1",
                    relay.port(),
                    server.adminUser(),
                    server.adminPassword());
            try (SmallProxy proxy = SmallProxy.withSettings(behind, HTTP)) {
                int port = httpPort(proxy);
                HttpResponse<String> ready = get(port, "/health/ready");
                assertThat(ready.body())
                        .isEqualTo("{\"ready\":true,\"checks\":[{\"name\":\"accepting\",\"ok\":true},"
                                + "{\"name\":\"server\",\"ok\":true}],"
                                + "\"warnings\":[]}");
                assertThat(ready.statusCode()).isEqualTo(200);
                relay.close();
                await().untilAsserted(() ->
                        assertThat(get(port, "/health/ready").statusCode()).isEqualTo(503));
                assertThat(get(port, "/health/ready").body())
                        .contains("{\"name\":\"server\",\"ok\":false,\"failure\":\"connection refused\"}");
                assertThat(get(port, "/health/live").statusCode()).isEqualTo(200);
                assertThat(MetricsPage.of(port).value("fanfold_backend_up{}")).isZero();
            }
        }
    }

    @OnServers(ServerName.MARIADB)
    void notReadyAsSoonAsItStops(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        try (SmallProxy proxy = SmallProxy.withSettings(server, HTTP);
                WireConnection client = proxy.connect()) {
            int port = httpPort(proxy);
            client.execute("BEGIN");
            assertThat(get(port, "/health/ready").statusCode()).isEqualTo(200);
            proxy.signal("TERM");
            await().until(() -> get(port, "/health/ready").statusCode() == 503);
            assertThat(get(port, "/health/ready").body())
                    .contains("{\"name\":\"accepting\",\"ok\":false,\"failure\":\"draining\"}");
            assertThat(get(port, "/health/live").statusCode()).isEqualTo(200);
            assertThat(MetricsPage.of(port).value("fanfold_clients{}")).isEqualTo(1);
            client.execute("COMMIT");
            assertThat(proxy.awaitExit()).isZero();
        }
    }

    /** Clients are served without workers too, so a load balancer must not take the proxy away. */
    @AllServers
    void readyWithoutTheWorkerAccount(TestServer server) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            admin.execute("DROP USER IF EXISTS http_it");
            admin.execute("CREATE USER http_it IDENTIFIED BY 'w'");
            FanfoldConfig defaults = FanfoldConfig.defaults();
            FanfoldConfig config = new FanfoldConfig(
                            new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO),
                            new BackendConfig(server.host(), server.port(), Duration.ofSeconds(10), Duration.ZERO),
                            defaults.workers().with("http_it", new Secret("w"), 4),
                            defaults.fanOut(),
                            defaults.limits())
                    .withHttp(HttpConfig.defaults().withEnabled(true).withPort(port));
            try (RunningProxy proxy = ProxyProcess.start(RunningSettings.of(config))) {
                assertThat(proxy.port()).isPositive();
                assertThat(get(port, "/health/ready").statusCode()).isEqualTo(200);
                admin.execute("DROP USER http_it");
                await().untilAsserted(
                                () -> assertThat(get(port, "/health/ready").body())
                                        .contains(
                                                "{\"ready\":true,",
                                                "{\"name\":\"server\",\"ok\":true}",
                                                "\"warnings\":[\"the worker account cannot log in: 1045 Access denied"));
                assertThat(get(port, "/health/ready").statusCode()).isEqualTo(200);
                assertThat(MetricsPage.of(port).value("fanfold_backend_up{}")).isZero();
            }
            assertThat(closed(port)).isTrue();
        }
    }

    private boolean closed(int port) throws Exception {
        try {
            get(port, "/health/live");
            return false;
        } catch (ConnectException e) {
            return true;
        }
    }
}

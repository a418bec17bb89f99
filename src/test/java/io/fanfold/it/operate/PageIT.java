package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What the page asks for: statuses, running fan-outs, and kills. */
class PageIT {
    private static final int INTERRUPTED = 1317;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ENDLESS = SlowTables.ENDLESS.replaceFirst("SELECT", "SELECT /*+ PARALLEL(2) */");
    private static final String SHORT = SlowTables.SHORT.replaceFirst("SELECT", "SELECT /*+ PARALLEL(2) */");

    private final HttpClient http = HttpClient.newHttpClient();

    private HttpResponse<String> get(int port, String path) throws Exception {
        return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)));
    }

    private HttpResponse<String> kill(int port, long id, String user, String password) throws Exception {
        String body = JSON.writeValueAsString(Map.of("id", id, "user", user, "password", password));
        return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/kill"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.timeout(Duration.ofSeconds(30)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode json(int port, String path) throws Exception {
        return JSON.readTree(get(port, path).body());
    }

    @AllServers
    void showsAndKillsARunningFanOut(TestServer server) throws Exception {
        SlowTables.start(server).close();
        try (SmallProxy proxy = SmallProxy.withSettings(server, "http: {enabled: true, port: 0}");
                WireConnection client = proxy.connect();
                WireConnection other = proxy.connect()) {
            int port = HttpPortIT.httpPort(proxy);
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                client.query(SHORT);
                return json(port, "/api/digests").size() > 0;
            });
            assertThat(json(port, "/api/fan-outs")).isEmpty();
            CompletableFuture<Throwable> ended = CompletableFuture.supplyAsync(() -> {
                try {
                    client.query(ENDLESS);
                    return new AssertionError("it did not run for hours");
                } catch (Exception e) {
                    return e;
                }
            });
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            json(port, "/api/fan-outs").at("/0/state").asText().equals("running partition queries"));
            JsonNode running = json(port, "/api/fan-outs").get(0);
            assertThat(running.get("id").asLong()).isEqualTo(client.threadId());
            assertThat(running.get("user").asText()).isEqualTo(server.adminUser());
            assertThat(running.get("queries").asInt()).isEqualTo(6);
            assertThat(running.get("parts")).hasSize(6);
            assertThat(running.get("info").asText()).contains("FROM it_slow.big a");
            assertThat(json(port, "/api/processlist").at("/0/QUERIES_DONE").asInt())
                    .isZero();
            assertThat(json(port, "/api/servers").at("/0/STATUS").asText()).isEqualTo("UP");

            HttpResponse<String> wrong = kill(port, client.threadId(), server.adminUser(), "wrong");
            assertThat(wrong.statusCode()).isEqualTo(403);
            assertThat(wrong.body()).startsWith("1045: ");
            assertThat(ended).isNotDone();
            assertThat(kill(port, client.threadId(), server.adminUser(), server.adminPassword())
                            .statusCode())
                    .isEqualTo(200);
            assertThat(ended.get())
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(INTERRUPTED));
            await().until(() -> json(port, "/api/fan-outs").isEmpty());

            assertThat(other.query("SHOW FANFOLD STATUS LIKE 'Fanfold_request_cancelled'")
                            .rows())
                    .hasToString("[Fanfold_request_cancelled|1]");
            assertThat(json(port, "/api/status").toString())
                    .contains("{\"Variable_name\":\"Fanfold_request_cancelled\",\"Value\":1}");
            HttpResponse<String> page = get(port, "/");
            assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
            assertThat(page.body()).contains("page.js");
        }
    }
}

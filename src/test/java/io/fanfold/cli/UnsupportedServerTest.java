package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.fanfold.client.FakeServer;
import io.fanfold.client.ScriptedServer;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.Secret;
import io.fanfold.row.Row;
import io.fanfold.server.RunningProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A proxy before a server that speaks MySQL's protocol and is no MySQL. */
class UnsupportedServerTest {
    private static final String OBSTACLE =
            "the server is TiDB (8.0.11-TiDB-v7.5.0): another server with MySQL's protocol, not built from MySQL";

    private static FanfoldConfig config(FakeServer server) {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        return new FanfoldConfig(
                new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO),
                new BackendConfig("127.0.0.1", server.port(), Duration.ofSeconds(10), Duration.ZERO),
                defaults.workers().with("worker", new Secret("w"), 8),
                defaults.fanOut().withCatalogRefresh(Duration.ofMillis(100)),
                defaults.limits());
    }

    @Test
    void statementsPassThroughAndTheLogSaysWhyOnce() throws Exception {
        ScriptedServer script = new ScriptedServer(
                "8.0.11-TiDB-v7.5.0",
                Map.of("version", "8.0.11-TiDB-v7.5.0", "hostname", "ti", "port", "4000"),
                sql -> sql.equals("SELECT SUM(a) FROM t") ? List.of(List.of("42")) : List.of());
        try (FakeServer server = new FakeServer(script);
                CapturedLog log = CapturedLog.of(Level.DEBUG);
                RunningProxy proxy = ProxyProcess.start(RunningSettings.of(config(server)));
                WireConnection client = WireConnection.open(proxied(server, proxy.port()))) {
            await().until(() -> log.lines().contains("WARN no statement is split: " + OBSTACLE));
            assertThat(client.query("SELECT SUM(a) FROM t").rows())
                    .extracting(row -> row.ascii(0))
                    .containsExactly("42");
            assertThat(script.log()).anyMatch(line -> line.endsWith(": SELECT SUM(a) FROM t"));
            assertThat(log.lines())
                    .anyMatch(line -> line.startsWith("DEBUG session ")
                            && line.endsWith(
                                    " passed through: unsupported_server (" + OBSTACLE + "): SELECT SUM(a) FROM t"));
            assertThat(client.query("EXPLAIN FORMAT=FANFOLD SELECT SUM(a) FROM t")
                            .rows())
                    .extracting(UnsupportedServerTest::text)
                    .contains("decision: passed through", "reason: unsupported_server", "found: " + OBSTACLE);
            // it is not asked for tables, which it might describe in a way of its own
            assertThat(script.log()).noneMatch(line -> line.contains("INFORMATION_SCHEMA"));
            assertThat(log.lines())
                    .filteredOn(line -> line.startsWith("WARN") || line.startsWith("INFO server"))
                    .containsExactly("WARN no statement is split: " + OBSTACLE);
        }
    }

    private static String text(Row row) {
        return row.utf8(0) + ": " + row.utf8(1);
    }

    private static WireSettings proxied(FakeServer server, int port) {
        WireSettings direct = server.settings("client", "");
        return new WireSettings(
                "127.0.0.1",
                port,
                direct.user(),
                direct.password(),
                direct.connectTimeout(),
                direct.readTimeout(),
                Duration.ZERO,
                WireSettings.DEFAULT_MAX_PAYLOAD_BYTES);
    }
}

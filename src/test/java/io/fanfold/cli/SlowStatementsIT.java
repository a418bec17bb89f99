package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.LogConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.Secret;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.server.RunningProxy;
import java.time.Duration;
import java.util.List;

/** {@code log.slow}. */
class SlowStatementsIT {
    private static final String WORKER = "slow_it";

    private static FanfoldConfig config(TestServer server, Duration slow) {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        return defaults.withListener(new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO))
                .withBackend(new BackendConfig(server.host(), server.port(), Duration.ofSeconds(10), Duration.ZERO))
                .withWorkers(defaults.workers().with(WORKER, new Secret("w"), 8))
                .withFanOut(defaults.fanOut().withDegree(2).withMinRows(0))
                .withLog(LogConfig.defaults().withSlow(slow));
    }

    private static List<String> slow(CapturedLog log) {
        return log.lines().stream().filter(line -> line.contains(" slow: ")).toList();
    }

    @AllServers
    void aSlowStatementIsLoggedWithWhatBecameOfIt(TestServer server) throws Exception {
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            for (String sql : List.of(
                    "DROP DATABASE IF EXISTS it_slow",
                    "CREATE DATABASE it_slow",
                    "CREATE TABLE it_slow.t (id INT PRIMARY KEY, v INT, d DOUBLE) PARTITION BY HASH (id) PARTITIONS 3",
                    "INSERT INTO it_slow.t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)",
                    "CREATE TABLE it_slow.plain (id INT)",
                    "DROP USER IF EXISTS " + WORKER,
                    "CREATE USER " + WORKER + " IDENTIFIED BY 'w'",
                    "GRANT SELECT, LOCK TABLES ON it_slow.* TO " + WORKER)) {
                admin.execute(sql);
            }
        }
        Duration[] slow = {Duration.ofNanos(1)};
        RunningSettings settings = RunningSettings.from(() -> config(server, slow[0]));
        try (CapturedLog log = CapturedLog.of(Level.WARN);
                RunningProxy proxy = ProxyProcess.start(settings);
                WireConnection client = ProxiedServer.connect("127.0.0.1", proxy.port(), WORKER, "w")) {
            client.execute("USE it_slow");
            client.query("SELECT SUM(id) FROM t WHERE v < 77");
            client.query("SELECT SUM(d) FROM t WHERE v < 77");
            // refused a moment before, so it is not offered any more
            client.query("SELECT SUM(d) FROM t WHERE v < 77");
            client.query("SELECT SUM(id) FROM plain WHERE id < 77");
            client.execute("SET @a = 1");
            await().until(() -> slow(log).size() == 4);
            String session = "WARN session \\d+ of slow_it in it_slow slow: \\d+ ms, ";
            assertThat(slow(log).get(0))
                    .matches(
                            session
                                    + "split: 3 partitions, degree 2, snapshot [a-z]+: \\QSELECT SUM(id) FROM t WHERE v < ?\\E");
            assertThat(slow(log).get(1))
                    .matches(session + "passed through: approximate \\(.*\\): \\QSELECT SUM(d) FROM t WHERE v < ?\\E");
            assertThat(slow(log).get(2))
                    .matches(session + "passed through: approximate \\(.*\\): \\QSELECT SUM(d) FROM t WHERE v < ?\\E");
            assertThat(slow(log).get(3))
                    .matches(session
                            + "passed through: key_range \\(plain has no primary key that begins with .*\\): "
                            + "\\QSELECT SUM(id) FROM plain WHERE id < ?\\E");

            slow[0] = Duration.ofHours(1);
            settings.reload();
            client.query("SELECT SUM(id) FROM t WHERE v < 78");
            slow[0] = Duration.ZERO;
            settings.reload();
            client.query("SELECT SUM(id) FROM t WHERE v < 79");
            client.query("SELECT SUM(id) FROM plain WHERE id < 79");
            assertThat(client.ping()).isTrue();
            assertThat(slow(log)).hasSize(4);
        }
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            admin.execute("DROP DATABASE it_slow");
            admin.execute("DROP USER " + WORKER);
        }
    }
}

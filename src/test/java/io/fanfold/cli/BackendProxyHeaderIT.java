package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.Secret;
import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.proxy.ProxyNetworks;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.server.RunningProxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * A server that accepts PROXY protocol headers sees the clients, not the proxy, and statements are still split. MySQL
 * does not accept such headers.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "no other system has 127.0.0.2 without being told")
@OnServers(ServerName.MARIADB)
class BackendProxyHeaderIT {
    private static final String ELSEWHERE = "127.0.0.2";
    private static final String WORKER = "header_worker";

    private final TestServer server;

    BackendProxyHeaderIT(TestServer server) {
        this.server = server;
    }

    @BeforeEach
    void prepare() throws Exception {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            statement.execute("DROP DATABASE IF EXISTS header_it");
            statement.execute("CREATE DATABASE header_it");
            statement.execute("USE header_it");
            statement.execute("DROP USER IF EXISTS " + WORKER);
            statement.execute("CREATE USER " + WORKER + " IDENTIFIED BY 'w'");
            statement.execute("GRANT SELECT ON header_it.* TO " + WORKER);
            statement.execute("CREATE TABLE t (a INT) PARTITION BY HASH (a) PARTITIONS 4");
            statement.execute("INSERT INTO t SELECT seq FROM seq_1_to_1000");
        }
    }

    @AfterEach
    void cleanUp() throws Exception {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            statement.execute("DROP DATABASE header_it");
            statement.execute("DROP USER " + WORKER);
        }
    }

    private RunningProxy proxy(ProxyProtocol sent) throws Exception {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        return ProxyProcess.start(RunningSettings.of(new FanfoldConfig(
                new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO),
                new BackendConfig(server.host(), server.port(), Duration.ofSeconds(10), Duration.ZERO)
                        .withProxyProtocol(sent),
                defaults.workers().with(WORKER, new Secret("w"), 8),
                defaults.fanOut()
                        .withDegree(3)
                        .withMinRows(0)
                        .withSplitPlainCount(true)
                        .withCatalogRefresh(Duration.ofMillis(100)),
                defaults.limits())));
    }

    private Connection client(int port) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + port + "/header_it?sslMode=disable&localSocketAddress=" + ELSEWHERE,
                server.adminUser(),
                server.adminPassword());
    }

    @Test
    void theServerSeesClientsAndWorkers() throws Exception {
        for (ProxyProtocol sent : List.of(ProxyProtocol.V1, ProxyProtocol.V2)) {
            try (ProxyNetworks networks = ProxyNetworks.open(server);
                    RunningProxy proxy = proxy(sent);
                    Connection connection = client(proxy.port());
                    Statement statement = connection.createStatement()) {
                assertThat(networks).isNotNull();
                assertThat(Sql.clientAddress(statement)).isEqualTo(ELSEWHERE);
                Awaitility.await().untilAsserted(() -> {
                    assertThat(Sql.only(statement, "SELECT SUM(a) FROM t")).isEqualTo("500500");
                    assertThat(proxy.lastFanOut().fannedOut())
                            .as(proxy.lastFanOut().reason())
                            .isTrue();
                });
            }
        }
    }
}

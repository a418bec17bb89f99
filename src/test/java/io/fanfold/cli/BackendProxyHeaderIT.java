package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.Secret;
import io.fanfold.it.OnServers;
import io.fanfold.it.ServerName;
import io.fanfold.it.TestServer;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that takes PROXY protocol headers sees clients, not the proxy; splits go on. MySQL knows no such headers. */
@OnServers(ServerName.MARIADB)
class BackendProxyHeaderIT {
    private static final String ELSEWHERE = "127.0.0.2";
    private static final String WORKER = "header_worker";

    private final TestServer server;
    private String networks = "";

    BackendProxyHeaderIT(TestServer server) {
        this.server = server;
    }

    @BeforeEach
    void prepare() throws Exception {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            networks = only(statement, "SELECT @@GLOBAL.proxy_protocol_networks");
            statement.execute("SET GLOBAL proxy_protocol_networks = '*'");
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
            statement.execute("SET GLOBAL proxy_protocol_networks = '" + networks + "'");
            statement.execute("DROP DATABASE header_it");
            statement.execute("DROP USER " + WORKER);
        }
    }

    private static String only(Statement statement, String sql) throws SQLException {
        try (ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }

    private RunningProxy proxy(ProxyProtocol sent) throws Exception {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        FanOutConfig fanOut = defaults.fanOut();
        return ProxyProcess.start(new FanfoldConfig(
                new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO),
                new BackendConfig(server.host(), server.port(), Duration.ofSeconds(10), Duration.ZERO, sent),
                defaults.workers().with(WORKER, new Secret("w"), 8),
                new FanOutConfig(true, 3, 0, fanOut.snapshots(), true, fanOut.approximate(), Duration.ofMillis(100)),
                defaults.limits()));
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
            try (RunningProxy proxy = proxy(sent);
                    Connection connection = client(proxy.port());
                    Statement statement = connection.createStatement()) {
                seesTheClient(statement);
                Awaitility.await().untilAsserted(() -> {
                    assertThat(only(statement, "SELECT SUM(a) FROM t")).isEqualTo("500500");
                    assertThat(proxy.lastFanOut().fannedOut())
                            .as(proxy.lastFanOut().reason())
                            .isTrue();
                });
            }
        }
    }

    /** Where it resolves names it knows the address by one. */
    private static void seesTheClient(Statement statement) throws SQLException, UnknownHostException {
        String host = only(statement, "SELECT host FROM information_schema.processlist WHERE id = CONNECTION_ID()");
        String seen = host.substring(0, host.lastIndexOf(':'));
        assertThat(InetAddress.getByName(seen).getHostAddress()).isEqualTo(ELSEWHERE);
    }
}

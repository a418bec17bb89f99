package io.fanfold.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.fanfold.cli.HostPort;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.Network;
import io.fanfold.execute.StatementSplitter;
import io.fanfold.it.OnServers;
import io.fanfold.it.ServerName;
import io.fanfold.it.TestServer;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.server.ProxyServer;
import io.fanfold.session.KillRecognizer;
import java.net.InetAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From a client through HAProxy and Fanfold to a server that takes PROXY protocol headers, which MySQL does not. */
@OnServers(ServerName.MARIADB)
class HaProxyChainIT {
    /** Where the clients come from, so that they are told from both proxies. */
    private static final String ELSEWHERE = "127.0.0.2";

    private final TestServer server;
    private String networks = "";

    HaProxyChainIT(TestServer server) {
        this.server = server;
    }

    @BeforeEach
    void prepare() throws Exception {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            networks = only(statement, "SELECT @@GLOBAL.proxy_protocol_networks");
            statement.execute("SET GLOBAL proxy_protocol_networks = '*'");
        }
    }

    @AfterEach
    void cleanUp() throws Exception {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL proxy_protocol_networks = '" + networks + "'");
        }
    }

    private static String only(Statement statement, String sql) throws SQLException {
        try (ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }

    private static Path haProxy() {
        Path binary = HaProxyRelay.installed();
        if (binary == null) {
            return Boolean.getBoolean("fanfold.it.required") ? fail("HAProxy is required") : abort("no HAProxy");
        }
        return binary;
    }

    private ProxyServer proxy(ProxyProtocol sent) throws Exception {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        ProxyServer proxy = new ProxyServer(
                new FanfoldConfig(
                        new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO)
                                .withProxyNetworks(
                                        List.of(Network.parse("127.0.0.1").orElseThrow())),
                        new BackendConfig(server.host(), server.port(), Duration.ofSeconds(10), Duration.ZERO, sent),
                        defaults.workers(),
                        defaults.fanOut(),
                        defaults.limits()),
                StatementSplitter.disabled(),
                KillRecognizer.NONE,
                FanfoldMetrics.NONE);
        proxy.start();
        return proxy;
    }

    @Test
    void theServerSeesTheClient() throws Exception {
        for (ProxyProtocol sent : List.of(ProxyProtocol.V1, ProxyProtocol.V2)) {
            for (String taken : List.of("send-proxy", "send-proxy-v2")) {
                ProxyServer proxy = proxy(sent);
                try (HaProxyRelay relay =
                                HaProxyRelay.start(haProxy(), new HostPort("127.0.0.1", proxy.port()), taken);
                        Connection connection = DriverManager.getConnection(
                                "jdbc:mariadb://127.0.0.1:" + relay.port() + "/?sslMode=disable&localSocketAddress="
                                        + ELSEWHERE,
                                server.adminUser(),
                                server.adminPassword());
                        Statement statement = connection.createStatement()) {
                    String host = only(
                            statement, "SELECT host FROM information_schema.processlist WHERE id = CONNECTION_ID()");
                    // where the server resolves names it shows one
                    InetAddress seen = InetAddress.getByName(host.substring(0, host.lastIndexOf(':')));
                    assertThat(seen.getHostAddress()).as("%s, %s", taken, sent).isEqualTo(ELSEWHERE);
                } finally {
                    proxy.stop(Duration.ofSeconds(5));
                }
            }
        }
    }
}

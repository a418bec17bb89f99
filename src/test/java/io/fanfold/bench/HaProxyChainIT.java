package io.fanfold.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.Network;
import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.it.support.proxy.ProxyNetworks;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A chain of client, HAProxy, Fanfold and a server that accepts PROXY protocol headers, which MySQL does not. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "no other system has 127.0.0.2 without being told")
@OnServers(ServerName.MARIADB)
class HaProxyChainIT {
    /** The address of the clients, which differs from the address of both proxies. */
    private static final String ELSEWHERE = "127.0.0.2";

    private final TestServer server;

    HaProxyChainIT(TestServer server) {
        this.server = server;
    }

    @Test
    void theServerSeesTheClient() throws Exception {
        try (ProxyNetworks networks = ProxyNetworks.open(server)) {
            assertThat(networks).isNotNull();
            for (ProxyProtocol sent : List.of(ProxyProtocol.V1, ProxyProtocol.V2)) {
                for (String taken : List.of("send-proxy", "send-proxy-v2")) {
                    assertThat(seenFrom(sent, taken)).as("%s, %s", taken, sent).isEqualTo(ELSEWHERE);
                }
            }
        }
    }

    private String seenFrom(ProxyProtocol sent, String taken) throws Exception {
        BackendConfig backend = new BackendConfig(server.host(), server.port(), Duration.ofSeconds(10), Duration.ZERO)
                .withProxyProtocol(sent);
        List<Network> networks = List.of(Network.parse("127.0.0.1").orElseThrow());
        try (PlainProxy proxy = PlainProxy.start(PlainProxy.anyPort().withProxyNetworks(networks), backend);
                HaProxyRelay relay = TestHaProxy.before(proxy.port(), taken);
                Connection connection = DriverManager.getConnection(
                        "jdbc:mariadb://127.0.0.1:" + relay.port() + "/?sslMode=disable&localSocketAddress="
                                + ELSEWHERE,
                        server.adminUser(),
                        server.adminPassword());
                Statement statement = connection.createStatement()) {
            return Sql.clientAddress(statement);
        }
    }
}

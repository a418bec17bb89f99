package io.fanfold.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fanfold.config.Network;
import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.session.ClientSession;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.slf4j.LoggerFactory;

/** Clients that connect through a real HAProxy. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "no other system has 127.0.0.2 without being told")
@AllServers
class ProxyHeaderIT {
    /** The address of the clients, which differs from HAProxy's. */
    private static final String ELSEWHERE = "127.0.0.2";

    private final TestServer server;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(ClientSession.class);
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getFormattedMessage());
        }
    };

    ProxyHeaderIT(TestServer server) {
        this.server = server;
    }

    @BeforeEach
    void watch() {
        appender.start();
        logger.setLevel(Level.DEBUG);
        logger.addAppender(appender);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(appender);
        logger.setLevel(null);
    }

    private PlainProxy proxy(String network) throws Exception {
        List<Network> taken = List.of(Network.parse(network).orElseThrow());
        return PlainProxy.start(PlainProxy.anyPort().withProxyNetworks(taken), PlainProxy.before(server));
    }

    private String url(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/?sslMode=disable&allowPublicKeyRetrieval=true&localSocketAddress="
                + ELSEWHERE;
    }

    @Test
    void clientsAreNamedByTheHeader() throws Exception {
        for (String version : List.of("send-proxy", "send-proxy-v2")) {
            lines.clear();
            try (PlainProxy proxy = proxy("127.0.0.1");
                    HaProxyRelay relay = TestHaProxy.before(proxy.port(), version);
                    Connection connection =
                            DriverManager.getConnection(url(relay.port()), server.adminUser(), server.adminPassword());
                    Statement statement = connection.createStatement()) {
                assertThat(Sql.only(statement, "SELECT 40 + 2")).isEqualTo("42");
                assertThat(lines)
                        .as(version)
                        .anyMatch(line -> line.startsWith("client /" + ELSEWHERE + ":")
                                && line.contains(" by /127.0.0.1:")
                                && line.contains(" is connected as server thread "));
            }
        }
    }

    @Test
    void headersOfOthersAreRefused() throws Exception {
        for (String version : List.of("send-proxy", "send-proxy-v2")) {
            try (PlainProxy proxy = proxy("127.0.0.3");
                    HaProxyRelay relay = TestHaProxy.before(proxy.port(), version)) {
                assertThatThrownBy(() -> DriverManager.getConnection(
                                url(relay.port()), server.adminUser(), server.adminPassword()))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("this address may not send a PROXY protocol header");
            }
        }
    }
}

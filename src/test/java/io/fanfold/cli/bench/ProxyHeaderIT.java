package io.fanfold.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fanfold.cli.HostPort;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.Network;
import io.fanfold.execute.StatementSplitter;
import io.fanfold.it.AllServers;
import io.fanfold.it.TestServer;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.server.ProxyServer;
import io.fanfold.session.ClientSession;
import io.fanfold.session.KillRecognizer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Clients that come through a real HAProxy. */
@AllServers
class ProxyHeaderIT {
    /** Where the clients come from, so that they are told from HAProxy itself. */
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

    private static Path haProxy() {
        Path binary = HaProxyRelay.installed();
        if (binary == null) {
            return Boolean.getBoolean("fanfold.it.required") ? fail("HAProxy is required") : abort("no HAProxy");
        }
        return binary;
    }

    private ProxyServer proxy(String... networks) throws Exception {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        List<Network> taken = Arrays.stream(networks)
                .map(text -> Network.parse(text).orElseThrow())
                .toList();
        ProxyServer proxy = new ProxyServer(
                new FanfoldConfig(
                        new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO).withProxyNetworks(taken),
                        new BackendConfig(server.host(), server.port(), Duration.ofSeconds(10), Duration.ZERO),
                        defaults.workers(),
                        defaults.fanOut(),
                        defaults.limits()),
                StatementSplitter.disabled(),
                KillRecognizer.NONE,
                FanfoldMetrics.NONE);
        proxy.start();
        return proxy;
    }

    private String url(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/?sslMode=disable&allowPublicKeyRetrieval=true&localSocketAddress="
                + ELSEWHERE;
    }

    private static String only(Statement statement, String sql) throws SQLException {
        try (ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }

    @Test
    void clientsAreNamedByTheHeader() throws Exception {
        for (String version : List.of("send-proxy", "send-proxy-v2")) {
            lines.clear();
            ProxyServer proxy = proxy("127.0.0.1");
            try (HaProxyRelay relay = HaProxyRelay.start(haProxy(), new HostPort("127.0.0.1", proxy.port()), version);
                    Connection connection =
                            DriverManager.getConnection(url(relay.port()), server.adminUser(), server.adminPassword());
                    Statement statement = connection.createStatement()) {
                assertThat(only(statement, "SELECT 40 + 2")).isEqualTo("42");
                assertThat(lines)
                        .as(version)
                        .anyMatch(line -> line.startsWith("client /" + ELSEWHERE + ":")
                                && line.contains(" by /127.0.0.1:")
                                && line.contains(" is connected as server thread "));
            } finally {
                proxy.stop(Duration.ofSeconds(5));
            }
        }
    }

    @Test
    void headersOfOthersAreRefused() throws Exception {
        for (String version : List.of("send-proxy", "send-proxy-v2")) {
            ProxyServer proxy = proxy("127.0.0.3");
            try (HaProxyRelay relay = HaProxyRelay.start(haProxy(), new HostPort("127.0.0.1", proxy.port()), version)) {
                assertThatThrownBy(() -> DriverManager.getConnection(
                                url(relay.port()), server.adminUser(), server.adminPassword()))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("a PROXY protocol header is not taken from this address");
            } finally {
                proxy.stop(Duration.ofSeconds(5));
            }
        }
    }
}

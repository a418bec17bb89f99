package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.execute.StatementSplitter;
import io.fanfold.it.AllServers;
import io.fanfold.it.TestServer;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.server.ProxyServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A driver that connects by a Unix domain socket sees what it sees directly. */
@AllServers
class UnixSocketIT {
    private final TestServer server;

    @TempDir
    Path folder = Path.of("");

    UnixSocketIT(TestServer server) {
        this.server = server;
    }

    private ProxyServer proxy(Path socket) throws Exception {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        ProxyServer proxy = new ProxyServer(
                new FanfoldConfig(
                        new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO).withSocket(socket),
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

    private Transcript run(String url) throws SQLException {
        Transcript seen = new Transcript();
        try (Connection connection = DriverManager.getConnection(url, server.adminUser(), server.adminPassword());
                Statement statement = connection.createStatement()) {
            seen.execute(statement, "SELECT 40 + 2 AS answer, 'ü' AS text");
            seen.execute(statement, "SELECT missing");
            // more than the buffers of both sides hold
            seen.execute(statement, "SELECT REPEAT('x', 16000000), 1");
            try (ResultSet user = statement.executeQuery("SELECT CURRENT_USER()")) {
                user.next();
                seen.add(user.getString(1));
            }
        }
        return seen;
    }

    @Test
    void seesTheSame() throws Exception {
        Path socket = folder.resolve("fanfold.sock");
        ProxyServer proxy = proxy(socket);
        try {
            String options = "?sslMode=disable&allowPublicKeyRetrieval=true";
            Transcript direct = run("jdbc:mariadb://" + server.host() + ":" + server.port() + "/" + options);
            Transcript relayed = run("jdbc:mariadb://localhost/" + options + "&localSocket=" + socket);
            assertThat(relayed.lines()).isEqualTo(direct.lines()).hasSizeGreaterThan(3);
        } finally {
            proxy.stop(Duration.ofSeconds(5));
        }
        assertThat(socket).doesNotExist();
    }
}

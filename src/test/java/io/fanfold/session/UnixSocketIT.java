package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A driver that connects through a Unix domain socket sees the same results as directly. */
@AllServers
class UnixSocketIT {
    private final TestServer server;

    @TempDir
    Path folder = Path.of("");

    UnixSocketIT(TestServer server) {
        this.server = server;
    }

    private Transcript run(String url) throws SQLException {
        Transcript seen = new Transcript();
        try (Connection connection = DriverManager.getConnection(url, server.adminUser(), server.adminPassword());
                Statement statement = connection.createStatement()) {
            seen.execute(statement, "SELECT 40 + 2 AS answer, 'ü' AS text");
            seen.execute(statement, "SELECT missing");
            // more than the buffers of both sides hold
            seen.execute(statement, "SELECT REPEAT('x', 16000000), 1");
            seen.add(Sql.only(statement, "SELECT CURRENT_USER()"));
        }
        return seen;
    }

    @Test
    void seesTheSame() throws Exception {
        Path socket = folder.resolve("fanfold.sock");
        try (PlainProxy proxy = PlainProxy.start(PlainProxy.anyPort().withSocket(socket), PlainProxy.before(server))) {
            assertThat(proxy.port()).isPositive();
            String options = "?sslMode=disable&allowPublicKeyRetrieval=true";
            Transcript direct = run("jdbc:mariadb://" + server.host() + ":" + server.port() + "/" + options);
            Transcript relayed = run("jdbc:mariadb://localhost/" + options + "&localSocket=" + socket);
            assertThat(relayed.lines()).isEqualTo(direct.lines()).hasSizeGreaterThan(3);
        }
        assertThat(socket).doesNotExist();
    }
}

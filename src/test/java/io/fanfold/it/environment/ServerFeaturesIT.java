package io.fanfold.it.environment;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The features for which individual servers are in the test set. */
class ServerFeaturesIT {
    @OnServers(ServerName.MYSQL)
    void numbersTransactionsByGtid(TestServer server) throws SQLException {
        assertThat(single(server, "SELECT @@gtid_mode")).isEqualTo("ON");
        assertThat(single(server, "SELECT @@gtid_executed")).isNotNull();
    }

    @OnServers(ServerName.MYSQL)
    void authenticatesByCachingSha2(TestServer server) throws SQLException {
        assertThat(loginAs(server, "IDENTIFIED WITH caching_sha2_password BY 'pw'"))
                .isEqualTo("guest@%");
    }

    @OnServers({ServerName.MARIADB, ServerName.MARIADB_WITH_PLUGINS})
    void authenticatesByNativePassword(TestServer server) throws SQLException {
        assertThat(loginAs(server, "IDENTIFIED BY 'pw'")).isEqualTo("guest@%");
    }

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void authenticatesByEd25519(TestServer server) throws SQLException {
        assertThat(loginAs(server, "IDENTIFIED VIA ed25519 USING PASSWORD('pw')"))
                .isEqualTo("guest@%");
    }

    @OnServers({ServerName.MARIADB, ServerName.MARIADB_WITH_PLUGINS})
    void showsTheBinaryLogPositionOfASnapshot(TestServer server) throws SQLException {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
            try (ResultSet status = statement.executeQuery("SHOW STATUS LIKE 'binlog_snapshot_file'")) {
                assertThat(status.next()).isTrue();
                assertThat(status.getString(2)).startsWith("binlog.");
            }
        }
    }

    private static String loginAs(TestServer server, String identified) throws SQLException {
        try (Connection admin = server.connect("");
                Statement statement = admin.createStatement()) {
            statement.executeUpdate("CREATE USER guest@'%' " + identified);
            try (Connection guest = DriverManager.getConnection(server.jdbcUrl(""), "guest", "pw");
                    Statement asks = guest.createStatement();
                    ResultSet who = asks.executeQuery("SELECT CURRENT_USER()")) {
                assertThat(who.next()).isTrue();
                return who.getString(1);
            } finally {
                statement.executeUpdate("DROP USER guest@'%'");
            }
        }
    }

    private static String single(TestServer server, String sql) throws SQLException {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            return Sql.only(statement, sql);
        }
    }
}

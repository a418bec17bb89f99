package io.fanfold.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.config.BackendConfig;
import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.wire.ServerFlavor;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;

/** How clients react to a proxy whose server is unreachable or lost: they show the reason, or use another proxy. */
class ServerDownIT {
    private static BackendConfig at(int port) {
        return new BackendConfig("127.0.0.1", port, Duration.ofSeconds(10), Duration.ZERO);
    }

    private static PlainProxy beforeNobody() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        return PlainProxy.start(PlainProxy.anyPort(), at(port));
    }

    /** Returns URLs that list two proxies. Only with the last of MariaDB's does an established connection fail over. */
    private static List<String> urls(TestServer server, int first, int second) {
        String hosts = "127.0.0.1:" + first + ",127.0.0.1:" + second;
        String connectorJ = "jdbc:mysql://" + hosts
                + "/?sslMode=DISABLED&allowPublicKeyRetrieval=true&autoReconnect=true&failOverReadOnly=false";
        return server.kind() == ServerFlavor.MYSQL
                ? List.of(connectorJ)
                : List.of(
                        connectorJ,
                        "jdbc:mariadb://" + hosts + "/?sslMode=disable",
                        "jdbc:mariadb:sequential://" + hosts + "/?sslMode=disable");
    }

    @AllServers
    void driversTakeTheNextHostOfTheirUrl(TestServer server) throws Exception {
        try (PlainProxy dead = beforeNobody();
                PlainProxy alive = PlainProxy.start(PlainProxy.anyPort(), PlainProxy.before(server))) {
            for (String url : urls(server, dead.port(), alive.port())) {
                try (Connection connection =
                                DriverManager.getConnection(url, server.adminUser(), server.adminPassword());
                        Statement statement = connection.createStatement()) {
                    assertThat(Sql.only(statement, "SELECT 6 * 7")).as(url).isEqualTo("42");
                }
            }
        }
    }

    /** A statement runs when the connection to the server is cut. */
    @AllServers
    void driversTakeTheNextHostWhenTheServerIsLost(TestServer server) throws Exception {
        List<Integer> goOn = server.kind() == ServerFlavor.MYSQL ? List.of(0) : List.of(0, 2);
        for (int i : goOn) {
            try (FaultProxy faults = FaultProxy.before(server);
                    PlainProxy first = PlainProxy.start(PlainProxy.anyPort(), at(faults.port()));
                    PlainProxy second = PlainProxy.start(PlainProxy.anyPort(), PlainProxy.before(server));
                    Connection connection = DriverManager.getConnection(
                            urls(server, first.port(), second.port()).get(i),
                            server.adminUser(),
                            server.adminPassword());
                    Connection admin = DriverManager.getConnection(
                            urls(server, second.port(), second.port()).get(0),
                            server.adminUser(),
                            server.adminPassword());
                    Statement look = admin.createStatement()) {
                Future<SQLException> failed = Background.start(() -> failure(connection, "SELECT SLEEP(600)"));
                await().until(() -> Sql.only(
                                look,
                                "SELECT COUNT(*) FROM information_schema.processlist WHERE info = 'SELECT SLEEP(600)'")
                        .equals("1"));
                faults.close();
                SQLException told = failed.get(20, TimeUnit.SECONDS);
                String url = urls(server, first.port(), second.port()).get(i);
                // MariaDB Connector/J reports with 25S03 that it has reconnected
                assertThat(told.getSQLState()).as("%s: %s", url, told).containsAnyOf("08", "25S03");
                await().ignoreExceptionsInstanceOf(SQLException.class).untilAsserted(() -> {
                    try (Statement again = connection.createStatement()) {
                        assertThat(Sql.only(again, "SELECT 6 * 7")).as(url).isEqualTo("42");
                    }
                });
            }
        }
    }

    private static SQLException failure(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            throw new AssertionError("it did not fail: " + sql);
        } catch (SQLException e) {
            return e;
        }
    }

    /** Connector/C and libmysql. Connector/C treats error codes of its own range as a malformed packet (2027). */
    @OnServers({ServerName.MYSQL, ServerName.MARIADB_WITH_PLUGINS})
    void commandLineClientsShowTheReason(TestServer server) throws Exception {
        try (GenericContainer<?> clients = ContainerServers.clients(server.name());
                FaultProxy faults = FaultProxy.before(server);
                PlainProxy dead = beforeNobody();
                PlainProxy alive = PlainProxy.start(PlainProxy.anyPort(), at(faults.port()))) {
            clients.start();
            String client = server.kind() == ServerFlavor.MYSQL
                    ? "mysql --get-server-public-key --ssl-mode=DISABLED"
                    : "mariadb --skip-ssl";
            String call = "MYSQL_PWD='" + server.adminPassword() + "' " + client + " -h 127.0.0.1 -P %d -u "
                    + server.adminUser() + " -e \"%s\"";

            ExecResult refused = clients.execInContainer("sh", "-c", call.formatted(dead.port(), "SELECT 1"));
            assertThat(refused.getStderr())
                    .contains("1158", "cannot connect to the server at 127.0.0.1")
                    .doesNotContain("malformed");

            faults.arm(new FaultProxy.Fault(FaultProxy.Kind.CUT, "SELECT 1 + 1", 0, true));
            ExecResult lost = clients.execInContainer("sh", "-c", call.formatted(alive.port(), "SELECT 1 + 1"));
            assertThat(lost.getStderr()).contains("ERROR 2013", "Lost connection to");
        }
    }
}

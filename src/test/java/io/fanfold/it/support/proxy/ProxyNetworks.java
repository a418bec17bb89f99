package io.fanfold.it.support.proxy;

import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.server.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A MariaDB server that accepts PROXY protocol headers from everyone until this is closed. */
public final class ProxyNetworks implements AutoCloseable {
    private final TestServer server;
    private final String before;

    private ProxyNetworks(TestServer server, String before) {
        this.server = server;
        this.before = before;
    }

    public static ProxyNetworks open(TestServer server) throws SQLException {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            String before = Sql.only(statement, "SELECT @@GLOBAL.proxy_protocol_networks");
            statement.execute("SET GLOBAL proxy_protocol_networks = '*'");
            return new ProxyNetworks(server, before);
        }
    }

    @Override
    public void close() throws SQLException {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL proxy_protocol_networks = '" + before + "'");
        }
    }
}

package io.fanfold.it.support.server;

import io.fanfold.wire.ServerFlavor;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * A running server for tests. Its administrator has all privileges. Immutable.
 *
 * <p>All tests of the run share the server: a test works in a database of its own name, and restores any global
 * variable that it changes.
 *
 * @param name which of the known servers it is
 * @param kind product, determines the driver
 * @param host address at which this JVM reaches it
 * @param port TCP port
 * @param adminUser account with all privileges
 * @param adminPassword its password
 */
public record TestServer(
        ServerName name, ServerFlavor kind, String host, int port, String adminUser, String adminPassword) {
    /**
     * Returns a URL for the product's own driver: Connector/J for MySQL, MariaDB's for MariaDB. Without TLS.
     *
     * @param database default database, or "" for none
     */
    public String jdbcUrl(String database) {
        return jdbcUrl(host, port, database);
    }

    /** Like {@link #jdbcUrl(String)}, for another address that leads to this server, such as a proxy. */
    public String jdbcUrl(String otherHost, int otherPort, String database) {
        String address = otherHost + ":" + otherPort + "/" + database;
        return switch (kind) {
            case MYSQL -> "jdbc:mysql://" + address + "?sslMode=DISABLED&allowPublicKeyRetrieval=true";
            case MARIADB -> "jdbc:mariadb://" + address + "?sslMode=disable";
        };
    }

    /** Opens a connection as administrator. The caller closes it. */
    public Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(jdbcUrl(database), adminUser, adminPassword);
    }

    @Override
    public String toString() {
        return name.toString();
    }
}

package io.fanfold.it;

import io.fanfold.wire.ServerFlavor;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * A running server that a test may use; its administrator may do everything. Immutable.
 *
 * <p>The server is shared by all tests of the run: a test works in a database of its own name, and puts back any global
 * variable that it changes.
 *
 * @param name which of the known servers it is
 * @param kind product, decides on the driver
 * @param host address that this JVM reaches it at
 * @param port TCP port
 * @param adminUser account with all rights
 * @param adminPassword its password
 */
public record TestServer(
        ServerName name, ServerFlavor kind, String host, int port, String adminUser, String adminPassword) {
    /**
     * URL for the driver made for this product: Connector/J for MySQL, MariaDB's for MariaDB. Without TLS.
     *
     * @param database default database, or "" for none
     */
    public String jdbcUrl(String database) {
        return jdbcUrl(host, port, database);
    }

    /** The same for another address that leads to this server, such as a proxy. */
    public String jdbcUrl(String otherHost, int otherPort, String database) {
        String address = otherHost + ":" + otherPort + "/" + database;
        return switch (kind) {
            case MYSQL -> "jdbc:mysql://" + address + "?sslMode=DISABLED&allowPublicKeyRetrieval=true";
            case MARIADB -> "jdbc:mariadb://" + address + "?sslMode=disable";
        };
    }

    /** Opens a connection as administrator; the caller closes it. */
    public Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(jdbcUrl(database), adminUser, adminPassword);
    }

    @Override
    public String toString() {
        return name.toString();
    }
}

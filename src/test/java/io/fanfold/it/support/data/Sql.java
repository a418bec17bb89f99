package io.fanfold.it.support.data;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Queries that many tests run. */
public final class Sql {
    private Sql() {}

    /** Returns the first column of the first row, which must exist. */
    public static String only(Statement statement, String sql) throws SQLException {
        try (ResultSet result = statement.executeQuery(sql)) {
            if (!result.next()) {
                throw new AssertionError("no row: " + sql);
            }
            return result.getString(1);
        }
    }

    /** Returns the client's address as the server sees it. */
    public static String clientAddress(Statement statement) throws SQLException, UnknownHostException {
        String host = only(statement, "SELECT host FROM information_schema.processlist WHERE id = CONNECTION_ID()");
        // if the server resolves names, it shows one
        return InetAddress.getByName(host.substring(0, host.lastIndexOf(':'))).getHostAddress();
    }
}

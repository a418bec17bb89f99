package io.fanfold.it;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** What many tests ask a server. */
public final class Sql {
    private Sql() {}

    /** The first column of the first row, which has to be there. */
    public static String only(Statement statement, String sql) throws SQLException {
        try (ResultSet result = statement.executeQuery(sql)) {
            if (!result.next()) {
                throw new AssertionError("no row: " + sql);
            }
            return result.getString(1);
        }
    }

    /** The address that the server takes the client to come from. */
    public static String clientAddress(Statement statement) throws SQLException, UnknownHostException {
        String host = only(statement, "SELECT host FROM information_schema.processlist WHERE id = CONNECTION_ID()");
        // where the server resolves names it shows one
        return InetAddress.getByName(host.substring(0, host.lastIndexOf(':'))).getHostAddress();
    }
}

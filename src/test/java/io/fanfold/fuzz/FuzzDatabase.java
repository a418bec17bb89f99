package io.fanfold.fuzz;

import io.fanfold.demo.SqlClient;
import io.fanfold.demo.SqlFailure;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;

/** Creates the tables in a database of their own. Not thread-safe. */
public final class FuzzDatabase {
    private static final String MARKER = "fanfold_fuzz";

    private final SqlClient client;
    private final String database;

    /**
     * Creates one for a server.
     *
     * @param client direct to the server, with the privilege to create the database
     * @param database its name: letters, digits and underscores
     */
    public FuzzDatabase(SqlClient client, String database) {
        this.client = client;
        this.database = database;
    }

    /** Which of the two servers this is. */
    public static ServerFlavor flavor(SqlClient client) {
        return ServerFlavor.mariaDbIf(client.serverVersion().contains("MariaDB"));
    }

    /**
     * Creates the database again.
     *
     * @param ranges see {@link FuzzSchema}
     * @throws IOException if the server refuses, or the database exists and was not created by this
     */
    public void create(boolean ranges) throws IOException {
        boolean there = client.query("SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = '" + database + "'")
                        .first()
                != null;
        boolean own = client.query("SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = '" + database
                                + "' AND TABLE_NAME = '" + MARKER + "'")
                        .first()
                != null;
        if (there && !own) {
            throw new IOException("database " + database
                    + " exists and was not made by this command (choose another with --database)");
        }
        execute("DROP DATABASE IF EXISTS `" + database + "`");
        execute("CREATE DATABASE `" + database + "` DEFAULT CHARACTER SET utf8mb4");
        client.execute("USE `" + database + "`");
        execute("CREATE TABLE " + MARKER + " (made INT PRIMARY KEY)");
        client.execute("SET SESSION sql_mode = ''");
        for (FuzzTable table : new FuzzSchema(flavor(client), ranges).tables()) {
            for (String sql : table.ddl()) {
                execute(sql);
            }
            client.query("ANALYZE TABLE " + table.name());
        }
        client.execute("SET SESSION sql_mode = DEFAULT");
    }

    private void execute(String sql) throws IOException {
        try {
            client.execute(sql);
        } catch (SqlFailure e) {
            throw new IOException(
                    "the database cannot be made: " + e.getMessage() + " at "
                            + sql.substring(0, Math.min(120, sql.length())),
                    e);
        }
    }
}

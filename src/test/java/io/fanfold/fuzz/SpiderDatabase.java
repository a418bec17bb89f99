package io.fanfold.fuzz;

import io.fanfold.demo.DemoServer;
import io.fanfold.demo.SqlAnswer;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.SqlFailure;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Creates the tables of {@link FuzzDatabase} on the head, as Spider tables if they have partitions. The rows are in tables
 * of another database of the backends. Not thread-safe.
 */
final class SpiderDatabase {
    private static final Pattern PARTITIONED = Pattern.compile(
            "CREATE TABLE (?<name>`[^`]+`|\\w+) (?<body>\\(.*\\)) ENGINE=InnoDB .*PARTITION BY .*", Pattern.DOTALL);

    private final SqlClient.Factory clients;
    private final DemoServer servers;
    private final String database;

    /** @param database its name; the first backend has it already, with InnoDB tables */
    SpiderDatabase(SqlClient.Factory clients, DemoServer servers, String database) {
        this.clients = clients;
        this.servers = servers;
        this.database = database;
    }

    /** Creates the databases again. The servers exist for this run only. */
    void create() throws IOException {
        String rows = database + "_rows";
        List<SqlClient> backends = new ArrayList<>();
        try (SqlClient head = clients.open(servers.account())) {
            for (int i = 0; i < servers.backends().size(); i++) {
                SqlClient backend = clients.open(servers.backends().get(i));
                backends.add(backend);
                begin(backend, rows);
                // Spider writes a FLOAT with this function (10.11.19), which no server has
                backend.execute("CREATE FUNCTION to_float(x DOUBLE) RETURNS FLOAT DETERMINISTIC RETURN x");
            }
            begin(head, database);
            for (String statement : servers.foreignServers(rows)) {
                head.execute(statement);
            }
            int number = 0;
            for (FuzzTable table : new FuzzSchema(ServerFlavor.MARIADB, false).tables()) {
                Matcher partitioned = PARTITIONED.matcher(table.ddl().get(0));
                if (partitioned.matches()) {
                    create(head, backends, partitioned, "f" + number++ + "_");
                } else {
                    head.execute(table.ddl().get(0));
                }
                for (String statement : table.ddl().subList(1, table.ddl().size())) {
                    try {
                        head.execute(statement);
                    } catch (SqlFailure e) {
                        throw new IOException("table " + table.name() + ": " + e.getMessage() + " at " + statement, e);
                    }
                }
                head.query("ANALYZE TABLE " + table.name());
            }
        } finally {
            backends.forEach(SqlClient::close);
        }
    }

    private static void begin(SqlClient server, String database) throws IOException {
        server.execute("DROP DATABASE IF EXISTS `" + database + "`");
        server.execute("CREATE DATABASE `" + database + "` DEFAULT CHARACTER SET utf8mb4");
        server.execute("USE `" + database + "`");
        server.execute("SET SESSION sql_mode = ''");
    }

    /** Creates a Spider table with the partitions that the InnoDB table of the first backend has. */
    private void create(SqlClient head, List<SqlClient> backends, Matcher table, String prefix) throws IOException {
        String name = table.group("name").replace("`", "");
        SqlAnswer partitions = backends.get(0)
                .query("SELECT DISTINCT partition_name, partition_method, partition_expression, partition_description"
                        + " FROM information_schema.PARTITIONS WHERE table_schema = '" + database
                        + "' AND table_name = '" + name + "' ORDER BY partition_ordinal_position");
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < partitions.rows().size(); i++) {
            Row row = partitions.rows().get(i);
            int backend = i % backends.size();
            backends.get(backend)
                    .execute("CREATE TABLE " + prefix + i + " " + table.group("body")
                            + " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4");
            list.append(i == 0 ? "" : ", ")
                    .append("PARTITION `" + String.valueOf(row.utf8(0)).replace("`", "``") + "` ")
                    .append(values(String.valueOf(row.utf8(1)), row.utf8(3)))
                    .append("COMMENT = 'srv \"b" + backend + "\", table \"" + prefix + i + "\"'");
        }
        Row first = partitions.rows().get(0);
        String expression = first.utf8(2) == null ? "" : first.utf8(2);
        head.execute("CREATE TABLE `" + name + "` " + table.group("body")
                + " ENGINE=SPIDER DEFAULT CHARSET=utf8mb4 COMMENT='wrapper \"mysql\"' PARTITION BY " + first.utf8(1)
                + " ("
                + expression + ") (" + list + ")");
    }

    private static String values(String method, @Nullable String described) {
        if (method.startsWith("RANGE")) {
            return "VALUES LESS THAN "
                    + ("MAXVALUE".equals(described) && !method.contains("COLUMNS")
                            ? "MAXVALUE "
                            : "(" + described + ") ");
        }
        return method.startsWith("LIST") ? "VALUES IN (" + described + ") " : "";
    }
}

package io.fanfold.demo;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Ensures that a server has the demo's tables at a scale. A table of its own, {@code fanfold_demo}, records what was
 * loaded. Tables that were created by others are never changed.
 */
public final class DemoData {
    /** The seed of the random values, so that every run creates the same rows. */
    static final long SEED = 1992;

    /** Increased when the generated rows or the tables change, so that older data are created again. */
    private static final int VERSION = 2;

    private final SqlClient.Factory clients;
    private final Endpoint server;
    private final String database;
    private final SsbSchema schema;
    private final boolean ownServer;
    private final Steps steps;

    /**
     * Creates one for a server.
     *
     * @param clients opens the connections
     * @param server an account that may create the database and its tables
     * @param database its name: letters, digits and underscores
     * @param schema the tables
     * @param ownServer whether the server exists only for the demo; then loading is not written to its binary log, and
     *     tables of another scale are replaced
     * @param steps shows the progress
     */
    DemoData(
            SqlClient.Factory clients,
            Endpoint server,
            String database,
            SsbSchema schema,
            boolean ownServer,
            Steps steps) {
        this.clients = clients;
        this.server = server;
        this.database = database;
        this.schema = schema;
        this.ownServer = ownServer;
        this.steps = steps;
    }

    /** Creates one whose tables are on one server. */
    public DemoData(SqlClient.Factory clients, Endpoint server, String database, boolean ownServer, Steps steps) {
        this(clients, server, database, SsbSchema.onOneServer(), ownServer, steps);
    }

    /** Creates one for the demo's own server or the user's, with the tables that belong to it. */
    public static DemoData of(SqlClient.Factory clients, DemoServer server, String database, Steps steps) {
        return new DemoData(clients, server.account(), database, server.schema(database), server.isEmbedded(), steps);
    }

    /**
     * Creates and loads what is missing.
     *
     * @param connections the number of connections that load at the same time, 1 or more
     * @throws IOException if the server refuses something, or has tables that are not the demo's
     */
    public void ensure(BigDecimal scale, int connections) throws IOException, InterruptedException {
        List<SqlClient> open = new ArrayList<>();
        try {
            SqlClient first = clients.open(server);
            open.add(first);
            allowed(first, "CREATE DATABASE IF NOT EXISTS `" + database + "`", "CREATE");
            first.execute("USE `" + database + "`");
            for (String statement : schema.servers()) {
                first.execute(statement);
            }
            if (loaded(first, scale)) {
                return;
            }
            createTables(first, scale);
            for (int i = 1; i < connections; i++) {
                open.add(clients.open(server));
            }
            for (SqlClient client : open) {
                prepareToLoad(client);
            }
            load(open, SsbScale.of(scale));
            try (Steps.Step step = steps.begin("analyzing the tables")) {
                analyze(first);
            }
            first.execute("UPDATE fanfold_demo SET state = 'loaded'");
        } finally {
            open.forEach(SqlClient::close);
        }
    }

    private void prepareToLoad(SqlClient client) throws IOException {
        client.execute("USE `" + database + "`");
        if (ownServer) {
            client.execute("SET SESSION sql_log_bin = 0");
        }
    }

    private boolean loaded(SqlClient client, BigDecimal scale) throws IOException {
        List<String> present = new ArrayList<>();
        SqlAnswer tables = client.query(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = '" + database + "'");
        tables.rows().forEach(row -> present.add(String.valueOf(row.utf8(0)).toLowerCase(Locale.ROOT)));
        if (!present.contains("fanfold_demo")) {
            for (String table : schema.names()) {
                if (present.contains(table)) {
                    throw new IOException("table " + database + "." + table + " exists and was not made by this demo"
                            + " (choose another database with --database)");
                }
            }
            return false;
        }
        SqlAnswer marker = client.query("SELECT CONCAT_WS(' ', version, scale, seed, state) FROM fanfold_demo");
        String found = marker.first() == null ? "" : marker.first();
        if (found.equals(marker(scale) + " loaded")) {
            return true;
        }
        if (!ownServer && found.endsWith(" loaded")) {
            throw new IOException("database " + database + " holds the demo's tables of another scale or version ("
                    + found + "; wanted " + marker(scale) + "): drop it, or choose another with --database");
        }
        return false;
    }

    private static String marker(BigDecimal scale) {
        return VERSION + " " + scale.stripTrailingZeros().toPlainString() + " " + SEED;
    }

    private void createTables(SqlClient client, BigDecimal scale) throws IOException {
        // the marker is written first, so that an interrupted load is known to be the demo's own
        client.execute("DROP TABLE IF EXISTS fanfold_demo");
        allowed(
                client,
                "CREATE TABLE fanfold_demo (version int not null primary key, scale varchar(20) not null,"
                        + " seed bigint not null, state varchar(10) not null)",
                "CREATE");
        String[] values = marker(scale).split(" ", -1);
        allowed(
                client,
                "INSERT INTO fanfold_demo VALUES (" + values[0] + ",'" + values[1] + "'," + values[2] + ",'loading')",
                "INSERT");
        for (Map.Entry<Endpoint, List<String>> remote : schema.remote().entrySet()) {
            createRemotely(remote.getKey(), remote.getValue());
        }
        for (int i = 0; i < schema.names().size(); i++) {
            allowed(client, "DROP TABLE IF EXISTS " + schema.names().get(i), "DROP");
            client.execute(schema.statements().get(i));
        }
    }

    private void createRemotely(Endpoint server, List<String> statements) throws IOException {
        try (SqlClient client = clients.open(server)) {
            client.execute("CREATE DATABASE IF NOT EXISTS `" + database + "`");
            client.execute("USE `" + database + "`");
            for (String statement : statements) {
                client.execute(statement);
            }
        }
    }

    private void load(List<SqlClient> open, SsbScale scale) throws IOException, InterruptedException {
        List<SsbTable> tables = schema.rows(scale, SEED);
        long rows = tables.stream().mapToLong(SsbTable::rows).sum();
        TableLoader loader = new TableLoader(open);
        try (ProgressBar progress = steps.beginLoading(rows)) {
            for (SsbTable table : tables) {
                loader.load(table, progress);
            }
        }
    }

    private void analyze(SqlClient client) throws IOException {
        client.query("ANALYZE TABLE " + String.join(", ", schema.names()));
        try {
            // MySQL keeps a table open that was opened while it was empty, together with its statistics
            client.execute("FLUSH LOCAL TABLES " + String.join(", ", schema.names()));
        } catch (SqlFailure e) {
            // without the privilege some statements may be planned for empty tables, directly and through the proxy
            return;
        }
    }

    /** Runs a statement; if it is refused, the error names the privilege that is needed. */
    private void allowed(SqlClient client, String sql, String right) throws IOException {
        try {
            client.execute(sql);
        } catch (SqlFailure e) {
            throw new IOException(
                    "account " + server.user() + " needs " + right + " on " + database + ".*: " + e.getMessage(), e);
        }
    }
}

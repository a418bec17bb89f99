package io.fanfold.binlog;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What must hold so that the binary log of a server has all its changes. A session may still leave the log with
 * sql_log_bin=0; nobody else can see that. RESET with TO and the number of the current file remains unnoticed too.
 */
public final class StreamRequirements {
    /** ER_SPECIFIC_ACCESS_DENIED_ERROR. */
    private static final int DENIED = 1227;

    /** ER_PARSE_ERROR. */
    private static final int UNKNOWN_STATEMENT = 1064;

    private static final String VARIABLES = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('log_bin', 'gtid_mode', "
            + "'binlog_format', 'log_replica_updates', 'log_slave_updates', 'gtid_slave_pos', 'wsrep_on')";

    private final WireConnection connection;
    private final boolean mariaDb;

    /** @param connection a worker connection to the server */
    public StreamRequirements(WireConnection connection) {
        this.connection = connection;
        this.mariaDb = connection.identity().flavor().isMariaDb();
    }

    /**
     * Checks the server.
     *
     * @throws IOException if a requirement does not hold; the message says what to change
     */
    void check() throws IOException, ServerException {
        checkComplete();
        // if a log is reset while its first file is in use, the new file has the same name, and neither MySQL 9.7 nor
        // MariaDB 10.11 ends the connections that read it
        String file = String.valueOf(requiredStatus().utf8(0));
        require(
                !new LogPosition.InFile(file, 0).isInFirstFile(),
                file + " is the log's first file, so a RESET would remain unnoticed: execute FLUSH BINARY LOGS once");
    }

    /**
     * Checks whether the server's log has all its changes, as rows and with GTIDs.
     *
     * @throws IOException if not; the message says what to change
     */
    public void checkComplete() throws IOException, ServerException {
        Map<String, String> values = pairs(VARIABLES);
        require(on(values, "log_bin"), "log_bin is OFF: start the server with --log-bin");
        String format = values.getOrDefault("binlog_format", "ROW");
        require(format.equals("ROW"), "binlog_format is " + format + ": set it to ROW");
        if (mariaDb) {
            checkReplica(values);
        } else {
            String mode = values.getOrDefault("gtid_mode", "OFF");
            require(mode.equals("ON"), "gtid_mode is " + mode + ": set it to ON");
            require(
                    on(values, "log_replica_updates") || on(values, "log_slave_updates"),
                    "log_replica_updates is OFF: set it to ON");
        }
        checkFilters();
    }

    /** A server that never was a replica, and is in no cluster, may leave log_slave_updates at OFF, its default. */
    private void checkReplica(Map<String, String> values) throws IOException, ServerException {
        boolean replica = !values.getOrDefault("gtid_slave_pos", "").isEmpty()
                || !pairs("SHOW GLOBAL STATUS LIKE 'Slaves_running'")
                        .getOrDefault("slaves_running", "0")
                        .equals("0")
                || on(values, "wsrep_on");
        require(
                !replica || on(values, "log_slave_updates"),
                "log_slave_updates is OFF on a server that replicates: set it to ON");
    }

    /** A filter leaves changes out. */
    private void checkFilters() throws IOException, ServerException {
        Row status = requiredStatus();
        for (int i = 2; i < 4; i++) {
            String filter = status.utf8(i);
            require(
                    filter == null || filter.isEmpty(),
                    (i == 2 ? "binlog_do_db" : "binlog_ignore_db") + " is " + filter + ": remove this filter");
        }
    }

    private Row requiredStatus() throws IOException, ServerException {
        Row status = logStatus();
        if (status == null) {
            throw new IOException("the server does not show the status of its log");
        }
        return status;
    }

    private @Nullable Row logStatus() throws IOException, ServerException {
        List<String> statements =
                mariaDb ? List.of("SHOW MASTER STATUS") : List.of("SHOW BINARY LOG STATUS", "SHOW MASTER STATUS");
        ServerException unknown =
                new ServerException(UNKNOWN_STATEMENT, "42000", "no statement shows the log's status");
        for (String statement : statements) {
            try {
                List<Row> rows = connection.query(statement).rows();
                return rows.isEmpty() ? null : rows.get(0);
            } catch (ServerException e) {
                if (e.errno() != UNKNOWN_STATEMENT) {
                    throw explained(e, mariaDb ? "BINLOG MONITOR" : "REPLICATION CLIENT");
                }
                unknown = e;
            }
        }
        throw unknown;
    }

    /** Returns the error of the dump command, which names the missing privilege if the account may not read the log. */
    static ServerException ofDump(ServerException e) {
        return explained(e, "REPLICATION SLAVE");
    }

    private static ServerException explained(ServerException e, String privilege) {
        return e.errno() == DENIED
                ? new ServerException(
                        e.errno(),
                        e.sqlState(),
                        "the worker account may not read the binary log: GRANT " + privilege + " ON *.* TO it")
                : e;
    }

    private static void require(boolean holds, String otherwise) throws IOException {
        if (!holds) {
            throw new IOException(otherwise);
        }
    }

    private static boolean on(Map<String, String> values, String name) {
        return Set.of("ON", "1").contains(values.getOrDefault(name, ""));
    }

    private Map<String, String> pairs(String sql) throws IOException, ServerException {
        Map<String, String> values = new HashMap<>();
        for (Row row : connection.query(sql).rows()) {
            String name = row.utf8(0);
            String value = row.utf8(1);
            if (name != null && value != null) {
                values.put(name.toLowerCase(Locale.ROOT), value);
            }
        }
        return values;
    }
}

package io.fanfold.backend;

import io.fanfold.row.Row;
import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a server is and how it is set up, read when a worker connection is opened. Immutable.
 *
 * @param identity its version
 * @param serverKey distinguishes servers: connections with unequal keys are not used for one query, and not for a client whose own
 *     connection leads to a server with another
 * @param lowerCaseTableNames 0: names are stored as given and compared exactly; 1: stored in lower case; 2: stored as
 *     given, compared in lower case
 * @param logBin whether there is a binary log
 * @param logReplicaUpdates whether what is replicated goes into the binary log too
 * @param galera whether the server is a node of a Galera cluster
 * @param readOnly whether it refused local writes when the connection was opened: super_read_only of MySQL, read_only of
 *     MariaDB
 * @param appliedInTables whether replication keeps in tables how far it is
 * @param systemUtc whether the time zone SYSTEM is UTC
 * @param maxPacket its max_allowed_packet when the connection was opened, in bytes
 * @param variables the session variables it has
 */
public record ServerFacts(
        ServerIdentity identity,
        String serverKey,
        int lowerCaseTableNames,
        boolean logBin,
        boolean logReplicaUpdates,
        boolean galera,
        boolean readOnly,
        boolean appliedInTables,
        boolean systemUtc,
        long maxPacket,
        SessionVariables variables) {

    /** With less than this for max_allowed_packet nothing is split: the proxy's own questions might be too long. */
    public static final int LEAST_PACKET = 16 << 10;

    public boolean mariaDb() {
        return identity.mariaDb();
    }

    /** Reads the facts in one round trip, without any privilege. */
    static ServerFacts discover(WireConnection connection) throws IOException, ServerException {
        Map<String, String> values = new HashMap<>();
        for (Row row : connection.query("SHOW SESSION VARIABLES").rows()) {
            String name = row.ascii(0);
            if (name != null) {
                String value = row.ascii(1);
                values.put(name.toLowerCase(Locale.ROOT), value == null ? "" : value);
            }
        }
        String lowerCase = values.getOrDefault("lower_case_table_names", "0");
        return new ServerFacts(
                connection.identity(),
                SessionVariables.serverKey(values),
                switch (lowerCase) {
                    case "1" -> 1;
                    case "2" -> 2;
                    default -> 0;
                },
                on(values, "log_bin"),
                on(values, "log_replica_updates") || on(values, "log_slave_updates"),
                on(values, "wsrep_on"),
                on(values, connection.identity().mariaDb() ? "read_only" : "super_read_only"),
                // MySQL 8.4 has no other place any more, MariaDB never had one
                values.getOrDefault("relay_log_info_repository", "TABLE").equals("TABLE"),
                values.getOrDefault("system_time_zone", "").equals("UTC"),
                number(values.getOrDefault("max_allowed_packet", "")),
                SessionVariables.of(values.keySet()));
    }

    private static long number(String value) {
        return value.isEmpty() ? 0 : Long.parseLong(value);
    }

    private static boolean on(Map<String, String> values, String name) {
        String value = values.getOrDefault(name, "");
        return value.equals("ON") || value.equals("1");
    }
}

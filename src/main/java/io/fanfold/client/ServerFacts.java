package io.fanfold.client;

import io.fanfold.row.Row;
import io.fanfold.variables.SessionVariables;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The facts about a server and its configuration, read when a worker connection opens. Immutable.
 *
 * @param identity its version
 * @param obstacle why no statement is split on it, as a clause that names the server; "" if statements are split
 * @param serverKey identifies the server. One query uses only connections with equal keys, and only if the client's own
 *     connection has the same key
 * @param lowerCaseTableNames 0: names are stored as given and compared exactly; 1: stored in lower case; 2: stored as
 *     given, compared in lower case
 * @param logBin whether there is a binary log
 * @param logReplicaUpdates whether replicated transactions are written to the binary log too
 * @param galera whether the server is a node of a Galera cluster
 * @param readOnly whether it refused local writes when the connection opened: super_read_only of MySQL, read_only of
 *     MariaDB
 * @param appliedInTables whether replication stores its progress in tables
 * @param fixed the values of variables that no session can change and answers depend on, by name
 * @param systemUtc whether the time zone SYSTEM is UTC
 * @param maxPacket its max_allowed_packet when the connection opened, in bytes
 * @param variables the session variables it has
 */
public record ServerFacts(
        ServerIdentity identity,
        String obstacle,
        String serverKey,
        int lowerCaseTableNames,
        boolean logBin,
        boolean logReplicaUpdates,
        boolean galera,
        boolean readOnly,
        boolean appliedInTables,
        Map<String, String> fixed,
        boolean systemUtc,
        long maxPacket,
        SessionVariables variables) {

    /**
     * The smallest max_allowed_packet with which statements are split. With less, the proxy's own queries might be too
     * long.
     */
    public static final int LEAST_PACKET = 16 << 10;

    /** Names of variables of {@link #fixed}. */
    private static final List<String> FIXED = List.of(
            "version",
            "system_time_zone",
            "lower_case_table_names",
            "max_allowed_packet",
            "ft_min_word_len",
            "ft_max_word_len",
            "ft_stopword_file",
            "innodb_ft_min_token_size",
            "innodb_ft_max_token_size",
            "ngram_token_size");

    public ServerFacts {
        fixed = Map.copyOf(fixed);
    }

    public ServerFlavor flavor() {
        return identity.flavor();
    }

    /** Reads the facts in one round trip, without any privilege. */
    public static ServerFacts discover(WireConnection connection) throws IOException, ServerException {
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
                ServerSupport.obstacle(connection.identity(), values.keySet()),
                SessionVariables.serverKey(values),
                switch (lowerCase) {
                    case "1" -> 1;
                    case "2" -> 2;
                    default -> 0;
                },
                on(values, "log_bin"),
                on(values, "log_replica_updates") || on(values, "log_slave_updates"),
                on(values, "wsrep_on"),
                on(values, connection.identity().flavor().isMariaDb() ? "read_only" : "super_read_only"),
                // MySQL 8.4 dropped the other repository (FILE), and MariaDB never had the variable
                values.getOrDefault("relay_log_info_repository", "TABLE").equals("TABLE"),
                FIXED.stream()
                        .collect(Collectors.toMap(name -> name, name -> withoutLog(values.getOrDefault(name, "")))),
                values.getOrDefault("system_time_zone", "").equals("UTC"),
                number(values.getOrDefault("max_allowed_packet", "")),
                SessionVariables.of(values.keySet()));
    }

    /** A version ends with -log if the server has a log of some kind. */
    private static String withoutLog(String value) {
        return value.endsWith("-log") ? value.substring(0, value.length() - "-log".length()) : value;
    }

    private static long number(String value) {
        return value.isEmpty() ? 0 : Long.parseLong(value);
    }

    private static boolean on(Map<String, String> values, String name) {
        String value = values.getOrDefault(name, "");
        return value.equals("ON") || value.equals("1");
    }
}

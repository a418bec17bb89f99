package io.fanfold.variables;

import io.fanfold.client.ServerFacts;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The session variables of a client at one moment. Immutable, safe for use by multiple threads. */
public final class SessionSettings {
    /**
     * The bytes of a string by which servers sort by default. With fewer, the server's row order differs from the
     * merge's.
     */
    private static final int DEFAULT_SORT_LENGTH = 1024;

    /** The value of sql_select_limit that means no limit. */
    private static final String NO_LIMIT = "18446744073709551615";

    /**
     * The maximum of net_write_timeout, a year. A worker leaves rows unread while the rows before them in the answer
     * wait for the client. If the server closed the connection meanwhile, the answer would end with an error.
     */
    private static final int WRITE_TIMEOUT_SECONDS = 31_536_000;

    /** Character sets in which digits are not single ASCII bytes. */
    private static final Set<String> WIDE = Set.of("ucs2", "utf16", "utf16le", "utf32");

    /**
     * Modes that workers do not get. ANSI is a combined mode that includes ONLY_FULL_GROUP_BY; the server also lists
     * its other modes.
     */
    private static final Set<String> DROPPED_MODES = Set.of("ONLY_FULL_GROUP_BY", "ANSI");

    /**
     * What a worker needs for Spider tables, if the server has the plugin. A transaction opens snapshots on other
     * servers, reads by the same connections later, and passes the session's sql_mode and isolation level on. The
     * connections stay open after it. A read that fails is an error. Without direct aggregation, Spider does not return
     * groups twice. Test: SpiderIT.
     */
    private static final List<Map.Entry<String, String>> SPIDER = List.of(
            Map.entry("spider_internal_xa", "0"),
            Map.entry("spider_use_consistent_snapshot", "1"),
            Map.entry("spider_conn_recycle_mode", "2"),
            Map.entry("spider_casual_read", "0"),
            Map.entry("spider_error_read_mode", "0"),
            Map.entry("spider_direct_aggregate", "0"),
            Map.entry("spider_sync_sql_mode", "1"),
            Map.entry("spider_sync_trx_isolation", "1"));

    private static final Pattern OFFSET = Pattern.compile("[+-][0-9]{1,2}:[0-9]{2}");

    private final SessionVariables variables;
    private final Map<String, @Nullable String> values;
    private final @Nullable String database;
    private final Account account;

    /** The variables of every worker, whatever the character set of its results; names to literals, in order. */
    private final Map<String, String> assignments;

    public SessionSettings(
            SessionVariables variables,
            Map<String, @Nullable String> values,
            @Nullable String database,
            Account account) {
        this.variables = variables;
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        this.database = database;
        this.account = account;
        this.assignments = assignments();
    }

    /**
     * The account and server of a session.
     *
     * @param user the account's name without its host
     * @param server the server's {@link ServerFacts#serverKey}
     */
    public record Account(String user, String server) {}

    /** Returns the SQL modes as the server lists them, separated by commas; "" for none. */
    public String sqlMode() {
        return text("sql_mode");
    }

    public String characterSetClient() {
        return text("character_set_client");
    }

    /** Returns the character set of results; null if values are sent unconverted. */
    public @Nullable String characterSetResults() {
        return values.get("character_set_results");
    }

    /** Whether the server reads literals in the character set in which the client writes them. */
    public boolean connectionReadsAsClient() {
        return text("character_set_connection").equals(text("character_set_client"));
    }

    public String collationConnection() {
        return text("collation_connection");
    }

    /** Returns the default database; null if there is none. */
    public @Nullable String database() {
        return database;
    }

    /**
     * Returns the name of the client's account as the server reports it, without its host; "" for the anonymous
     * account.
     */
    public String user() {
        return account.user();
    }

    /** Returns the {@link ServerFacts#serverKey} of the client's server. */
    public String server() {
        return account.server();
    }

    /**
     * Whether each point in time has its own local time. With daylight saving, two TIMESTAMP values can have the same
     * local time, and the earlier value can show a later local time.
     *
     * @param systemUtc whether the server's time zone SYSTEM is UTC
     */
    public boolean fixedTimeZone(boolean systemUtc) {
        String zone = text("time_zone").toUpperCase(Locale.ROOT);
        return zone.equals("SYSTEM")
                ? systemUtc
                : zone.equals("UTC") || OFFSET.matcher(zone).matches();
    }

    /** Whether sql_mode allows dates with zero parts: neither NO_ZERO_DATE nor NO_ZERO_IN_DATE is set. */
    public boolean zeroDates() {
        String modes = text("sql_mode").toUpperCase(Locale.ROOT);
        return !modes.contains("NO_ZERO_");
    }

    /** Returns div_precision_increment, the digits that a division adds to the scale of its dividend, 0..30. */
    public int dividedDigits() {
        return Integer.parseInt(text("div_precision_increment"));
    }

    /** Returns MySQL's max_execution_time in milliseconds, in digits; 0 for no limit. */
    public String maxExecutionTime() {
        return text("max_execution_time");
    }

    /** Returns the time limit of a statement; empty if there is none. */
    public Optional<Duration> longest() {
        long millis = text("max_execution_time").isEmpty() ? 0 : Long.parseLong(text("max_execution_time"));
        // MariaDB counts seconds
        Duration longest = text("max_statement_time").isEmpty()
                ? Duration.ofMillis(millis)
                : Duration.ofNanos(new BigDecimal(text("max_statement_time"))
                        .movePointRight(9)
                        .longValue());
        return longest.isZero() ? Optional.empty() : Optional.of(longest);
    }

    /** Returns the interval of progress reports to the client. Empty if there are none, as always on MySQL. */
    public Optional<Duration> progressEvery() {
        String seconds = text(SessionVariables.PROGRESS);
        return seconds.isEmpty() || seconds.equals("0")
                ? Optional.empty()
                : Optional.of(Duration.ofSeconds(Long.parseLong(seconds)));
    }

    /** Returns the isolation level, e.g. {@code REPEATABLE-READ}. */
    public String isolation() {
        String current = values.get("transaction_isolation");
        return current != null ? current : text("tx_isolation");
    }

    /** Whether a transaction keeps one read view. */
    public boolean repeatableRead() {
        return isolation().equalsIgnoreCase("REPEATABLE-READ");
    }

    /** Returns a variable's value; null if it is NULL, was not read, or does not exist on the server. */
    public @Nullable String value(String name) {
        return values.get(name);
    }

    private String text(String name) {
        String value = values.get(name);
        return value == null ? "" : value;
    }

    /**
     * Returns why no statement of this session may be split; empty if they may be.
     *
     * @param transaction whether the statement is inside a transaction
     */
    public Optional<Refusal> unsplittable(boolean transaction) {
        if (!transaction && unlike("autocommit", "1")) {
            return because(Reason.IN_TRANSACTION, "autocommit");
        }
        if (transaction && !repeatableRead() && !isolation().equalsIgnoreCase("READ-COMMITTED")) {
            return Optional.of(new Refusal(Reason.IN_TRANSACTION, "transaction_isolation=" + isolation()));
        }
        if (isolation().toUpperCase(Locale.ROOT).equals("READ-UNCOMMITTED")) {
            return Optional.of(new Refusal(Reason.SESSION_VARIABLE, "transaction_isolation=READ-UNCOMMITTED"));
        }
        Map<String, String> demanded = Map.of(
                "sql_select_limit", NO_LIMIT,
                "sql_auto_is_null", "0",
                "sql_big_selects", "1",
                "profiling", "0",
                "resultset_metadata", "FULL",
                "system_versioning_asof", "DEFAULT",
                "wsrep_sync_wait", "0",
                // otherwise the server reports the transaction state after each statement
                "session_track_transaction_info", "OFF");
        for (String name : values.keySet()) {
            String value = demanded.get(name);
            if (value != null && unlike(name, value)) {
                return because(Reason.SESSION_VARIABLE, name);
            }
        }
        String sorted = values.get("max_sort_length");
        if (sorted != null
                && sorted.length() < String.valueOf(DEFAULT_SORT_LENGTH).length()) {
            return because(Reason.SESSION_VARIABLE, "max_sort_length");
        }
        if (Set.of("BEFORE", "BEFORE_AND_AFTER").contains(text("group_replication_consistency"))) {
            return because(Reason.SESSION_VARIABLE, "group_replication_consistency");
        }
        if (text("session_track_gtids").equals("ALL_GTIDS")) {
            return because(Reason.SESSION_VARIABLE, "session_track_gtids");
        }
        if (tracksStatements()) {
            return because(Reason.SESSION_VARIABLE, "session_track_system_variables");
        }
        for (String name : List.of("character_set_client", "character_set_connection", "character_set_results")) {
            if (WIDE.contains(text(name))) {
                return because(Reason.CHARSET, name);
            }
        }
        return Optional.empty();
    }

    /** Whether the server reports an id of each statement, as MySQL does if statement_id is tracked. */
    private boolean tracksStatements() {
        String tracked = text("session_track_system_variables").toLowerCase(Locale.ROOT);
        return variables.has("statement_id") && (tracked.contains("*") || tracked.contains("statement_id"));
    }

    /** Whether a statement means the same with both settings. Ignores the timestamp and progress reports. */
    public boolean sameAs(SessionSettings other) {
        return account.equals(other.account)
                && Objects.equals(database, other.database)
                && meaning(values).equals(meaning(other.values));
    }

    private static Map<String, @Nullable String> meaning(Map<String, @Nullable String> values) {
        Map<String, @Nullable String> rest = new LinkedHashMap<>(values);
        rest.remove("timestamp");
        rest.remove(SessionVariables.PROGRESS);
        return rest;
    }

    private boolean unlike(String name, String expected) {
        String value = values.get(name);
        return value != null && !value.equalsIgnoreCase(expected);
    }

    private Optional<Refusal> because(Reason reason, String name) {
        return Optional.of(new Refusal(reason, name + "=" + values.get(name)));
    }

    /**
     * Returns the variables that a worker must have: names to SQL literals, in the order of assignment. Literals are
     * numbers, NULL or hexadecimal, so no sql_mode or character set changes how they are read.
     */
    public Map<String, String> assignments(ResultsCharset results) {
        Map<String, String> complete = new LinkedHashMap<>(assignments);
        complete.put("character_set_results", resultsLiteral(results));
        return complete;
    }

    private Map<String, String> assignments() {
        Map<String, String> assignments = new LinkedHashMap<>();
        for (SessionVariables.Variable variable : variables.present()) {
            if (variable.carried()) {
                String value = values.get(variable.name());
                assignments.put(
                        variable.name(),
                        value != null && variable.kind() == SessionVariables.VariableKind.NUMBER
                                ? value
                                : literal(value));
            }
        }
        assignments.computeIfPresent("character_set_client", (name, value) -> literal(workerCharset()));
        assignments.put("character_set_results", resultsLiteral(ResultsCharset.AS_CLIENT));
        assignments.put("sql_mode", literal(workerMode()));
        assignments.put("sql_select_limit", NO_LIMIT);
        assignments.put("sql_auto_is_null", "0");
        assignments.put("sql_big_selects", "1");
        assignments.put("autocommit", "1");
        assignments.put("completion_type", "0");
        assignments.put("lock_wait_timeout", "1");
        assignments.put("net_write_timeout", String.valueOf(WRITE_TIMEOUT_SECONDS));
        if (variables.has("innodb_parallel_read_threads")) {
            assignments.put("innodb_parallel_read_threads", "1");
        }
        for (Map.Entry<String, String> needed : SPIDER) {
            if (variables.has(needed.getKey())) {
                assignments.put(needed.getKey(), needed.getValue());
            }
        }
        if (variables.has("system_versioning_asof")) {
            assignments.put("system_versioning_asof", "DEFAULT");
        }
        return assignments;
    }

    /** Workers receive UTF-8, whatever the client sends. utf8mb3 and utf8mb4 read the same bytes. */
    private String workerCharset() {
        return characterSetClient().startsWith("utf8") ? characterSetClient() : "utf8mb4";
    }

    private String resultsLiteral(ResultsCharset results) {
        return switch (results) {
            case AS_CLIENT -> literal(characterSetResults());
            case UTF8MB4 -> literal("utf8mb4");
            case UNCONVERTED -> "NULL";
        };
    }

    /**
     * Drops ONLY_FULL_GROUP_BY: partition queries group by expressions over the statement's own keys, and that mode may
     * refuse them.
     */
    private String workerMode() {
        List<String> modes = new ArrayList<>(Arrays.asList(sqlMode().split(",")));
        modes.removeIf(mode -> DROPPED_MODES.contains(mode.toUpperCase(Locale.ROOT)));
        return modes.stream().collect(Collectors.joining(","));
    }

    private static String literal(@Nullable String value) {
        return value == null
                ? "NULL"
                : "_utf8mb4 x'" + HexFormat.of().formatHex(value.getBytes(StandardCharsets.UTF_8)) + "'";
    }

    @Override
    public String toString() {
        return values + ", database=" + database;
    }
}

package io.fanfold.backend;

import io.fanfold.metrics.Reason;
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

/** The values of a client session's variables at one moment. Immutable, safe for all threads. */
public final class SessionSettings {
    /** How many bytes of a string servers sort by; with fewer, rows come in another order than the merge's. */
    private static final int DEFAULT_SORT_LENGTH = 1024;

    /** What sql_select_limit is when nothing is limited. */
    private static final String NO_LIMIT = "18446744073709551615";

    /** How long workers may leave rows unread: a stream waits until those before it in the answer are done. */
    private static final int WRITE_TIMEOUT_SECONDS = 3600;

    /** Character sets in which digits are not single ASCII bytes. */
    private static final Set<String> WIDE = Set.of("ucs2", "utf16", "utf16le", "utf32");

    /** Names that stand for several modes, ONLY_FULL_GROUP_BY among them; the modes they stand for are listed beside. */
    private static final Set<String> DROPPED_MODES = Set.of("ONLY_FULL_GROUP_BY", "ANSI");

    private static final Pattern OFFSET = Pattern.compile("[+-][0-9]{1,2}:[0-9]{2}");

    private final SessionVariables variables;
    private final Map<String, @Nullable String> values;
    private final @Nullable String database;
    private final Account account;

    /** What every worker is set to whatever its results' character set; names to literals, in order. */
    private final Map<String, String> assignments;

    SessionSettings(
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
     * Whose session it is, and where.
     *
     * @param user the account's name without its host
     * @param server the server's {@link ServerFacts#serverKey}
     */
    record Account(String user, String server) {}

    /** A reason why a session's statements are not split. */
    public record Unsplittable(Reason reason, String detail) {}

    /** The modes as the server lists them, separated by commas; "" for none. */
    public String sqlMode() {
        return text("sql_mode");
    }

    public String characterSetClient() {
        return text("character_set_client");
    }

    /** Null where values are sent unconverted. */
    public @Nullable String characterSetResults() {
        return values.get("character_set_results");
    }

    /** Whether literals are had in the character set in which the client writes them. */
    public boolean connectionReadsAsClient() {
        return text("character_set_connection").equals(text("character_set_client"));
    }

    public String collationConnection() {
        return text("collation_connection");
    }

    /** The default database; null when there is none. */
    public @Nullable String database() {
        return database;
    }

    /** The name of the account that the server let the client in as, without its host; "" for one without a name. */
    public String user() {
        return account.user();
    }

    /** The {@link ServerFacts#serverKey} of the server that the client is connected to. */
    public String server() {
        return account.server();
    }

    /**
     * Whether every moment has a local time of its own. Elsewhere two values of a TIMESTAMP that differ may look the same
     * when clocks are set back, and the earlier may look like the later.
     *
     * @param systemUtc whether the server's time zone SYSTEM is UTC
     */
    public boolean fixedTimeZone(boolean systemUtc) {
        String zone = text("time_zone").toUpperCase(Locale.ROOT);
        return zone.equals("SYSTEM")
                ? systemUtc
                : zone.equals("UTC") || OFFSET.matcher(zone).matches();
    }

    /** Whether sql_mode lets dates with zero parts be: no mode against them is set. */
    public boolean zeroDates() {
        String modes = text("sql_mode").toUpperCase(Locale.ROOT);
        return !modes.contains("NO_ZERO_");
    }

    /** The digits that a division adds to its dividend's: div_precision_increment, 0..30. */
    public int dividedDigits() {
        return Integer.parseInt(text("div_precision_increment"));
    }

    /** MySQL's limit of a statement's time in milliseconds, in digits; 0 where there is none. */
    public String maxExecutionTime() {
        return text("max_execution_time");
    }

    /** How long a statement may take; empty where it may take as long as it does. */
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

    /** How often the client is told of progress; empty where it is not, and on MySQL, which never does. */
    public Optional<Duration> progressEvery() {
        String seconds = text(SessionVariables.PROGRESS);
        return seconds.isEmpty() || seconds.equals("0")
                ? Optional.empty()
                : Optional.of(Duration.ofSeconds(Long.parseLong(seconds)));
    }

    /** E.g. {@code REPEATABLE-READ}. */
    public String isolation() {
        String current = values.get("transaction_isolation");
        return current != null ? current : text("tx_isolation");
    }

    /** Whether transactions keep one read view. */
    public boolean repeatableRead() {
        return isolation().equalsIgnoreCase("REPEATABLE-READ");
    }

    /** The value of a variable; null when it is NULL, was not read, or the server lacks it. */
    public @Nullable String value(String name) {
        return values.get(name);
    }

    private String text(String name) {
        String value = values.get(name);
        return value == null ? "" : value;
    }

    /**
     * Why no statement of this session may be split; empty when nothing speaks against it.
     *
     * @param transaction whether it stands inside a transaction
     */
    public Optional<Unsplittable> unsplittable(boolean transaction) {
        if (!transaction && unlike("autocommit", "1")) {
            return because(Reason.IN_TRANSACTION, "autocommit");
        }
        if (transaction && !repeatableRead() && !isolation().equalsIgnoreCase("READ-COMMITTED")) {
            return Optional.of(new Unsplittable(Reason.IN_TRANSACTION, "transaction_isolation=" + isolation()));
        }
        if (isolation().toUpperCase(Locale.ROOT).equals("READ-UNCOMMITTED")) {
            return Optional.of(new Unsplittable(Reason.SESSION_VARIABLE, "transaction_isolation=READ-UNCOMMITTED"));
        }
        Map<String, String> demanded = Map.of(
                "sql_select_limit", NO_LIMIT,
                "sql_auto_is_null", "0",
                "sql_big_selects", "1",
                "profiling", "0",
                "resultset_metadata", "FULL",
                "system_versioning_asof", "DEFAULT",
                "wsrep_sync_wait", "0",
                // else the server tells of a transaction behind each answer
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

    /** Whether the server tells a number of its own of each statement, as MySQL does of a variable that is tracked. */
    private boolean tracksStatements() {
        String tracked = text("session_track_system_variables").toLowerCase(Locale.ROOT);
        return variables.has("statement_id") && (tracked.contains("*") || tracked.contains("statement_id"));
    }

    /** Whether a statement means the same under other settings: all are the same but for the clock and reports of progress. */
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

    private Optional<Unsplittable> because(Reason reason, String name) {
        return Optional.of(new Unsplittable(reason, name + "=" + values.get(name)));
    }

    /**
     * What a worker's variables have to be: names to SQL literals, in the order of assignment. Literals are numbers, NULL
     * or hexadecimal, so that no sql_mode and no character set can change how they are read.
     */
    Map<String, String> assignments(ResultsCharset results) {
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
                        value != null && variable.kind() == SessionVariables.Kind.NUMBER ? value : literal(value));
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
        if (variables.has("system_versioning_asof")) {
            assignments.put("system_versioning_asof", "DEFAULT");
        }
        return assignments;
    }

    /** Workers are sent UTF-8, whatever the client sends; the sets of three and four bytes read the same bytes. */
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

    /** Workers group by expressions over what the original groups by, which ONLY_FULL_GROUP_BY would not follow. */
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

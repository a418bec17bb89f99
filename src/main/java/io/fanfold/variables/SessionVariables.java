package io.fanfold.variables;

import io.fanfold.client.ServerFacts;
import io.fanfold.row.Row;
import io.fanfold.wire.ProtocolException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The session variables of one server that affect the result of a SELECT. Some are set on the workers too; others only
 * decide whether a statement may be split. Immutable, safe for use by multiple threads.
 *
 * <p>Workers do not get variables that only limit memory or guide the optimizer, or that have no effect on a SELECT.
 * Nor do they get {@code max_error_count}, which an ordinary account may not set.
 */
public final class SessionVariables {
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,30}(\\.[0-9]{1,30})?");

    /** The interval of MariaDB's progress reports; does not affect results. */
    static final String PROGRESS = "progress_report_time";

    enum VariableKind {
        NUMBER,
        TEXT
    }

    /**
     * A session variable.
     *
     * @param carried whether workers get its value; otherwise the proxy only checks it
     */
    record Variable(String name, VariableKind kind, boolean carried) {}

    /** In the order of assignment: setting a character set resets its collation, so it is first. */
    private static final List<Variable> KNOWN = List.of(
            text("character_set_client"),
            text("character_set_connection"),
            text("collation_connection"),
            text("character_set_results"),
            text("character_set_collations"),
            text("default_collation_for_utf8mb4"),
            text("sql_mode"),
            text("old_mode"),
            text("time_zone"),
            number("timestamp"),
            number("default_week_format"),
            number("div_precision_increment"),
            number("group_concat_max_len"),
            text("lc_time_names"),
            text("lc_messages"),
            number("max_sort_length"),
            number("sql_notes"),
            text("optimizer_switch"),
            number("innodb_ft_enable_stopword"),
            text("innodb_ft_user_stopword_table"),
            number("max_execution_time"),
            number("max_statement_time"),
            number("windowing_use_high_precision"),
            text("block_encryption_mode"),
            number("cte_max_recursion_depth"),
            number("max_recursive_iterations"),
            number("max_points_in_geometry"),
            number("end_markers_in_json"),
            text("default_regex_flags"),
            number("standard_compliant_cte"),
            text("note_verbosity"),
            checked("transaction_isolation", VariableKind.TEXT),
            checked("tx_isolation", VariableKind.TEXT),
            checked("autocommit", VariableKind.NUMBER),
            checked("sql_select_limit", VariableKind.NUMBER),
            checked("sql_auto_is_null", VariableKind.NUMBER),
            checked("sql_big_selects", VariableKind.NUMBER),
            checked("profiling", VariableKind.NUMBER),
            checked("resultset_metadata", VariableKind.TEXT),
            checked("system_versioning_asof", VariableKind.TEXT),
            checked("wsrep_sync_wait", VariableKind.NUMBER),
            checked("group_replication_consistency", VariableKind.TEXT),
            checked("session_track_transaction_info", VariableKind.TEXT),
            checked("session_track_gtids", VariableKind.TEXT),
            checked("session_track_system_variables", VariableKind.TEXT),
            checked(PROGRESS, VariableKind.NUMBER));

    /**
     * Global variables that identify a server. Session values do not: an account may have the right to change the
     * session's server_id.
     */
    private static final List<Variable> SERVER = List.of(
            checked("hostname", VariableKind.TEXT),
            checked("port", VariableKind.NUMBER),
            checked("server_id", VariableKind.NUMBER),
            checked("server_uuid", VariableKind.TEXT),
            checked("server_uid", VariableKind.TEXT),
            checked("version", VariableKind.TEXT));

    private final List<Variable> present;
    private final List<Variable> server;
    private final Set<String> names;

    private SessionVariables(List<Variable> present, List<Variable> server, Set<String> names) {
        this.present = present;
        this.server = server;
        this.names = names;
    }

    private static Variable text(String name) {
        return new Variable(name, VariableKind.TEXT, true);
    }

    private static Variable number(String name) {
        return new Variable(name, VariableKind.NUMBER, true);
    }

    private static Variable checked(String name, VariableKind kind) {
        return new Variable(name, kind, false);
    }

    /**
     * Returns the known variables that a server has.
     *
     * @param names the names that SHOW SESSION VARIABLES lists, in any case
     */
    public static SessionVariables of(Collection<String> names) {
        Set<String> lower = names.stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
        return new SessionVariables(there(KNOWN, lower), there(SERVER, lower), lower);
    }

    private static List<Variable> there(List<Variable> known, Set<String> names) {
        return known.stream()
                .filter(variable -> names.contains(variable.name()))
                .toList();
    }

    /**
     * Returns the text that identifies a server, see {@link ServerFacts#serverKey}.
     *
     * @param values the values of all variables by their lower-case names
     */
    public static String serverKey(Map<String, String> values) {
        return SERVER.stream()
                .map(variable -> values.getOrDefault(variable.name(), ""))
                .collect(Collectors.joining("/"));
    }

    /** Whether the server has a variable of that name, given in lower case. */
    boolean has(String name) {
        return names.contains(name);
    }

    List<Variable> present() {
        return present;
    }

    /**
     * Returns one SELECT that reads these variables, the server's identity, the default database and the account. It
     * contains only ASCII and opens no transaction. Texts are returned as UTF-8, whatever the session's character sets
     * are.
     */
    public String selectSql() {
        return Stream.concat(
                        present.stream().map(variable -> expression("@@session.", variable)),
                        server.stream().map(variable -> expression("@@global.", variable)))
                .collect(Collectors.joining(
                        ", ", "SELECT ", ", CONVERT(DATABASE() USING binary), CONVERT(CURRENT_USER() USING binary)"));
    }

    private static String expression(String scope, Variable variable) {
        String value = scope + variable.name();
        if (variable.name().equals(PROGRESS)) {
            // the server uses the longer interval, and sends no reports if either is 0
            String global = "@@global." + PROGRESS;
            return "IF(%1$s AND %2$s, GREATEST(%1$s, %2$s), 0)".formatted(value, global);
        }
        return variable.kind() == VariableKind.TEXT ? "CONVERT(" + value + " USING binary)" : value;
    }

    /**
     * Reads the result row of {@link #selectSql}.
     *
     * @throws ProtocolException if the row does not have one value for each variable, or a number is not valid
     */
    public SessionSettings read(Row row) throws ProtocolException {
        int expected = present.size() + server.size() + 2;
        if (row.columns() != expected) {
            throw new ProtocolException(
                    "the session's variables came as " + row.columns() + " columns (expected: " + expected + ")");
        }
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        for (int i = 0; i < present.size(); i++) {
            Variable variable = present.get(i);
            String value = variable.kind() == VariableKind.NUMBER ? digits(row.ascii(i)) : row.utf8(i);
            if (variable.kind() == VariableKind.NUMBER
                    && (value == null || !NUMBER.matcher(value).matches())) {
                throw new ProtocolException("variable " + variable.name() + " is " + value + " (expected: a number)");
            }
            values.put(variable.name(), value);
        }
        Map<String, String> identifying = new HashMap<>();
        for (int i = 0; i < server.size(); i++) {
            Variable variable = server.get(i);
            int at = present.size() + i;
            String value = variable.kind() == VariableKind.NUMBER ? digits(row.ascii(at)) : row.utf8(at);
            identifying.put(variable.name(), value == null ? "" : value);
        }
        return new SessionSettings(
                this,
                values,
                row.utf8(expected - 2),
                new SessionSettings.Account(userName(row.utf8(expected - 1)), serverKey(identifying)));
    }

    /** Returns an account's name without its host, which contains no @. */
    private static String userName(@Nullable String account) {
        String name = account == null ? "" : account;
        int host = name.lastIndexOf('@');
        return host < 0 ? name : name.substring(0, host);
    }

    /** Numbers are sent in the session's character set; in UTF-16 and similar sets a digit includes zero bytes. */
    private static @Nullable String digits(@Nullable String value) {
        return value == null ? null : value.replace("\0", "");
    }

    @Override
    public String toString() {
        return present.stream().map(Variable::name).toList().toString();
    }
}

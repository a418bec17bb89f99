package io.fanfold.variables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.client.WireConnectionTest;
import io.fanfold.pool.WorkerSession;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import io.fanfold.wire.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionSettingsTest {
    private static final SessionVariables FEW = SessionVariables.of(
            List.of("SQL_MODE", "timestamp", "character_set_results", "version", "innodb_parallel_read_threads"));

    private static Row row(@Nullable String... values) {
        return Row.of(WireConnectionTest.row(values), values.length);
    }

    private static SessionSettings settings(Map<String, @Nullable String> values, @Nullable String database) {
        return new SessionSettings(
                SessionVariables.of(values.keySet()), values, database, new SessionSettings.Account("", ""));
    }

    private static String hex(String value) {
        return "_utf8mb4 x'" + HexFormat.of().formatHex(value.getBytes(StandardCharsets.UTF_8)) + "'";
    }

    @Test
    void selectsOnlyVariablesOfTheServer() {
        assertThat(FEW.selectSql())
                .isEqualTo("SELECT CONVERT(@@session.character_set_results USING binary),"
                        + " CONVERT(@@session.sql_mode USING binary), @@session.timestamp,"
                        + " CONVERT(@@global.version USING binary),"
                        + " CONVERT(DATABASE() USING binary), CONVERT(CURRENT_USER() USING binary)");
    }

    /** MariaDB waits for the longer of both times, and sends no reports if one of them is 0. */
    @Test
    void readsHowOftenProgressIsReported() throws Exception {
        SessionVariables variables = SessionVariables.of(List.of("progress_report_time"));
        assertThat(variables.selectSql())
                .startsWith("SELECT IF(@@session.progress_report_time AND @@global.progress_report_time,"
                        + " GREATEST(@@session.progress_report_time, @@global.progress_report_time), 0), CONVERT(");
        SessionSettings often = variables.read(row("5", null, "me@%"));
        SessionSettings never = variables.read(row("0", null, "me@%"));
        assertThat(often.progressEvery()).contains(Duration.ofSeconds(5));
        assertThat(never.progressEvery()).isEmpty();
        assertThat(often.sameAs(never)).as("statements mean the same").isTrue();
        assertThat(settings(Map.of("sql_mode", ""), null).progressEvery()).isEmpty();
    }

    @Test
    void readsValuesAndNulls() throws Exception {
        SessionSettings settings = FEW.read(row(null, "ANSI_QUOTES", "1735689600.5", "9.7.0", "d\u00fc", "me@%"));
        assertThat(settings.characterSetResults()).isNull();
        assertThat(settings.sqlMode()).isEqualTo("ANSI_QUOTES");
        assertThat(settings.value("timestamp")).isEqualTo("1735689600.5");
        assertThat(settings.database()).isEqualTo("d\u00fc");
        assertThat(FEW.read(row("utf8mb4", "", "1", "9.7.0", null, "me@%")).database())
                .isNull();
    }

    @Test
    void readsTheNameOfTheAccount() throws Exception {
        assertThat(FEW.read(row("utf8mb4", "", "1", "9.7.0", null, "app@10.%")).user())
                .isEqualTo("app");
        assertThat(FEW.read(row("utf8mb4", "", "1", "9.7.0", null, "me@home@%")).user())
                .isEqualTo("me@home");
        assertThat(FEW.read(row("utf8mb4", "", "1", "9.7.0", null, "@localhost"))
                        .user())
                .isEmpty();
        assertThat(FEW.read(row("utf8mb4", "", "1", "9.7.0", null, null)).user())
                .isEmpty();
    }

    /** The text is that of a worker connection's facts, for every character set of the session. */
    @Test
    void readsWhichServerItIs() throws Exception {
        Map<String, String> values = Map.of(
                "hostname", "h\u00f6st", "port", "3306", "server_id", "7", "server_uuid", "1-2", "version", "9.7.0");
        SessionVariables variables = SessionVariables.of(values.keySet());
        assertThat(variables.selectSql())
                .isEqualTo("SELECT CONVERT(@@global.hostname USING binary), @@global.port, @@global.server_id,"
                        + " CONVERT(@@global.server_uuid USING binary), CONVERT(@@global.version USING binary),"
                        + " CONVERT(DATABASE() USING binary), CONVERT(CURRENT_USER() USING binary)");
        String server = variables
                .read(row("h\u00f6st", "\0003\0003\0000\0006", "\0007", "1-2", "9.7.0", null, "me@%"))
                .server();
        assertThat(server).isEqualTo(SessionVariables.serverKey(values)).isEqualTo("h\u00f6st/3306/7/1-2//9.7.0");
    }

    @Test
    void aLimitOnTimeIsInMillisecondsOrSeconds() {
        assertThat(settings(Map.of("max_execution_time", "0"), null).longest()).isEmpty();
        assertThat(settings(Map.of("max_statement_time", "0.000000"), null).longest())
                .isEmpty();
        assertThat(settings(Map.of("sql_mode", ""), null).longest()).isEmpty();
        assertThat(settings(Map.of("max_execution_time", "1500"), null).longest())
                .contains(Duration.ofMillis(1500));
        assertThat(settings(Map.of("max_statement_time", "12.345678"), null).longest())
                .contains(Duration.ofNanos(12_345_678_000L));
    }

    @Test
    void readsNumbersOfWideCharacterSets() throws Exception {
        assertThat(FEW.read(row("utf16", "", "\0001\000.\0005", "9.7.0", null, "me@%"))
                        .value("timestamp"))
                .isEqualTo("1.5");
    }

    @Test
    void refusesOddRows() {
        assertThatThrownBy(() -> FEW.read(row("utf8mb4", "", "1")))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("3 columns (expected: 6)");
        for (String number : new String[] {"1; DROP", "", "0x10", "1e5"}) {
            assertThatThrownBy(() -> FEW.read(row("utf8mb4", "", number, "9.7.0", null, "me@%")))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessageContaining("timestamp");
        }
        assertThatThrownBy(() -> FEW.read(row("utf8mb4", "", null, "9.7.0", null, "me@%")))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void setsEverythingOnceThenDifferences() throws Exception {
        WorkerSession worker = new WorkerSession();
        SessionSettings settings = FEW.read(row("latin1", "NO_ZERO_DATE", "1.5", "9.7.0", "db", "me@%"));
        List<String> first = worker.statements(settings, ResultsCharset.AS_CLIENT);
        assertThat(first).hasSize(2);
        assertThat(first.get(0)).isEqualTo("USE `db`");
        assertThat(first.get(1))
                .startsWith("SET character_set_results = " + hex("latin1") + ", sql_mode = " + hex("NO_ZERO_DATE")
                        + ", timestamp = 1.5")
                .contains(
                        "sql_select_limit = 18446744073709551615",
                        "innodb_parallel_read_threads = 1",
                        "lock_wait_timeout = 1",
                        "autocommit = 1");
        assertThat(worker.statements(settings, ResultsCharset.AS_CLIENT)).isEmpty();
        assertThat(worker.statements(settings, ResultsCharset.UTF8MB4))
                .containsExactly("SET character_set_results = " + hex("utf8mb4"));
        assertThat(worker.statements(settings, ResultsCharset.UNCONVERTED))
                .containsExactly("SET character_set_results = NULL");
        assertThat(worker.statements(
                        FEW.read(row("latin1", "NO_ZERO_DATE", "2.5", "9.7.0", null, "me@%")),
                        ResultsCharset.UNCONVERTED))
                .containsExactly("SET timestamp = 2.5");
        assertThat(worker.statements(
                        FEW.read(row("latin1", "NO_ZERO_DATE", "2.5", "9.7.0", "db", "me@%")),
                        ResultsCharset.UNCONVERTED))
                .isEmpty();
    }

    @Test
    void databasesOfAnyNameAreQuoted() throws Exception {
        WorkerSession worker = new WorkerSession();
        List<String> statements = worker.statements(
                FEW.read(row("utf8mb4", "", "1", "9.7.0", "a`b\"'\\", "me@%")), ResultsCharset.AS_CLIENT);
        assertThat(statements.get(0)).isEqualTo("USE `a``b\"'\\`");
        assertThat(worker.statements(
                        FEW.read(row("utf8mb4", "", "1", "9.7.0", "\u00fc", "me@%")), ResultsCharset.AS_CLIENT))
                .containsExactly("SET character_set_client = utf8mb4", "USE `\u00fc`");
    }

    /** Setting the character set of the connection resets its collation, so both are always set together. */
    @Test
    void theCollationFollowsItsCharacterSet() {
        WorkerSession worker = new WorkerSession();
        worker.statements(charset("utf8mb4", "utf8mb4_bin"), ResultsCharset.AS_CLIENT);
        assertThat(worker.statements(charset("utf8mb4", "utf8mb4_unicode_ci"), ResultsCharset.AS_CLIENT))
                .containsExactly("SET character_set_connection = " + hex("utf8mb4") + ", collation_connection = "
                        + hex("utf8mb4_unicode_ci"));
        assertThat(worker.statements(charset("utf8mb4", "utf8mb4_unicode_ci"), ResultsCharset.AS_CLIENT))
                .isEmpty();
    }

    private static SessionSettings charset(String charset, String collation) {
        return settings(Map.of("character_set_connection", charset, "collation_connection", collation), null);
    }

    @ParameterizedTest
    @CsvSource({
        "'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES', STRICT_TRANS_TABLES",
        "'REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ONLY_FULL_GROUP_BY,ANSI',"
                + "'REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE'",
        "ONLY_FULL_GROUP_BY, ''",
        "'', ''"
    })
    void workersMayGroupFreely(String mode, String expected) {
        assertThat(settings(Map.of("sql_mode", mode), null).assignments(ResultsCharset.AS_CLIENT))
                .containsEntry("sql_mode", hex(expected));
    }

    @ParameterizedTest
    @CsvSource({
        "+00:00, false, true",
        "-05:30, false, true",
        "UTC, false, true",
        "SYSTEM, true, true",
        "SYSTEM, false, false",
        "Europe/Berlin, true, false",
        "GMT, true, false"
    })
    void knowsZonesWhoseClocksAreNotSet(String zone, boolean systemUtc, boolean fixed) {
        assertThat(settings(Map.of("time_zone", zone), null).fixedTimeZone(systemUtc))
                .isEqualTo(fixed);
    }

    @ParameterizedTest
    @CsvSource({
        "'', true",
        "'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO', true",
        "'STRICT_TRANS_TABLES,NO_ZERO_DATE', false",
        "no_zero_in_date, false"
    })
    void knowsModesThatLetZeroDatesBe(String mode, boolean allowed) {
        assertThat(settings(Map.of("sql_mode", mode), null).zeroDates()).isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource({"latin1, utf8mb4", "ascii, utf8mb4", "gbk, utf8mb4", "utf8mb3, utf8mb3", "utf8mb4, utf8mb4"})
    void workersReadUtf8(String client, String expected) {
        assertThat(settings(Map.of("character_set_client", client), null).assignments(ResultsCharset.AS_CLIENT))
                .containsEntry("character_set_client", hex(expected));
    }

    @Test
    void anOrdinarySessionIsSplittable() {
        Map<String, @Nullable String> values = new HashMap<>();
        values.put("transaction_isolation", "SERIALIZABLE");
        values.put("autocommit", "1");
        values.put("sql_select_limit", "18446744073709551615");
        values.put("sql_auto_is_null", "0");
        values.put("sql_big_selects", "1");
        values.put("profiling", "0");
        values.put("resultset_metadata", "FULL");
        values.put("system_versioning_asof", "DEFAULT");
        values.put("wsrep_sync_wait", "0");
        values.put("group_replication_consistency", "BEFORE_ON_PRIMARY_FAILOVER");
        values.put("character_set_results", null);
        assertThat(settings(values, null).unsplittable(false)).isEmpty();
        assertThat(settings(values, null).isolation()).isEqualTo("SERIALIZABLE");
    }

    @ParameterizedTest
    @CsvSource({
        "autocommit, 0, IN_TRANSACTION",
        "transaction_isolation, READ-UNCOMMITTED, SESSION_VARIABLE",
        "tx_isolation, READ-UNCOMMITTED, SESSION_VARIABLE",
        "sql_select_limit, 18446744073709551614, SESSION_VARIABLE",
        "sql_auto_is_null, 1, SESSION_VARIABLE",
        "sql_big_selects, 0, SESSION_VARIABLE",
        "profiling, 1, SESSION_VARIABLE",
        "resultset_metadata, NONE, SESSION_VARIABLE",
        "system_versioning_asof, 2020-01-01 00:00:00, SESSION_VARIABLE",
        "system_versioning_asof, ALL, SESSION_VARIABLE",
        "wsrep_sync_wait, 1, SESSION_VARIABLE",
        "group_replication_consistency, BEFORE, SESSION_VARIABLE",
        "group_replication_consistency, BEFORE_AND_AFTER, SESSION_VARIABLE",
        "character_set_results, utf16le, CHARSET",
        "character_set_connection, ucs2, CHARSET"
    })
    void namesTheReasonsAgainstSplitting(String name, String value, Reason reason) {
        assertThat(settings(Map.of(name, value), null).unsplittable(false)).hasValueSatisfying(refusal -> {
            assertThat(refusal.reason()).isEqualTo(reason);
            assertThat(refusal.detail()).endsWith("=" + value);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"a'b", "\\", "\u00fc\u20ac", "x\" OR `y", "\n"})
    void literalsHoldNothingButHexDigits(String value) {
        Map<String, String> assignments =
                settings(Map.of("lc_time_names", value), null).assignments(ResultsCharset.AS_CLIENT);
        assertThat(assignments.get("lc_time_names")).matches("_utf8mb4 x'[0-9a-f]*'");
        assertThat(new ArrayList<>(assignments.keySet())).contains("lc_time_names");
    }
}

package io.fanfold.variables;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.RealServer;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.pool.Lease;
import io.fanfold.pool.PoolAwait;
import io.fanfold.pool.WorkerPool;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Reply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

class SessionSettingsIT {
    /** Statements that set unusual session variables. Statements that a server does not know are skipped there. */
    private static final List<String> ODD = List.of(
            "SET sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT'",
            "SET sql_mode = 'ANSI'",
            "SET sql_mode = 'TRADITIONAL,PAD_CHAR_TO_FULL_LENGTH'",
            "SET sql_mode = ''",
            "SET old_mode = ''",
            "SET time_zone = '+05:30'",
            "SET time_zone = 'SYSTEM'",
            "SET NAMES latin1",
            "SET NAMES utf8mb4 COLLATE utf8mb4_bin",
            "SET NAMES gbk",
            "SET character_set_results = NULL",
            "SET character_set_results = binary",
            "SET character_set_client = cp1251, character_set_connection = latin2, character_set_results = utf8mb4",
            "SET collation_connection = utf8mb4_unicode_ci",
            "SET default_collation_for_utf8mb4 = utf8mb4_general_ci",
            "SET character_set_collations = 'utf8mb4=uca1400_ai_ci'",
            "SET timestamp = 1.5",
            "SET timestamp = 1735689600.123456",
            "SET default_week_format = 7",
            "SET div_precision_increment = 0",
            "SET div_precision_increment = 30",
            "SET group_concat_max_len = 4",
            "SET group_concat_max_len = 4294967295",
            "SET lc_time_names = 'en_GB'",
            "SET lc_messages = 'en_GB'",
            "SET max_sort_length = 64",
            "SET sql_notes = 0",
            "SET optimizer_switch = 'mrr=on'",
            "SET innodb_ft_enable_stopword = 0",
            "SET max_execution_time = 123456",
            "SET max_statement_time = 12.345678",
            "SET windowing_use_high_precision = 0",
            "SET block_encryption_mode = 'aes-256-cbc'",
            "SET cte_max_recursion_depth = 7",
            "SET max_recursive_iterations = 7",
            "SET max_points_in_geometry = 3",
            "SET end_markers_in_json = 1",
            "SET default_regex_flags = 'DOTALL,UNGREEDY'",
            "SET standard_compliant_cte = 0",
            "SET note_verbosity = ''",
            "USE mysql",
            "USE backend_it",
            "USE `odd`");

    private static final String ODD_SCHEMA = "`backend_it_\u00fc ``\"'`";

    @AllServers
    void workersHaveTheVariablesOfTheClient(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        try (WireConnection client = real.admin();
                WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(2))) {
            client.execute("CREATE DATABASE IF NOT EXISTS " + ODD_SCHEMA);
            client.execute("GRANT SELECT ON *.* TO " + RealServer.WORKER + "@'%'");
            List<Lease> leases = PoolAwait.acquire(pool, 2);
            try {
                SessionVariables variables = leases.get(0).facts().variables();
                assertCarried(client, variables, leases);
                int known = 0;
                for (String odd : ODD) {
                    String sql = odd.equals("USE `odd`") ? "USE " + ODD_SCHEMA : odd;
                    Reply reply = client.pipeline(List.of(sql)).get(0);
                    boolean missing = reply instanceof Reply.Failed failed && failed.errno() == 1193;
                    assertThat(missing || reply instanceof Reply.Completed)
                            .as("%s: %s", sql, reply)
                            .isTrue();
                    if (!missing) {
                        known++;
                        assertCarried(client, variables, leases);
                    }
                    if (sql.startsWith("SET NAMES") || sql.contains("character_set_client")) {
                        client.execute("SET NAMES utf8mb4");
                    }
                }
                assertThat(known).isGreaterThan(30);
            } finally {
                leases.forEach(Lease::close);
                client.execute("DROP DATABASE " + ODD_SCHEMA);
                client.execute("REVOKE SELECT ON *.* FROM " + RealServer.WORKER + "@'%'");
            }
        }
    }

    private static void assertCarried(WireConnection client, SessionVariables variables, List<Lease> leases)
            throws Exception {
        SessionSettings settings =
                variables.read(client.query(variables.selectSql()).rows().get(0));
        for (ResultsCharset results : ResultsCharset.values()) {
            Lease.apply(leases, settings, results);
            for (Lease lease : leases) {
                SessionSettings worker = variables.read(
                        lease.connection().query(variables.selectSql()).rows().get(0));
                assertThat(worker.database()).isEqualTo(settings.database());
                assertThat(carried(variables, worker)).isEqualTo(expected(variables, settings, results));
                assertThat(worker.sqlMode().split(",")).doesNotContain("ONLY_FULL_GROUP_BY", "ANSI");
            }
        }
    }

    private static Map<String, String> carried(SessionVariables variables, SessionSettings settings) {
        Map<String, String> values = new HashMap<>();
        for (SessionVariables.Variable variable : variables.present()) {
            if (variable.carried() && !variable.name().equals("sql_mode")) {
                values.put(variable.name(), String.valueOf(settings.value(variable.name())));
            }
        }
        return values;
    }

    private static Map<String, String> expected(
            SessionVariables variables, SessionSettings settings, ResultsCharset results) {
        Map<String, String> values = carried(variables, settings);
        // workers use UTF-8
        values.computeIfPresent("character_set_client", (name, value) -> value.startsWith("utf8") ? value : "utf8mb4");
        switch (results) {
            case AS_CLIENT -> {}
            case UTF8MB4 -> values.put("character_set_results", "utf8mb4");
            case UNCONVERTED -> values.put("character_set_results", "null");
        }
        return values;
    }

    @AllServers
    void workersAreUnlimitedAndDoNotWaitForLocks(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        try (WireConnection client = real.admin();
                WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(2))) {
            List<Lease> leases = PoolAwait.acquire(pool, 2);
            SessionVariables variables = leases.get(0).facts().variables();
            client.execute("SET sql_mode = 'ONLY_FULL_GROUP_BY,NO_ZERO_DATE'");
            SessionSettings settings =
                    variables.read(client.query(variables.selectSql()).rows().get(0));
            Lease.apply(leases, settings, ResultsCharset.AS_CLIENT);
            assertThat(RealServer.value(
                            leases.get(0).connection(),
                            "SELECT @@sql_mode, @@sql_select_limit, @@lock_wait_timeout, @@autocommit,"
                                    + " @@completion_type, @@net_write_timeout"))
                    .isEqualTo("NO_ZERO_DATE|18446744073709551615|1|1|NO_CHAIN|31536000");
            leases.forEach(Lease::close);
        }
    }

    @AllServers
    void refusesSessionsThatWorkersCannotBeLike(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        try (WireConnection client = real.admin()) {
            SessionVariables variables = ServerFacts.discover(client).variables();
            assertThat(read(client, variables).unsplittable(false)).isEmpty();
            Map<String, Reason> refused = Map.of(
                    "SET autocommit = 0", Reason.IN_TRANSACTION,
                    "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED", Reason.SESSION_VARIABLE,
                    "SET sql_select_limit = 10", Reason.SESSION_VARIABLE,
                    "SET sql_auto_is_null = 1", Reason.SESSION_VARIABLE,
                    "SET sql_big_selects = 0", Reason.SESSION_VARIABLE,
                    "SET profiling = 1", Reason.SESSION_VARIABLE,
                    "SET character_set_results = utf16", Reason.CHARSET,
                    "SET character_set_connection = ucs2", Reason.CHARSET,
                    "SET system_versioning_asof = '2020-01-01'", Reason.SESSION_VARIABLE,
                    "SET wsrep_sync_wait = 1", Reason.SESSION_VARIABLE);
            for (Map.Entry<String, Reason> entry : refused.entrySet()) {
                try (WireConnection session = real.admin()) {
                    Reply reply = session.pipeline(List.of(entry.getKey())).get(0);
                    if (!(reply instanceof Reply.Failed failed && failed.errno() == 1193)) {
                        assertThat(read(session, variables).unsplittable(false))
                                .as(entry.getKey())
                                .hasValueSatisfying(
                                        refusal -> assertThat(refusal.reason()).isEqualTo(entry.getValue()));
                    }
                }
            }
        }
    }

    private static SessionSettings read(WireConnection session, SessionVariables variables) throws Exception {
        return variables.read(session.query(variables.selectSql()).rows().get(0));
    }
}

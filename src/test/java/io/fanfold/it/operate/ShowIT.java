package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.client.ClientScenario;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** {@code SHOW FANFOLD}. */
class ShowIT {
    private static final int ACCESS_DENIED = 1227;
    private static final int PARSE_ERROR = 1064;
    private static final int INTERRUPTED = 1317;
    private static final List<String> STATUSES =
            List.of("PROCESSLIST", "DIGESTS", "TABLES", "SERVERS", "REUSE", "VARIABLES");

    /** Returns each row as a map from its columns. */
    private static List<Map<String, String>> shown(WireConnection client, String rest) throws Exception {
        Reply.Result result = client.query("SHOW FANFOLD " + rest);
        List<Map<String, String>> rows = new ArrayList<>();
        for (Row row : result.rows()) {
            Map<String, String> values = new LinkedHashMap<>();
            for (int i = 0; i < result.columns().size(); i++) {
                values.put(result.columns().get(i).name(), row.utf8(i));
            }
            rows.add(values);
        }
        return rows;
    }

    private static WireConnection guest(ProxiedServer proxy) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP USER IF EXISTS show_guest");
            admin.execute("CREATE USER show_guest IDENTIFIED BY 'pw'");
            admin.execute("GRANT SELECT ON it_slow.* TO show_guest");
        }
        return proxy.proxied("show_guest", "pw");
    }

    @AllServers
    void theProcessListHasRunningFanOuts(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection client = proxy.proxied();
                WireConnection other = proxy.proxied();
                WireConnection guest = guest(proxy)) {
            assertThat(shown(other, "PROCESSLIST")).isEmpty();
            CompletableFuture<Throwable> ended = CompletableFuture.supplyAsync(() -> {
                try {
                    client.query(SlowTables.ENDLESS);
                    return new AssertionError("it did not run for hours");
                } catch (Exception e) {
                    return e;
                }
            });
            await().until(() ->
                    shown(other, "PROCESSLIST").stream().anyMatch(row -> "3".equals(row.get("QUERIES_RUNNING"))));
            Map<String, String> row = shown(other, "PROCESSLIST").get(0);
            assertThat(row)
                    .containsEntry("ID", String.valueOf(client.threadId()))
                    .containsEntry("USER", server.adminUser())
                    .containsEntry("STATE", "running partition queries")
                    .containsEntry("QUERIES_DONE", "0");
            assertThat(row.get("INFO")).startsWith("SELECT SUM(a.v * b.w) FROM it_slow.big a");
            assertThat(Double.parseDouble(row.get("TIME"))).isNotNegative();
            assertThat(shown(guest, "PROCESSLIST")).as("without PROCESS").isEmpty();
            other.execute("KILL QUERY " + row.get("ID"));
            assertThat(ended.get())
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(INTERRUPTED));
            await().until(() -> shown(other, "PROCESSLIST").isEmpty());
        }
    }

    @AllServers
    void digestsCountWhatBecameOfStatements(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection client = proxy.proxied();
                WireConnection guest = guest(proxy)) {
            if (server.kind().isMySql()) {
                // a full table would count the statements in its last row, without a digest
                client.execute("TRUNCATE performance_schema.events_statements_summary_by_digest");
            }
            client.execute("USE it_slow");
            for (int i = 0; i < 3; i++) {
                client.query("SELECT SUM(v), COUNT(*) FROM big WHERE v > " + i);
                client.query("SELECT MAX(@a := v) FROM big WHERE v > 7");
            }
            proxy.tablesChanged();
            Map<String, String> split =
                    shown(client, "DIGESTS LIKE 'SELECT SUM%'").get(0);
            assertThat(split)
                    .containsEntry("SCHEMA_NAME", "it_slow")
                    .containsEntry("USER", server.adminUser())
                    .containsEntry("EXECUTIONS", "3")
                    .containsEntry("SPLIT", "3")
                    .containsEntry("PASSED_THROUGH", "0")
                    .containsEntry("REASONS", "")
                    .containsEntry("LAST_REASON", null);
            assertThat(Double.parseDouble(split.get("SPLIT_SECONDS"))).isPositive();
            Map<String, String> passed =
                    shown(client, "DIGESTS LIKE 'SELECT MAX%'").get(0);
            assertThat(passed)
                    .as("the first was read, the others were refused by their text")
                    .containsEntry("EXECUTIONS", "3")
                    .containsEntry("SPLIT", "0")
                    .containsEntry("PASSED_THROUGH", "3")
                    .containsEntry("REASONS", "user_variable=3")
                    .containsEntry("LAST_REASON", "user_variable");
            if (server.kind().isMySql()) {
                assertThat(client.query("SELECT COUNT(*) FROM performance_schema.events_statements_summary_by_digest"
                                        + " WHERE DIGEST_TEXT = '" + passed.get("DIGEST_TEXT") + "' AND DIGEST = '"
                                        + passed.get("DIGEST") + "'")
                                .rows())
                        .as("the server's own digest")
                        .hasToString("[1]");
            }
            assertThat(shown(guest, "DIGESTS")).as("without PROCESS").isEmpty();
            guest.query("SELECT SUM(v) FROM it_slow.big WHERE v > 0");
            assertThat(shown(guest, "DIGESTS")).hasSize(1);
        }
    }

    @AllServers
    void showsTablesServersAndSettings(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection client = proxy.proxied()) {
            assertThat(shown(client, "TABLES LIKE 'big'"))
                    .anySatisfy(row -> assertThat(row)
                            .containsEntry("TABLE_SCHEMA", "it_slow")
                            .containsEntry("PARTITION_METHOD", "HASH")
                            .containsEntry("DEGREE", "3"));
            assertThat(shown(client, "SERVERS").get(0))
                    .containsEntry("STATUS", "UP")
                    .containsEntry("WORKERS_IN_USE", "0")
                    .containsEntry("LAST_ERROR", null);
            assertThat(shown(client, "VARIABLES LIKE 'fan-out.degree'"))
                    .containsExactly(Map.of("Variable_name", "fan-out.degree", "Value", "3", "Source", "command_line"));
            assertThat(shown(client, "VARIABLES LIMIT 2")).hasSize(2);
            assertThat(shown(client, "VARIABLES LIKE '%password%'")).isEmpty();
            client.execute("BEGIN");
            client.query("SELECT * FROM it_slow.big WHERE id = 1 FOR UPDATE");
            assertThat(shown(client, "SERVERS")).as("inside a transaction").hasSize(1);
            assertThat(client.inTransaction()).isTrue();
            client.execute("COMMIT");
        }
    }

    /** Connector/J and MariaDB's Connector/J, PyMySQL and the mariadb client, in their default settings. */
    @AllServers
    void clientsShowWhatTheyGet(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server)) {
            try (Connection jdbc = DriverManager.getConnection(
                            server.jdbcUrl("127.0.0.1", proxy.port(), ""), server.adminUser(), server.adminPassword());
                    Statement statement = jdbc.createStatement()) {
                for (String status : STATUSES) {
                    statement.executeQuery("SHOW FANFOLD " + status).close();
                }
                try (ResultSet servers = statement.executeQuery("SHOW FANFOLD SERVERS")) {
                    assertThat(servers.next()).isTrue();
                    assertThat(servers.getString("STATUS")).isEqualTo("UP");
                    assertThat(servers.getLong("WORKERS_MAX")).isEqualTo(16);
                }
                try (ResultSet explained = statement.executeQuery(
                        "EXPLAIN FORMAT=FANFOLD SELECT COUNT(*) + 0 FROM it_slow.big WHERE v > 1")) {
                    assertThat(explained.next()).isTrue();
                    assertThat(explained.getString("detail")).isEqualTo("split");
                }
            }
            String port = String.valueOf(proxy.port());
            List<String> python = new ArrayList<>(List.of(
                    ClientProgram.installed("python").resolve("bin/python").toString(),
                    ClientScenario.FOLDER.resolve("show.py").toString(),
                    port,
                    server.adminUser(),
                    server.adminPassword()));
            STATUSES.forEach(status -> python.add("SHOW FANFOLD " + status));
            python.add("EXPLAIN FORMAT=FANFOLD SELECT COUNT(*) + 0 FROM it_slow.big WHERE v > 1");
            assertThat(ClientProgram.run("show-python", python))
                    .contains("fan-out.degree|3|command_line", "decision|split")
                    .anyMatch(line -> line.contains("|UP|"));
            List<String> shell = List.of(
                    ClientProgram.onPath("mariadb"),
                    "--host=127.0.0.1",
                    "--port=" + port,
                    "--user=" + server.adminUser(),
                    "--password=" + server.adminPassword(),
                    "--batch",
                    "--skip-ssl",
                    "--execute=SHOW FANFOLD VARIABLES LIKE 'fan-out.degree'; SHOW FANFOLD TABLES LIKE 'big'");
            assertThat(ClientProgram.run("show-mariadb", shell))
                    .contains("fan-out.degree\t3\tcommand_line")
                    .anyMatch(line -> line.startsWith("it_slow\tbig\tHASH\t6\t"));
        }
    }

    @AllServers
    void theServerDecidesWhoMayLook(TestServer server) throws Exception {
        try (ProxiedServer proxy = SlowTables.start(server);
                WireConnection client = proxy.proxied();
                WireConnection guest = guest(proxy)) {
            for (String status : STATUSES) {
                shown(client, status);
            }
            for (String status : List.of("TABLES", "SERVERS", "REUSE", "VARIABLES")) {
                assertThatThrownBy(() -> shown(guest, status))
                        .isInstanceOfSatisfying(
                                ServerException.class,
                                e -> assertThat(e.errno()).isEqualTo(ACCESS_DENIED));
            }
            try (WireConnection admin = proxy.direct()) {
                admin.execute("GRANT PROCESS ON *.* TO show_guest");
            }
            try (WireConnection trusted = proxy.proxied("show_guest", "pw")) {
                assertThat(shown(trusted, "SERVERS")).hasSize(1);
            }
            assertThatThrownBy(() -> shown(guest, "NOTHING")).isInstanceOfSatisfying(ServerException.class, e -> {
                assertThat(e.errno()).isEqualTo(PARSE_ERROR);
                assertThat(e)
                        .hasMessageContaining("PROCESSLIST, DIGESTS, TABLES, SERVERS, REUSE, VARIABLES, DIFFERENCES");
            });
            assertThatThrownBy(() -> shown(guest, "SERVERS WHERE 1")).hasMessageContaining("near 'WHERE 1'");
            assertThat(guest.query("SELECT 1").rows()).hasToString("[1]");
        }
    }
}

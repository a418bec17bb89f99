package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fanfold.client.WireConnection;
import io.fanfold.config.ConfigLoader;
import io.fanfold.it.support.data.SlowLogFile;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** {@code fanfold observe}: loads that real servers have logged and summed up. */
class ObserveIT {
    private static final Map<String, String> PASSWORDS =
            Map.of(ConfigLoader.PASSWORD_VARIABLE, "w", ServerAccess.PASSWORD_VARIABLE, "u");

    /** The first words of what may be sent, besides SELECTs that read no table of a user. */
    private static final List<String> HARMLESS = List.of(
            "EXPLAIN ",
            "SHOW ",
            "SET ",
            "USE ",
            "START TRANSACTION",
            "COMMIT",
            "ROLLBACK",
            "LOCK TABLES",
            "UNLOCK TABLES",
            "DO ");

    @TempDir
    private Path folder;

    private static WireConnection admin(TestServer server) throws Exception {
        return ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword());
    }

    /** Creates tables that are large enough that a split of a statement over them pays, once for each server. */
    private static void prepare(TestServer server) throws Exception {
        try (WireConnection admin = admin(server)) {
            if (!admin.query("SHOW DATABASES LIKE 'it_observe'").rows().isEmpty()) {
                admin.execute("CREATE TABLE IF NOT EXISTS it_observe.gone (id INT)");
                return;
            }
            for (String sql : List.of(
                    "CREATE DATABASE it_observe DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
                    "CREATE TABLE it_observe.numbers (n INT PRIMARY KEY)",
                    "INSERT INTO it_observe.numbers WITH RECURSIVE r AS (SELECT 0 n UNION ALL SELECT n + 1 FROM r WHERE n <"
                            + " 599) SELECT n FROM r",
                    "CREATE TABLE it_observe.t (id INT PRIMARY KEY, v INT, d DOUBLE) PARTITION BY HASH (id) PARTITIONS 4",
                    "INSERT IGNORE INTO it_observe.t SELECT a.n * 600 + b.n, b.n, a.n FROM it_observe.numbers a JOIN"
                            + " it_observe.numbers b",
                    "CREATE TABLE it_observe.plain (id INT PRIMARY KEY, v INT, d DOUBLE)",
                    "INSERT INTO it_observe.plain SELECT * FROM it_observe.t",
                    "CREATE TABLE it_observe.named (name VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_czech_ci"
                            + " PRIMARY KEY, v INT, d DOUBLE)",
                    "INSERT INTO it_observe.named SELECT * FROM it_observe.t LIMIT 120000",
                    "CREATE TABLE it_observe.other (id INT PRIMARY KEY, w INT) ENGINE=MyISAM",
                    "INSERT INTO it_observe.other SELECT n, n FROM it_observe.numbers",
                    "CREATE TABLE it_observe.gone (id INT)",
                    "DROP USER IF EXISTS observe_worker",
                    "CREATE USER observe_worker IDENTIFIED BY 'w'",
                    "GRANT SELECT, LOCK TABLES ON it_observe.* TO observe_worker",
                    "DROP USER IF EXISTS observe_user",
                    "CREATE USER observe_user IDENTIFIED BY 'u'",
                    "GRANT ALL ON it_observe.* TO observe_user",
                    "ANALYZE TABLE it_observe.t, it_observe.plain, it_observe.named")) {
                admin.execute(sql);
            }
        }
    }

    /** Runs the load as a user of the server. */
    private static void load(TestServer server) throws Exception {
        try (WireConnection user = ProxiedServer.connect(server.host(), server.port(), "observe_user", "u")) {
            user.execute("USE it_observe");
            for (int i = 0; i < 3; i++) {
                user.query("SELECT v % 7 k,\n COUNT(*), SUM(id), MAX(d) FROM t WHERE v <> " + i
                        + " GROUP BY k ORDER BY k");
            }
            user.query("SELECT v % 7 k, COUNT(*), SUM(id), MAX(d) FROM plain GROUP BY k ORDER BY k");
            user.query("SELECT v % 7 k, COUNT(*), SUM(v), MAX(d) FROM named GROUP BY k ORDER BY k");
            user.query("SELECT COUNT(*) FROM numbers WHERE n > 1");
            user.query("SELECT SUM(d) FROM t WHERE v > 1");
            user.query("SELECT MAX(@a := v) FROM t");
            user.query("SELECT SUM(t.id), MAX(w) FROM t JOIN other ON other.id = t.v WHERE t.v > 0");
            user.query("SELECT COUNT(*) FROM gone WHERE id > 1");
            user.execute("UPDATE t SET d = 0 WHERE id = 7");
            user.execute("DROP TABLE gone");
            // an entry is written after the answer is sent, and before the next command is read
            user.execute("DO 1");
        }
    }

    private List<String> observing(TestServer server) throws Exception {
        Path settings = Files.writeString(
                folder.resolve("fanfold.yaml"), "fan-out: {degree: 2}\nworkers: {user: observe_worker}\n");
        return List.of(
                "observe",
                "--config",
                settings.toString(),
                "--backend",
                server.host() + ":" + server.port(),
                "--user",
                "observe_user");
    }

    @AllServers
    void aSlowLogIsExplained(TestServer server) throws Exception {
        prepare(server);
        Path log = folder.resolve("slow.log");
        try (SlowLogFile slow = new SlowLogFile(server)) {
            load(server);
            Files.write(log, slow.bytes());
        }
        List<String> sent;
        CommandRun run;
        try (Received received = new Received(server)) {
            run = CommandRun.of(PASSWORDS, observing(server), "--slow-log", log.toString(), "--json");
            sent = received.statements();
        }
        requireVerdicts(json(run));
        assertThat(sent).isNotEmpty().allSatisfy(ObserveIT::requireHarmless);

        CommandRun text = CommandRun.of(PASSWORDS, observing(server), "--slow-log", log.toString(), "--top", "3");
        assertThat(text.err()).isEmpty();
        assertThat(text.out())
                .startsWith("slow log " + log + ", ")
                .contains("would be split: ", "split, 2 workers", "and ", "more (--top)")
                .contains("        to change that: ALTER TABLE it_observe.named PARTITION BY KEY () PARTITIONS 8;")
                .contains("        to change that: set fan-out.approximate: allow");
    }

    private static void requireHarmless(String sql) {
        String upper = sql.strip().toUpperCase(Locale.ROOT);
        boolean reads = upper.startsWith("SELECT")
                && !upper.contains("IT_OBSERVE.")
                && !upper.matches("(?s).*\\bFROM (T|PLAIN|NAMED|NUMBERS|OTHER|GONE)\\b.*");
        assertThat(reads || HARMLESS.stream().anyMatch(upper::startsWith))
                .as(sql)
                .isTrue();
    }

    private static void requireVerdicts(JsonNode json) {
        JsonNode split = group(json, "GROUP BY", " t ", "`t`");
        assertThat(split.get("decision").asText()).isEqualTo("split");
        assertThat(split.get("executions").asLong()).isEqualTo(3);
        assertThat(split.get("workers").asInt()).isEqualTo(2);
        assertThat(split.get("schema").asText()).isEqualTo("it_observe");
        assertThat(split.get("tables").get(0).get("table").asText()).isEqualTo("it_observe.t");
        assertThat(split.get("expectedSeconds").asDouble())
                .isLessThan(split.get("seconds").asDouble());
        assertThat(json.get("splitStatements").asLong()).isEqualTo(4);
        assertThat(reason(json, "no_partitioned_table").get("executions").asLong())
                .isPositive();
        assertThat(reason(json, "key_range").get("executions").asLong()).isEqualTo(1);
        assertThat(reason(json, "approximate").get("executions").asLong()).isEqualTo(1);
        assertThat(reason(json, "user_variable").get("executions").asLong()).isEqualTo(1);
        assertThat(reason(json, "engine").get("executions").asLong()).isEqualTo(1);
        assertThat(reason(json, "error 1146").get("executions").asLong()).isEqualTo(1);
        assertThat(reason(json, "error 1146").get("because").asText()).contains("it_observe.gone");
        assertThat(reason(json, "not_a_select").get("executions").asLong()).isGreaterThanOrEqualTo(2);
        double reasons = 0;
        for (JsonNode reason : json.get("reasons")) {
            reasons += reason.get("seconds").asDouble();
        }
        assertThat(reasons + json.get("splitSeconds").asDouble())
                .as("reasons and splits are the whole time")
                .isCloseTo(json.get("seconds").asDouble(), org.assertj.core.data.Offset.offset(1e-6));
        List<String> remedies = new ArrayList<>();
        json.get("advice").forEach(advice -> advice.get("remedies").forEach(remedy -> remedies.add(remedy.asText())));
        assertThat(remedies)
                .contains("ALTER TABLE it_observe.named PARTITION BY KEY () PARTITIONS 8;")
                .contains("ALTER TABLE it_observe.other ENGINE = InnoDB;")
                .anyMatch(remedy -> remedy.startsWith("set fan-out.approximate: allow"));
    }

    private static JsonNode group(JsonNode json, String with, String... tables) {
        for (JsonNode group : json.get("groups")) {
            String digest = group.get("digest").asText();
            if (digest.contains(with) && List.of(tables).stream().anyMatch(digest::contains)) {
                return group;
            }
        }
        throw new AssertionError("no group with " + with + " in " + json);
    }

    private static JsonNode reason(JsonNode json, String label) {
        for (JsonNode reason : json.get("reasons")) {
            if (reason.get("reason").asText().equals(label)) {
                return reason;
            }
        }
        throw new AssertionError("no reason " + label + " in " + json);
    }

    @AllServers
    void theServersOwnSummaryIsExplained(TestServer server) throws Exception {
        prepare(server);
        try (WireConnection admin = admin(server)) {
            if (server.kind() == ServerFlavor.MYSQL) {
                admin.execute("GRANT SELECT ON performance_schema.* TO observe_user");
                admin.execute("TRUNCATE TABLE performance_schema.events_statements_summary_by_digest");
            }
        }
        load(server);
        CommandRun run = CommandRun.of(PASSWORDS, observing(server), "--json");
        if (server.kind() == ServerFlavor.MARIADB) {
            assertThat(run.err())
                    .isEqualTo("fanfold: this server's performance_schema keeps no sample of a statement (expected:"
                            + " MySQL 8.0 or later). Use --slow-log FILE" + System.lineSeparator());
            assertThat(run.code()).isEqualTo(1);
        } else {
            requireVerdicts(json(run));
        }
    }

    /** A slow log has the values of a prepared statement, performance_schema has not. */
    @AllServers
    void aPreparedStatementIsExplainedIfItsValuesAreKnown(TestServer server) throws Exception {
        prepare(server);
        Path log = folder.resolve("slow.log");
        try (WireConnection admin = admin(server);
                SlowLogFile slow = new SlowLogFile(server)) {
            if (server.kind() == ServerFlavor.MYSQL) {
                admin.execute("GRANT SELECT ON performance_schema.* TO observe_user");
                admin.execute("TRUNCATE TABLE performance_schema.events_statements_summary_by_digest");
            }
            try (Connection user = DriverManager.getConnection(
                            server.jdbcUrl("it_observe") + "&useServerPrepStmts=true", "observe_user", "u");
                    PreparedStatement prepared =
                            user.prepareStatement("SELECT v % 5, SUM(id), MAX(d) FROM t WHERE v > ? GROUP BY 1")) {
                prepared.setInt(1, 3);
                prepared.executeQuery().close();
                // an entry is written after the answer is sent, and before the next command is read
                prepared.getConnection().setAutoCommit(false);
            }
            Files.write(log, slow.bytes());
        }
        JsonNode ofLog = json(CommandRun.of(PASSWORDS, observing(server), "--slow-log", log.toString(), "--json"));
        assertThat(group(ofLog, "GROUP BY", " t ", "`t`").get("decision").asText())
                .isEqualTo("split");
        if (server.kind() == ServerFlavor.MYSQL) {
            JsonNode ofServer = json(CommandRun.of(PASSWORDS, observing(server), "--json"));
            assertThat(reason(ofServer, "parameters").get("executions").asLong())
                    .isEqualTo(1);
        }
    }

    private static JsonNode json(CommandRun run) throws Exception {
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        return new ObjectMapper().readTree(run.out());
    }

    @AllServers
    void aFileThatIsNoSlowLogIsRefused(TestServer server) throws Exception {
        prepare(server);
        Path file = Files.writeString(folder.resolve("other.log"), "2026-11-26 [Note] ready for connections\n");
        CommandRun run = CommandRun.of(PASSWORDS, observing(server), "--slow-log", file.toString());
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("fanfold: " + file + " has no statement (expected: a slow query log, with lines that begin"
                        + " with # Query_time:)" + System.lineSeparator());
        CommandRun missing = CommandRun.of(PASSWORDS, observing(server), "--slow-log", folder + "/none.log");
        assertThat(missing.err())
                .isEqualTo("fanfold: " + folder + "/none.log: there is no such file" + System.lineSeparator());
    }

    /** Records what the accounts of this test send to a server, in its general log. */
    private static final class Received implements AutoCloseable {
        private final WireConnection admin;

        Received(TestServer server) throws Exception {
            admin = admin(server);
            admin.execute("SET GLOBAL log_output = 'TABLE'");
            admin.execute("TRUNCATE TABLE mysql.general_log");
            admin.execute("SET GLOBAL general_log = ON");
        }

        List<String> statements() throws Exception {
            List<String> statements = new ArrayList<>();
            for (Row row : admin.query("SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log"
                            + " WHERE command_type IN ('Query', 'Execute') AND user_host LIKE '%observe\\_%'")
                    .rows()) {
                statements.add(String.valueOf(row.utf8(0)));
            }
            return statements;
        }

        @Override
        public void close() throws Exception {
            try (admin) {
                admin.execute("SET GLOBAL general_log = OFF");
                admin.execute("SET GLOBAL log_output = 'FILE'");
            }
        }
    }
}

package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.GoldenUpdate;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.GeneralLog;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code EXPLAIN FORMAT=FANFOLD} shows for each statement of {@code docs/what-is-split.md}, in
 * {@code it/explain-mariadb.txt} and {@code it/explain-mysql.txt}; and that partition queries run as they are shown.
 */
class ExplainGoldenIT {
    private static final Pattern BLOCK = Pattern.compile("```sql\n(.*?)\n");

    /** A row of the table of reasons whose example is only a statement. */
    private static final Pattern EXAMPLE =
            Pattern.compile("^\\| `[a-z_]+` \\| [^|]+ \\| `(SELECT [^`|]+)` \\|", Pattern.MULTILINE);

    /** Rows whose numbers differ from run to run. */
    private static final Pattern MEASURED = Pattern.compile("estimated .*|earlier .*|work");

    private static final int RUN = 12;

    /** It sees no table of other tests: before the schema is known, a name means the largest table of that name. */
    private static final String WORKER = "it_golden";

    private static final TestDatabase DATABASE = new TestDatabase("db", admin -> {
        for (String table : List.of("t", "u")) {
            admin.execute(
                    "CREATE TABLE " + table + " (id INT NOT NULL, p INT NOT NULL DEFAULT 1, a INT, b INT, c INT, g INT,"
                            + " tiny TINYINT, num DECIMAL(10,2), dbl DOUBLE, flt FLOAT, enm ENUM('x','y'), str VARCHAR(20),"
                            + " strodd VARCHAR(20) COLLATE utf8mb4_croatian_ci, json JSON, day DATE, moment DATETIME, `rank` INT)"
                            + " ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
            admin.execute(
                    "INSERT INTO " + table + " (id, a, b, c, g, num, str, day, moment)"
                            + " WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
                            + " SELECT i, i % 7, i % 5, i % 9, i % 3, i / 4, CONCAT('x', i % 6), '2024-01-01', '2024-01-01' FROM n");
        }
        admin.execute(
                "CREATE TABLE d (k INT PRIMARY KEY, n INT, name VARCHAR(20), w INT, x INT, strname VARCHAR(20)) ENGINE=InnoDB");
        admin.execute("INSERT INTO d VALUES (1, 1, 'x', 7, 1, 'x'), (2, 2, 'y', 9, 1, 'y'), (3, 3, 'z', 2, 2, 'z')");
        admin.execute("CREATE TABLE myisam_table (a INT) ENGINE=MyISAM");
        admin.execute("CREATE VIEW v AS SELECT a FROM t");
        admin.query("ANALYZE TABLE t, u, d");
        admin.execute("DROP USER IF EXISTS " + WORKER);
        admin.execute("CREATE USER " + WORKER + " IDENTIFIED BY '" + ProxiedServer.WORKER_PASSWORD + "'");
        admin.execute("GRANT SELECT ON db.* TO " + WORKER);
    });

    private static List<String> statements() throws IOException {
        String page = Files.readString(Path.of("docs", "what-is-split.md"));
        List<String> statements = new ArrayList<>();
        for (Pattern pattern : List.of(BLOCK, EXAMPLE)) {
            Matcher found = pattern.matcher(page);
            while (found.find()) {
                statements.add(found.group(1));
            }
        }
        return statements;
    }

    private static List<String> explained(WireConnection client, String sql) throws Exception {
        List<String> lines = new ArrayList<>();
        for (Row row : client.query("EXPLAIN FORMAT=FANFOLD " + sql).rows()) {
            String step = row.utf8(0);
            lines.add(step + ": " + (MEASURED.matcher(String.valueOf(step)).matches() ? "..." : row.utf8(1)));
        }
        return lines;
    }

    @AllServers
    void everyStatementOfThePageIsExplained(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        String file = "explain-" + server.kind().name().toLowerCase(Locale.ROOT) + ".txt";
        StringBuilder shown = new StringBuilder();
        List<String> splits = new ArrayList<>();
        try (ProxiedServer proxy =
                        ProxiedServer.start(server, ProxySetup.ofDegree(2).withWorker(WORKER));
                WireConnection client = proxy.proxied()) {
            proxy.tablesChanged();
            client.execute("USE db");
            for (String sql : statements()) {
                List<String> lines = explained(client, sql);
                shown.append(sql).append('\n').append(String.join("\n", lines)).append("\n\n");
                if (lines.get(0).equals("decision: split")) {
                    splits.add(sql);
                }
            }
        }
        if (GoldenUpdate.requested()) {
            GoldenUpdate.write("it/" + file, shown.toString());
        }
        assertThat(shown.toString()).isEqualTo(Files.readString(Path.of("src/test/resources/it", file)));
        assertThat(splits).hasSizeGreaterThan(20);
    }

    /** A partition query runs as it is shown, after the comment that names its client. */
    @AllServers
    void shownQueriesAreThoseOfTheGeneralLog(TestServer server) throws Exception {
        DATABASE.shared(server, 2).close();
        try (ProxiedServer proxy = ProxiedServer.start(server, ProxySetup.ofDegree(2));
                WireConnection client = proxy.proxied()) {
            proxy.tablesChanged();
            client.execute("USE db");
            int compared = 0;
            for (String sql : statements()) {
                List<String> lines = explained(client, sql);
                // EXPLAIN does not read the keys of dynamic filters
                boolean filtered = lines.stream().anyMatch(line -> line.startsWith("filter: "));
                List<String> queries = lines.stream()
                        .filter(line -> !filtered && line.startsWith("partition: "))
                        .map(line -> line.substring("partition: ".length()))
                        .toList();
                if (queries.isEmpty() || compared == RUN) {
                    continue;
                }
                proxy.forget();
                try (GeneralLog log = new GeneralLog(proxy)) {
                    client.query(sql);
                    assertThat(proxy.outcome().fannedOut()).as(sql).isTrue();
                    String comment =
                            "/* fanfold session=" + client.threadId() + " user=" + server.adminUser() + " partition=";
                    List<String> ran = log.ofWorkers().stream()
                            .map(GeneralLog.Entry::sql)
                            .filter(query -> query.startsWith(comment))
                            .map(query -> query.substring(query.indexOf("*/ ") + 3))
                            .toList();
                    assertThat(ran).as(sql).containsAll(queries);
                }
                compared++;
            }
            assertThat(compared).isEqualTo(RUN);
        }
    }
}

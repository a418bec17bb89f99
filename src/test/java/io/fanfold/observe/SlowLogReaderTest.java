package io.fanfold.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.observe.SlowLogReader.SlowLog;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files are logs of MySQL 9.7.4 and MariaDB 10.11.18 (log_slow_verbosity=query_plan,innodb,explain). */
class SlowLogReaderTest {
    private static final String BEST_CUSTOMERS = "SELECT customer,\n       -- the best customers\n       SUM(total) s\n"
            + "# User@Host: not a new entry\nFROM orders\nGROUP BY customer ORDER BY s DESC LIMIT 10";

    private static final String LIKE_AN_ENTRY =
            "SELECT kind, COUNT(*) FROM events WHERE note LIKE '%7;\n# Time: 1' OR kind > 2 GROUP BY kind";

    private final List<LoggedStatement> statements = new ArrayList<>();

    private SlowLog read(String text, int longest, String leftOut) throws IOException {
        return new SlowLogReader(longest, leftOut, statements::add)
                .read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private SlowLog file(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(SlowLogReaderTest.class.getResourceAsStream(name))) {
            return new SlowLogReader(64 * 1024, "", statements::add).read(in);
        }
    }

    /** The texts of statements, without commands of administrators. */
    private List<String> texts() {
        return statements.stream()
                .map(LoggedStatement::sql)
                .filter(text -> !text.startsWith("#"))
                .toList();
    }

    private static String entry(String facts, String text) {
        return "# Time: 2026-11-26T12:42:12.567875Z\n# User@Host: me[me] @ localhost []  Id:    12\n"
                + "# Query_time: 0.5  Lock_time: 0.000004 Rows_sent: 4  Rows_examined: 8\n" + facts
                + "SET timestamp=1795696932;\n" + text + "\n";
    }

    @ParameterizedTest
    @CsvSource({
        "mysql-slow.txt, 2026-11-26T12:42:12.567875Z, 2026-11-26T12:42:34.789177Z, 400342000",
        "mariadb-slow.txt, 261126 12:42:14, 261126 12:42:34, 240911000"
    })
    void readsALogOfAServer(String name, String from, String to, long nanos) throws IOException {
        assertThat(file(name)).isEqualTo(new SlowLog(statements.size(), 0, from, to));
        String first = "SELECT status, COUNT(*), SUM(total) FROM orders WHERE day >= '2023-02-01' GROUP BY status";
        assertThat(statements.get(0)).isEqualTo(new LoggedStatement("shop", "", first, false, 1, nanos));
        assertThat(statements.get(2).sql()).isEqualTo(BEST_CUSTOMERS);
        assertThat(statements.get(4).sql()).isEqualTo(LIKE_AN_ENTRY);
        assertThat(statements.get(4).schema()).as("of the entry before").isEqualTo("shop");
        assertThat(texts())
                .hasSize(17)
                .contains("UPDATE orders SET total = total + 1 WHERE id = 5")
                .endsWith("SELECT status, COUNT(*), SUM(total) FROM orders WHERE day >= '2023-04-01' GROUP BY status");
        assertThat(statements)
                .filteredOn(statement -> statement.sql().equals("SELECT DATABASE()"))
                .extracting(LoggedStatement::schema)
                .as("a server that has started again has forgotten the schema")
                .containsExactly("shop", "", "information_schema");
    }

    @Test
    void commandsOfAdministratorsAreStatements() throws IOException {
        file("mysql-slow.txt");
        assertThat(statements)
                .extracting(LoggedStatement::sql)
                .contains("# administrator command: Init DB", "# administrator command: Quit");
    }

    @Test
    void aLongStatementIsCut() throws IOException {
        String wide = "SELECT '" + "x".repeat(500_000) + "\ny';";
        assertThat(read(entry("use s;\n", wide) + entry("", "SELECT 2;"), 100, "")
                        .statements())
                .isEqualTo(2);
        assertThat(statements.get(0).cut()).isTrue();
        assertThat(statements.get(0).sql()).hasSize(100).startsWith("SELECT 'xxx");
        assertThat(statements.get(1)).isEqualTo(new LoggedStatement("s", "", "SELECT 2", false, 1, 500_000_000));
    }

    @Test
    void statementsOfTheWorkersAreLeftOut() throws IOException {
        String workers = entry("", "SELECT 1;").replace("me[me]", "fanfold[fanfold]");
        SlowLog log = read(workers + entry("", "SELECT 2;"), 1000, "fanfold");
        assertThat(log.leftOut()).isEqualTo(1);
        assertThat(log.statements()).isEqualTo(1);
        assertThat(texts()).containsExactly("SELECT 2");
    }

    @Test
    void theBeginningMayBeInTheMiddleOfAnEntry() throws IOException {
        read("FROM orders\nWHERE a = 1;\n" + entry("", "SELECT 2;"), 1000, "");
        assertThat(texts()).containsExactly("SELECT 2");
    }

    @Test
    void theEndMayBeInTheMiddleOfAnEntry() throws IOException {
        read(entry("", "SELECT 2;") + "# Time: 2026-11-26T12:42:13.0Z\n# User@Host: me[me] @ localhost []\n", 1000, "");
        assertThat(texts()).containsExactly("SELECT 2");
    }

    @Test
    void aCrashMayLeaveAnEntryWithoutAnEnd() throws IOException {
        String started = """
                /usr/sbin/mysqld, Version: 9.7.4 (Debian). started with:
                Tcp port: 3306  Unix socket: s
                Time                 Id Command    Argument
                """;
        read(entry("", "SELECT 1") + started + entry("", "SELECT 2;"), 1000, "");
        assertThat(texts()).containsExactly("SELECT 1", "SELECT 2");
    }

    @Test
    void readsTheNamesAndSettingsBeforeAStatement() throws IOException {
        String settings = "SET last_insert_id=1,insert_id=2,timestamp=3;\n";
        read(
                entry("use `a``b`;\n", "use c;")
                        + entry("", "SET timestamp=7;")
                        + entry("use d;\n", "SELECT 1;").replace("SET timestamp=1795696932;\n", settings)
                        + entry("# Schema: e  Last_errno: 0  Killed: 0\n", "SELECT 2;"),
                1000,
                "");
        assertThat(statements)
                .extracting(statement -> statement.schema() + ": " + statement.sql())
                .containsExactly("a`b: use c", "a`b: SET timestamp=7", "d: SELECT 1", "e: SELECT 2");
    }

    @Test
    void otherTextHasNoStatement() throws IOException {
        assertThat(read("2026-11-26 [Note] ready\n# Time: x\nSELECT 1;\n", 1000, "")
                        .statements())
                .isZero();
        assertThat(read("", 1000, "").statements()).isZero();
        assertThat(read(entry("", "SELECT 1;").replace("0.5", "half"), 1000, "").statements())
                .isZero();
    }
}

package io.fanfold.it.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.GeneralLog;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Row;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Statements crafted to be parsed in two ways, with comments, quotes, character sets and modes. Clients get the
 * server's answer. By the server's own log, workers run only the statements of a fan-out, and never read the table that
 * the statement tries to smuggle in.
 */
class AttackIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_attack", AttackIT::create);

    /** A statement in which the server reads this table is not split. */
    private static final String TARGET = "smuggled";

    private static final Pattern ALLOWED = Pattern.compile(
            "(?:/\\* fanfold session=\\d+ user=[\\w?.$@#-]+ partition=[\\w,?.$@#-]+ \\*/ )?\\(*(SELECT|SET|SHOW|EXPLAIN|START TRANSACTION|ROLLBACK|USE|DO)\\b.*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern QUOTED = Pattern.compile(
            "'(?:[^'\\\\]|''|\\\\.)*'|\"(?:[^\"\\\\]|\"\"|\\\\.)*\"|`(?:[^`]|``)*`"
                    + "|--\\s[^\\n]*|#[^\\n]*|/\\*(?![!M+]).*?\\*/",
            Pattern.DOTALL);

    private static final Pattern WRITES =
            Pattern.compile(";|\\b(INTO|FOR UPDATE|LOCK IN|LOAD_FILE|CALL|EXECUTE)\\b", Pattern.CASE_INSENSITIVE);

    private static final List<String> STATEMENTS = List.of(
            // comments that one side may end at another place
            "SELECT COUNT(*) FROM t /*! UNION SELECT p FROM smuggled */",
            "SELECT COUNT(*) FROM t /*!50000 UNION SELECT p FROM smuggled */",
            "SELECT COUNT(*) FROM t /*!99999 WHERE id = 1 */",
            "SELECT COUNT(*) FROM t /*M! UNION SELECT p FROM smuggled */",
            "SELECT COUNT(*) FROM t /*M!100000 UNION SELECT p FROM smuggled */",
            "SELECT COUNT(*) FROM t /* /* */ UNION SELECT p FROM honest -- */",
            "SELECT COUNT(*) FROM t --1\n, smuggled",
            "SELECT COUNT(*) FROM t -- \n UNION SELECT p FROM honest",
            "SELECT COUNT(*) FROM t # x\r UNION SELECT p FROM smuggled",
            "SELECT COUNT(*) FROM t WHERE s = 'a' -- ' UNION SELECT p FROM smuggled",
            "SELECT COUNT(*) FROM t WHERE s = 'a' /*' */ UNION SELECT p FROM honest /* '*/",
            "SELECT COUNT(*) FROM t --\u00a0x\n, smuggled",
            "SELECT COUNT(*) FROM t WHERE s = 'x'/**/UNION/**/SELECT/**/p/**/FROM/**/honest",
            "SELECT /*+ PARALLEL(2) */ /*! (SELECT p FROM smuggled), */ COUNT(*) FROM t",
            "SELECT /*+ PARALLEL(2) SET_VAR(sql_mode = 'ANSI_QUOTES') */ COUNT(*) FROM t WHERE s = \"a\"",
            // quotes
            "SELECT COUNT(*) FROM t WHERE s = 'a\\' OR (SELECT p FROM smuggled) -- '",
            "SELECT COUNT(*) FROM t WHERE s = 'a\\\\' OR id IN (SELECT p FROM honest) OR s = ''",
            "SELECT COUNT(*) FROM t WHERE s = 'a'' OR id IN (SELECT p FROM smuggled) OR s = '",
            "SELECT COUNT(*) FROM t WHERE s = \"a\" OR id IN (SELECT p FROM honest) OR s = \"\"",
            "SELECT COUNT(*) FROM t WHERE s = \"a' OR id IN (SELECT p FROM smuggled) OR s = '\"",
            "SELECT COUNT(*) FROM `t` WHERE `s` = 'a`' OR id IN (SELECT p FROM honest) OR s = '`'",
            "SELECT COUNT(*) FROM `t` `x``, smuggled` WHERE `x``, smuggled`.id > 1",
            "SELECT COUNT(*) FROM t WHERE s = _latin1'a\\' OR (SELECT p FROM smuggled) -- '",
            "SELECT COUNT(*) FROM t WHERE s = n'a' AND s <> x'27204f52' OR s = b'0'",
            "SELECT COUNT(*), 'x` FROM smuggled -- ' FROM t",
            "SELECT COUNT(*) AS `PARTITION (p0), smuggled` FROM t",
            "SELECT COUNT(*) FROM t PARTITION (`p0`) , honest",
            "SELECT COUNT(*) FROM t PARTITION (p0, p1) AS `p0`) , smuggled -- ` WHERE 1",
            // multiple statements, and statements other than SELECT
            "SELECT COUNT(*) FROM t; DROP TABLE smuggled",
            "SELECT COUNT(*) FROM t;; SELECT p FROM smuggled",
            "SELECT COUNT(*) FROM t; -- DROP TABLE smuggled",
            "SELECT COUNT(*) FROM t INTO OUTFILE '/no/such/folder/smuggled'",
            "SELECT COUNT(*) FROM t INTO @smuggled",
            "SELECT COUNT(*) FROM t WHERE id = (SELECT MAX(p) FROM smuggled FOR UPDATE)",
            "SELECT COUNT(*) FROM t PROCEDURE ANALYSE()",
            "(SELECT COUNT(*) FROM t) UNION (SELECT p FROM honest LIMIT 1)",
            "SELECT COUNT(*) FROM t HANDLER smuggled OPEN",
            "TABLE smuggled",
            "VALUES ROW(1)",
            "WITH t AS (SELECT p AS id, 'a' AS s FROM smuggled) SELECT COUNT(*) FROM t",
            "WITH x AS (SELECT COUNT(*) FROM t) DELETE FROM smuggled",
            // functions and names
            "SELECT COUNT(*), LOAD_FILE('/etc/passwd') FROM t",
            "SELECT COUNT(*), SLEEP(0), BENCHMARK(1, 1) FROM t",
            "SELECT COUNT(*), spy() FROM t",
            "SELECT COUNT(*), it_attack.spy() FROM t",
            "SELECT COUNT(*), it_attack . COUNT(1) FROM t",
            "SELECT COUNT (*) FROM t",
            "SELECT SUM(id), IS_FREE_LOCK('smuggled') FROM t",
            "SELECT COUNT(*) FROM it_attack.t, it_attack.`honest` `t2` WHERE t2.p < 0",
            "SELECT COUNT(*) FROM seen");

    @AllServers
    void workersRunNothingElse(TestServer server) throws Exception {
        for (String mode : List.of("", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "PIPES_AS_CONCAT,IGNORE_SPACE")) {
            try (SameAsServer same = DATABASE.compared(server, 2);
                    GeneralLog log = new GeneralLog(same.proxy())) {
                same.onBoth("SET sql_mode = '" + mode + "'");
                for (String statement : STATEMENTS) {
                    same.same(statement);
                    // no state is left, and the next statement is split
                    same.fansOut("SELECT COUNT(*), SUM(id) FROM t WHERE s <> 'smug'");
                }
                assertThat(workers(log)).as("statements of workers").isNotEmpty();
                requireHarmless(workers(log));
            }
        }
    }

    /** In these character sets, a character may contain a byte that looks like a backslash or a quote. */
    @AllServers
    void characterSetsWithBackslashesInsideCharacters(TestServer server) throws Exception {
        List<String> statements = List.of(
                "SELECT COUNT(*) FROM t WHERE s = '\u8868' OR s = ' OR id IN (SELECT p FROM smuggled) -- '",
                "SELECT COUNT(*) FROM t WHERE s = '\u8868\\' OR id IN (SELECT p FROM smuggled) -- '",
                "SELECT COUNT(*), '\u80fd' FROM t -- ' FROM smuggled",
                "SELECT COUNT(*) AS `\u8868` FROM t WHERE s = 'a'");
        for (String charset : List.of("sjis", "cp932", "gbk", "big5", "latin1", "utf8mb4")) {
            Charset java = switch (charset) {
                case "sjis" -> Charset.forName("Shift_JIS");
                case "cp932" -> Charset.forName("windows-31j");
                case "latin1" -> StandardCharsets.ISO_8859_1;
                case "utf8mb4" -> StandardCharsets.UTF_8;
                default -> Charset.forName(charset);
            };
            try (SameAsServer same = DATABASE.compared(server, 2);
                    GeneralLog log = new GeneralLog(same.proxy());
                    WireConnection direct = same.proxy().direct();
                    WireConnection proxied = same.proxy().proxied()) {
                for (WireConnection connection : List.of(direct, proxied)) {
                    connection.execute("USE it_attack");
                    connection.execute("SET NAMES " + charset);
                }
                for (String statement : statements) {
                    byte[] sql = statement.getBytes(java);
                    assertThat(answer(proxied, sql))
                            .as("%s in %s", statement, charset)
                            .isEqualTo(answer(direct, sql));
                    byte[] broken = statement.replace("'a", "'\u00bf").getBytes(StandardCharsets.ISO_8859_1);
                    assertThat(answer(proxied, broken)).isEqualTo(answer(direct, broken));
                }
                requireHarmless(workers(log));
                boolean splits = charset.equals("latin1") || charset.equals("utf8mb4");
                assertThat(workers(log).stream().anyMatch(sql -> sql.contains(" PARTITION (`")))
                        .as("whether anything was split under %s", charset)
                        .isEqualTo(splits);
            }
        }
    }

    /** Checks that the test itself detects forbidden statements. */
    @Test
    void theLogIsReadRight() {
        requireHarmless(
                List.of("SELECT COUNT(*) FROM t PARTITION (`p0`) WHERE s = 'smuggled' OR s = \"it's smuggled\""));
        for (String sql : List.of(
                "SELECT p FROM smuggled",
                "SELECT 'a\\'' FROM smuggled",
                "DELETE FROM t",
                "SELECT 1 INTO @a",
                "SELECT 1; DROP TABLE t",
                "selection")) {
            assertThatThrownBy(() -> requireHarmless(List.of(sql))).as(sql).isInstanceOf(AssertionError.class);
        }
    }

    private static void requireHarmless(List<String> statements) {
        assertThat(statements).allMatch(sql -> ALLOWED.matcher(sql).matches());
        assertThat(statements).noneMatch(sql -> sql.contains(TARGET) && !harmlessMention(sql));
        assertThat(statements).noneMatch(AttackIT::mayWrite);
    }

    /** A semicolon in a string is harmless if no setting can end the string earlier. */
    private static boolean mayWrite(String sql) {
        boolean sameForAll = sql.chars().allMatch(c -> c < 0x80 && c != '"' && c != '\\');
        return WRITES.matcher(sql).find()
                && !(sameForAll
                        && !WRITES.matcher(QUOTED.matcher(sql).replaceAll("?")).find());
    }

    /** Whether the name occurs only inside literals, quoted names and comments. Workers do not use ANSI_QUOTES. */
    private static boolean harmlessMention(String sql) {
        return !QUOTED.matcher(sql).replaceAll("?").contains(TARGET);
    }

    private static List<String> workers(GeneralLog log) throws Exception {
        return log.ofWorkers().stream().map(GeneralLog.Entry::sql).toList();
    }

    private static List<String> answer(WireConnection connection, byte[] sql) throws Exception {
        List<String> answer = new ArrayList<>();
        try (RowStream rows = connection.stream(sql)) {
            for (Row row = rows.next(); row != null; row = rows.next()) {
                answer.add(row.toString());
            }
            answer.add("warnings " + rows.warnings());
        } catch (ServerException e) {
            answer.add(e.errno() + " " + e.getMessage());
        }
        return answer;
    }

    private static void create(WireConnection admin) throws Exception {
        admin.execute("CREATE TABLE t (id INT, s VARCHAR(20)) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
        admin.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'a'), (4, NULL), (5, 'c')");
        admin.execute("CREATE TABLE smuggled (p INT) ENGINE=InnoDB");
        admin.execute("INSERT INTO smuggled VALUES (1), (2)");
        admin.execute("CREATE TABLE honest AS SELECT p FROM smuggled");
        admin.execute("CREATE VIEW seen AS SELECT t.id FROM t JOIN smuggled ON p = id");
        admin.execute("CREATE FUNCTION spy() RETURNS INT READS SQL DATA RETURN (SELECT MAX(p) FROM smuggled)");
        admin.query("ANALYZE TABLE t, smuggled");
    }
}

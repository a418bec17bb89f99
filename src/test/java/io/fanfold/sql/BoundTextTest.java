package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundTextTest {
    private static final SqlDialect ORDINARY = new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8);
    private static final SqlDialect NO_ESCAPES =
            new SqlDialect(ServerFlavor.MYSQL, false, true, StandardCharsets.UTF_8);

    private static BoundText bound(String sql, String... literals) {
        return BoundText.of(sql, ORDINARY, List.of(literals)).orElseThrow();
    }

    private static BoundText.ParameterPlace compared(int probe, int column) {
        return new BoundText.ParameterPlace.ComparedParameter(probe, column, false, -1);
    }

    @Test
    void questionMarksOfStringsAndCommentsStay() {
        BoundText text = bound("SELECT '?', `?` /* ? */ FROM t -- ?\nWHERE a = ? AND b <> 'x\\'?'", "5");
        assertThat(text.sql()).isEqualTo("SELECT '?', `?` /* ? */ FROM t -- ?\nWHERE a = 5 AND b <> 'x\\'?'");
        assertThat(text.places()).containsExactly(compared(0, 0));
        assertThat(BoundText.of("SELECT 1 FROM t WHERE b = 'x\\' AND a = ?", NO_ESCAPES, List.of("5"))
                        .orElseThrow()
                        .sql())
                .endsWith("'x\\' AND a = 5");
        assertThat(BoundText.of("SELECT 1 FROM t WHERE b = 'x\\' AND a = ?", ORDINARY, List.of("5")))
                .isEmpty();
        assertThat(BoundText.of("SELECT 1 FROM t WHERE a = ?", ORDINARY, List.of("5", "6")))
                .isEmpty();
    }

    @Test
    void probesSelectTheComparedExpressionsFromTheSameTables() {
        BoundText text = bound(
                "WITH x AS (SELECT 1 FROM d) SELECT t.a FROM t JOIN u ON t.k = u.k AND u.`b` > ? WHERE (t.a = ? OR NOT c IN (?, 4))"
                        + " AND k IN (SELECT k FROM v WHERE w BETWEEN 1 AND ? AND z LIKE ?) ORDER BY 1 LIMIT ? OFFSET ?",
                "1",
                "2",
                "-3",
                "5",
                "'y%'",
                "6",
                "7");
        assertThat(text.probes())
                .containsExactly(
                        "WITH x AS (SELECT 1 FROM d) SELECT u.`b`, t.a, c FROM t JOIN u ON t.k = u.k AND u.`b` > 1",
                        "WITH x AS (SELECT 1 FROM d) SELECT w, z FROM v");
        assertThat(text.places())
                .containsExactly(
                        compared(0, 0),
                        compared(0, 1),
                        compared(0, 2),
                        compared(1, 0),
                        new BoundText.ParameterPlace.ComparedParameter(1, 1, true, -1),
                        new BoundText.ParameterPlace.LimitParameter(),
                        new BoundText.ParameterPlace.LimitParameter());
        assertThat(bound("SELECT a FROM t JOIN (SELECT 1 FROM z) q ON (b = ?)", "1")
                        .probes())
                .containsExactly("SELECT b FROM t JOIN (SELECT 1 FROM z) q ON (b = 1)");
        assertThat(bound("SELECT a FROM t LIMIT ?, ?", "1", "2").places())
                .containsOnly(new BoundText.ParameterPlace.LimitParameter());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a = ?",
                "a <=> ? AND b = 1",
                "(a >= ?)",
                "((a < ?) OR b = 1)",
                "NOT a = ?",
                "t.a != ?",
                "a NOT IN (1, ?)",
                "a NOT BETWEEN ? AND 5",
                "b BETWEEN 1 AND 2 AND a = ?",
                "a BETWEEN -5 AND ?"
            })
    void placesThatAreComparedWithAColumn(String condition) {
        assertThat(bound("SELECT 1 FROM t WHERE " + condition, "5").places()).containsExactly(compared(0, 0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "? IS NULL",
                "(? IS NOT NULL OR a = 1)",
                "NOT ? IS NULL AND a = 1",
                "b BETWEEN 1 AND 2 AND ? IS NULL"
            })
    void placesThatAreOnlyAskedForNull(String condition) {
        assertThat(bound("SELECT 1 FROM t WHERE " + condition, "NULL").places())
                .containsExactly(new BoundText.ParameterPlace.Tested());
    }

    /**
     * If a column's character set lacks a character, MySQL compares it with a literal in another way than with a
     * parameter.
     */
    @Test
    void columnsOfOtherCharactersAreAskedForTheirCharacterSet() {
        String sql = "SELECT 1 FROM t WHERE a = ? AND b IN (?, 'z') AND t.a <> ?";
        List<String> literals = List.of("'\u00e9'", "'x'", "'\u65e5'");
        BoundText text = BoundText.of(sql, ORDINARY, literals).orElseThrow();
        assertThat(text.probes())
                .containsExactly(
                        "SELECT a, b, t.a FROM t", "SELECT a COLLATE utf8mb4_bin, t.a COLLATE utf8mb4_bin FROM t");
        assertThat(text.places())
                .containsExactly(
                        new BoundText.ParameterPlace.ComparedParameter(0, 0, false, 1),
                        compared(0, 1),
                        new BoundText.ParameterPlace.ComparedParameter(0, 2, false, 1));
        SqlDialect mariaDb = new SqlDialect(ServerFlavor.MARIADB, false, false, StandardCharsets.UTF_8);
        assertThat(BoundText.of(sql, mariaDb, literals).orElseThrow().places())
                .containsExactly(compared(0, 0), compared(0, 1), compared(0, 2));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "? IS TRUE",
                "a = (? IS NULL)",
                "a + ? IS NULL",
                "f(? IS NULL)",
                "? IS NULL = a",
                "b BETWEEN 1 AND ? IS NULL",
                "? = a",
                "a = ? + 1",
                "a + 1 = ?",
                "a = -?",
                "-a = ?",
                "f(a = ?)",
                "f(a) = ?",
                "a = ? = b",
                "a = ? IS NULL",
                "a = ? COLLATE utf8mb4_bin",
                "a LIKE ? ESCAPE 'x'",
                "b BETWEEN 1 AND a = ?",
                "b BETWEEN (1) AND a = ?",
                "a BETWEEN b AND ?",
                "a BETWEEN ? AND b",
                "a BETWEEN ? AND 'x'",
                "a IN (b, ?)",
                "a IN ('x', ?)",
                "a IN (SELECT ?)",
                "(a, b) IN ((?, 1))",
                "(a, b) = (?, 1)",
                "a = (?)",
                "a = ANY (SELECT ?)",
                "CASE WHEN a = ? THEN 1 END",
                "IF(a = ?, b, 1)",
                "?"
            })
    void placesOfUnknownType(String condition) {
        assertThat(bound("SELECT 1 FROM t WHERE " + condition, "5").places())
                .containsExactly(new BoundText.ParameterPlace.Elsewhere());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT ? FROM t",
                "SELECT SUM(a = ?) FROM t",
                "SELECT a FROM t GROUP BY ?",
                "SELECT a FROM t ORDER BY ?",
                "SELECT a FROM t GROUP BY a HAVING COUNT(*) > ?",
                "SELECT b, SUM(a) AS a FROM t GROUP BY b HAVING b > 1 AND a > ?",
                "SELECT b, 'x' AS a FROM t WHERE b > 1 ORDER BY b AND a > ?",
                "SELECT b, a = 1 AND a = ? FROM t",
                "WITH x AS (SELECT 1 FROM d WHERE a = ?) SELECT 1 FROM x",
                "SELECT 1 FROM t WHERE b IN (WITH x AS (SELECT 1) SELECT 1 FROM x WHERE a = ?)"
            })
    void otherClauses(String sql) {
        assertThat(bound(sql, "5").places()).containsExactly(new BoundText.ParameterPlace.Elsewhere());
    }
}

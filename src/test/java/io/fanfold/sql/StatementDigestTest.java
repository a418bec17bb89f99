package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatementDigestTest {
    private static SqlDialect dialect(boolean ansiQuotes, boolean noBackslashEscapes) {
        return new SqlDialect(ServerFlavor.MARIADB, ansiQuotes, noBackslashEscapes, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    SELECT  COUNT(*) FROM t  WHERE a='secret' AND b > 12.5e3 | SELECT COUNT(*) FROM t WHERE a=? AND b > ?
                    SELECT a /* it's secret */ FROM t -- 'secret             | SELECT a FROM t
                    SELECT 'it''s secret', 'a\\'secret', "secret" FROM t     | SELECT ?, ?, ? FROM t
                    SELECT `a 1` FROM `shop`.t1 WHERE c IN (1,2, 3)          | SELECT `a 1` FROM `shop`.t1 WHERE c IN (?,?, ?)
                    SELECT a FROM t WHERE b = ? LIMIT 10;                    | SELECT a FROM t WHERE b = ? LIMIT ?
                    SELECT 'no end                                           | ^^
                    """)
    void literalsAndCommentsAreLeftOut(String sql, String digest) {
        assertThat(StatementDigest.of(sql, dialect(false, false))).isEqualTo(digest);
    }

    @Test
    void readsAsTheSessionDoes() {
        assertThat(StatementDigest.of("SELECT \"a 1\" FROM t", dialect(true, false)))
                .isEqualTo("SELECT \"a 1\" FROM t");
        // in the other dialect the first string would end at the next quotation mark
        assertThat(StatementDigest.of("SELECT a FROM t WHERE b = 'C:\\' AND c = 'secret'", dialect(false, true)))
                .isEqualTo("SELECT a FROM t WHERE b = ? AND c = ?");
    }

    @Test
    void isOneLineAndShort() {
        String digest = StatementDigest.of("SELECT\n a,\r\n" + "b + ".repeat(500) + "c FROM t", dialect(false, false));
        assertThat(digest).startsWith("SELECT a, b + b").endsWith(" ...").doesNotContain("\n", "\r");
        assertThat(digest.length()).isBetween(1024, 1034);
        assertThat(StatementDigest.shortened(digest)).hasSizeBetween(300, 310).endsWith(" ...");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    SELECT  COUNT(*) FROM t  WHERE a='secret' AND b > 12 | SELECT COUNT(*) FROM t WHERE a = ? AND b > ?
                    SELECT a /* 17 */ FROM s.t -- 'secret              | SELECT a FROM s.t
                    SELECT a FROM t WHERE b IN (1,2, 'x') AND c IN (7)   | SELECT a FROM t WHERE b IN (...) AND c IN (?)
                    SELECT a FROM t WHERE b IN ( ?, ? )                  | SELECT a FROM t WHERE b IN (...)
                    SELECT IF(a, 1, 2), MOD(7, 2) FROM t                 | SELECT IF(a, ?, ?), MOD(...) FROM t
                    SELECT a FROM t WHERE b IN (1, c)                    | SELECT a FROM t WHERE b IN (?, c)
                    SELECT 'no end                                       | ^^
                    """)
    void statementsThatDifferInValuesHaveTheSameWholeDigest(String sql, String digest) {
        assertThat(StatementDigest.whole(sql, dialect(false, false))).isEqualTo(digest);
    }

    @Test
    void theWholeDigestIsNotCut() {
        assertThat(StatementDigest.whole("SELECT " + "b + ".repeat(500) + "c FROM t", dialect(false, false)))
                .hasSize(2015);
    }
}

package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.ServerFlavor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NoGainRuleTest {
    @ParameterizedTest
    @ValueSource(strings = {"SELECT COUNT(*) FROM t", "SELECT COUNT(*) AS n, COUNT(*) FROM t x LIMIT 1"})
    void aCountOfAllRowsIsReadInParallelByMySql(String sql) {
        assertThat(NoGainRule.countsAllRows(Sample.statement(sql), ServerFlavor.MYSQL))
                .isTrue();
        assertThat(NoGainRule.countsAllRows(Sample.statement(sql), ServerFlavor.MARIADB))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT COUNT(*) FROM t WHERE a = 1",
                "SELECT COUNT(*) FROM t GROUP BY a",
                "SELECT COUNT(*) FROM t, u",
                "SELECT COUNT(*) FROM (SELECT a FROM t) x",
                "SELECT COUNT(*), SUM(a) FROM t",
                "SELECT COUNT(*) + 1 FROM t",
                "SELECT COUNT(a) FROM t",
                "SELECT COUNT(DISTINCT a) FROM t",
                "SELECT SUM(a) FROM t",
                "SELECT a FROM t"
            })
    void anyOtherStatementIsNotSuchACount(String sql) {
        assertThat(NoGainRule.countsAllRows(Sample.statement(sql), ServerFlavor.MYSQL))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT * FROM t", "SELECT a, 7, 'x' FROM t"})
    void allRowsAreShownAsFastAsTheClientTakesThem(String sql) {
        assertThat(NoGainRule.showsAllRows(Sample.statement(sql))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a FROM t WHERE a = 1",
                "SELECT a FROM t ORDER BY a",
                "SELECT a FROM t LIMIT 1",
                "SELECT a FROM t GROUP BY a",
                "SELECT DISTINCT a FROM t",
                "SELECT t.a FROM t, u",
                "SELECT a FROM (SELECT a FROM t) x",
                "SELECT a + 1 FROM t",
                "SELECT COUNT(*) FROM t"
            })
    void anyOtherStatementDoesNotOnlyShowAllRows(String sql) {
        assertThat(NoGainRule.showsAllRows(Sample.statement(sql))).isFalse();
    }
}

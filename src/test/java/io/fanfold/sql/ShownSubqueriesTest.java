package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShownSubqueriesTest {
    private static SelectModel read(String sql) throws RefusedException {
        ScheduledThreadPoolExecutor watchdog = new ScheduledThreadPoolExecutor(1);
        try {
            return new SelectReader(watchdog)
                    .read(sql, new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8))
                    .select()
                    .orElseThrow();
        } finally {
            watchdog.shutdownNow();
        }
    }

    private static List<String> shown(String sql) throws RefusedException {
        return read(sql).shown().stream().map(body -> body.of(sql)).toList();
    }

    @Test
    void theyAreThoseOutsideOfFromAndWhere() throws Exception {
        assertThat(shown("SELECT a, (SELECT 1 FROM d) FROM t WHERE b > (SELECT 2 FROM d) GROUP BY a"
                        + " HAVING a > (SELECT 3 FROM d) ORDER BY (SELECT 4 FROM d)"))
                .containsExactly("SELECT 1 FROM d", "SELECT 3 FROM d", "SELECT 4 FROM d");
        assertThat(shown("SELECT x.a FROM (SELECT a FROM t) x")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a IN (SELECT k FROM d) FROM t GROUP BY a | true",
                "SELECT a FROM t GROUP BY a HAVING EXISTS (SELECT k FROM d) | true",
                "SELECT a > ALL (SELECT k FROM d) FROM t GROUP BY a | true",
                "SELECT a > (SELECT MAX(k) FROM d) FROM t GROUP BY a | false",
                "SELECT a FROM t WHERE a IN (SELECT k FROM d) GROUP BY a | false"
            })
    void comparisonsWithSetsAreSeen(String sql, boolean sets) throws Exception {
        assertThat(read(sql).comparesSets()).isEqualTo(sets);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a FROM t GROUP BY (SELECT k FROM d)",
                "SELECT MAX((SELECT k FROM d)) FROM t",
                "SELECT a FROM t GROUP BY a ORDER BY SUM(b + (SELECT k FROM d))",
                "SELECT RANK() OVER (ORDER BY (SELECT k FROM d)) FROM t"
            })
    void thoseInGroupByAndInsideCallsAreRefused(String sql) {
        assertThatThrownBy(() -> read(sql))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.SUBQUERY));
    }
}

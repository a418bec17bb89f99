package io.fanfold.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectReader;
import io.fanfold.sql.SqlDialect;
import io.fanfold.sql.StatementModel;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RankedStatementTest {
    static StatementModel statement(String sql) throws RefusedException {
        ScheduledThreadPoolExecutor watchdog = new ScheduledThreadPoolExecutor(1);
        try {
            return new SelectReader(watchdog)
                    .read(sql, new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8));
        } finally {
            watchdog.shutdownNow();
        }
    }

    private static SelectModel read(String sql) throws RefusedException {
        return statement(sql).select().orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    SELECT a FROM t ORDER BY b LIMIT 3 OFFSET 1 | SELECT a, RANK() OVER (ORDER BY b) FROM t ORDER BY b
                    SELECT a, SUM(x) AS z FROM t GROUP BY a ORDER BY z DESC, 1 | SELECT a, SUM(x) AS z, RANK() OVER (ORDER BY SUM(x) DESC, a) FROM t GROUP BY a ORDER BY z DESC, 1
                    SELECT * FROM t WHERE a > 1 ORDER BY t.a, (b) | SELECT *, RANK() OVER (ORDER BY t.a, (b)) FROM t WHERE a > 1 ORDER BY t.a, (b)
                    """)
    void addsTheRankOfTheOrder(String sql, String ranked) throws RefusedException {
        assertThat(RankedStatement.of(read(sql)).map(String::strip)).contains(ranked);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a FROM t",
                "SELECT * FROM t ORDER BY 1",
                "SELECT a, b FROM t ORDER BY 3",
                "SELECT a, COUNT(*) FROM t GROUP BY a WITH ROLLUP ORDER BY a",
                "SELECT a, ROW_NUMBER() OVER (ORDER BY a) AS r FROM t WHERE a > 1 ORDER BY r"
            })
    void someOrdersHaveNoRank(String sql) throws RefusedException {
        assertThat(RankedStatement.of(read(sql))).isEmpty();
    }
}

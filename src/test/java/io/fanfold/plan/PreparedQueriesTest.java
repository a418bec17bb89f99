package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.rule.Rules;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import org.junit.jupiter.api.Test;

class PreparedQueriesTest {
    private static LogicalStatement analyze(String sql) {
        SplitPlanner planner = new SplitPlanner(ServerFlavor.MYSQL, new Rules());
        return Sample.analyze(planner, sql, "one", Sample.catalog(Sample.table("one", "t", 5)));
    }

    private static String typing(String sql) {
        return PreparedQueries.typing(analyze(sql).blocks().get(0));
    }

    @Test
    void theTypingQueryComputesAllInputsOverTheSameRows() {
        assertThat(typing("SELECT a, SUM(b) FROM t GROUP BY a")).isEqualTo("SELECT a, SUM(b), b FROM t");
        assertThat(typing("SELECT MIN(x.b) FROM t PARTITION (p0) AS x JOIN d ON x.a = d.k WHERE x.b > 7 LIMIT 3"))
                .isEqualTo(
                        "SELECT MIN(x.b), x.b, x.a, d.k FROM t PARTITION (p0) AS x JOIN d ON x.a = d.k WHERE x.b > 7");
    }

    @Test
    void subqueriesLeftToTheFinalQueryAreSelectedAlone() {
        assertThat(PreparedQueries.provingUncorrelated(
                        analyze("WITH x AS (SELECT k FROM d) SELECT a, (SELECT MAX(k) FROM x) FROM t GROUP BY a"
                                + " HAVING COUNT(*) > (SELECT 3 FROM d)")))
                .containsExactly(
                        "WITH x AS (SELECT k FROM d) SELECT EXISTS (SELECT MAX(k) FROM x), EXISTS (SELECT 3 FROM d)");
        assertThat(PreparedQueries.provingUncorrelated(analyze("SELECT a, COUNT(*) FROM t GROUP BY a")))
                .isEmpty();
    }

    @Test
    void theQueryForCollationsReadsNoTable() {
        LogicalPlan block = analyze("SELECT a, MAX(b) FROM t WHERE b > 7 GROUP BY a")
                .blocks()
                .get(0);
        assertThat(PreparedQueries.collations(block, List.of(0, 1)))
                .isEqualTo("SELECT CAST(COLLATION(fanfold.c0) AS BINARY), CAST(COLLATION(fanfold.c1) AS BINARY)"
                        + " FROM (SELECT 1) AS one LEFT JOIN (SELECT a AS c0, MAX(b) AS c1 FROM t LIMIT 0) AS fanfold"
                        + " ON TRUE");
    }
}

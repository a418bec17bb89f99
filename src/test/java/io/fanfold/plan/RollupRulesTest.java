package io.fanfold.plan;

import static io.fanfold.plan.Verdict.assertRefused;
import static io.fanfold.plan.Verdict.assertRefusedOnBoth;
import static io.fanfold.plan.Verdict.assertRefusedOnMariaDbOnly;
import static io.fanfold.plan.Verdict.assertRefusedOnMySqlOnly;
import static io.fanfold.plan.Verdict.assertSplitOnBoth;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RollupRulesTest {
    private static String finish(ColumnType type, long length) {
        return GoldenPlanTest.plan(
                        "SELECT str, COUNT(*) FROM t GROUP BY str WITH ROLLUP",
                        Map.of("str", new Column("db", "t", "t", "str", "str", 45, length, type, 0, 0)))
                .toString();
    }

    /** Servers sort by the first max_sort_length bytes; the default is 1024. */
    @Test
    void keysAreSortedByTheWholeOfTheirText() {
        assertThat(finish(ColumnType.VAR_STRING, 1020)).contains("answer: ");
        assertThat(finish(ColumnType.VAR_STRING, 1021)).contains("refused: " + Reason.KEY_TYPE);
    }

    @Test
    void aKeyStandsOnce() {
        assertRefusedOnBoth(
                Reason.ROLLUP,
                "SELECT a, COUNT(*) FROM t GROUP BY a, a WITH ROLLUP",
                "SELECT a AS x, COUNT(*) FROM t GROUP BY x, 1 WITH ROLLUP");
        assertSplitOnBoth(
                "SELECT a, COUNT(*) FROM t GROUP BY a, b WITH ROLLUP", "SELECT a, COUNT(*) FROM t GROUP BY a, a");
    }

    @Test
    void aKeyIsNotComputedOfAnotherKey() {
        assertRefusedOnBoth(Reason.ROLLUP, "SELECT a, COUNT(*) FROM t GROUP BY FLOOR(A / 2), a WITH ROLLUP");
        assertSplitOnBoth("SELECT a, COUNT(*) FROM t GROUP BY FLOOR(a / 2), a");
    }

    @Test
    void keysAreColumnsOnMariaDb() {
        assertRefusedOnMariaDbOnly(
                Reason.ROLLUP,
                "SELECT COUNT(*) FROM t GROUP BY YEAR(day) WITH ROLLUP",
                "SELECT FLOOR(a / 2), b, COUNT(*) FROM t GROUP BY 1, b WITH ROLLUP");
        assertSplitOnBoth("SELECT a + 1, COUNT(*) FROM t GROUP BY a WITH ROLLUP");
    }

    @Test
    void mariaDbTestsKeysInHavingByTheirColumns() {
        assertRefusedOnMariaDbOnly(
                Reason.ROLLUP,
                "SELECT a, COUNT(*) FROM t GROUP BY a WITH ROLLUP HAVING a IS NULL",
                "SELECT a AS x, COUNT(*) FROM t GROUP BY a WITH ROLLUP HAVING x > 1");
        assertSplitOnBoth("SELECT a, COUNT(*) FROM t GROUP BY a WITH ROLLUP HAVING COUNT(*) > 1");
    }

    @Test
    void mariaDbShowsRowsThatHavingExcludesBesideDistinct() {
        String distinct = "SELECT DISTINCT MAX(a) FROM t GROUP BY a, b WITH ROLLUP";
        assertRefused(Reason.ROLLUP, "mariadb: " + distinct + " HAVING SUM(b) IS NOT NULL");
        assertSplitOnBoth(distinct);
        assertSplitOnBoth("SELECT MAX(a) FROM t GROUP BY a WITH ROLLUP HAVING SUM(b) > 1");
    }

    @Test
    void mariaDbSetsOneOfTwoShownKeysToNull() {
        assertRefusedOnMariaDbOnly(Reason.ROLLUP, "SELECT a AS x, b, a, COUNT(*) FROM t GROUP BY a, b WITH ROLLUP");
        assertSplitOnBoth(
                "SELECT a, a + 1, b FROM t GROUP BY a, b WITH ROLLUP", "SELECT a AS x, a, COUNT(*) FROM t GROUP BY a");
    }

    @Test
    void mySqlComputesWithAnotherGroupsKeyInAJoin() {
        String joined = " FROM t JOIN d ON t.c = d.k GROUP BY t.a WITH ROLLUP";
        assertRefusedOnMySqlOnly(
                Reason.ROLLUP,
                "SELECT t.a + SUM(t.b)" + joined,
                "SELECT COUNT(*)" + joined + " ORDER BY t.a + MIN(t.b)",
                "SELECT CONCAT(AVG(t.num), t.a)" + joined);
        assertRefusedOnBoth(Reason.ROLLUP, "SELECT ANY_VALUE(t.b)" + joined);
        assertSplitOnBoth("SELECT t.a + 1, SUM(t.b) + 1" + joined, "SELECT a + SUM(b) FROM t GROUP BY a WITH ROLLUP");
    }

    @Test
    void aggregatesAreComputedFromThoseOfGroups() {
        assertRefusedOnBoth(
                Reason.ROLLUP,
                "SELECT a, COUNT(DISTINCT b) FROM t GROUP BY a WITH ROLLUP",
                "SELECT a, ANY_VALUE(b) FROM t GROUP BY a WITH ROLLUP",
                "SELECT /*+ APPROXIMATE */ a, STD(b) FROM t GROUP BY a WITH ROLLUP");
        assertSplitOnBoth("SELECT a, AVG(b), MAX(b), BIT_OR(b) FROM t GROUP BY a WITH ROLLUP");
    }
}

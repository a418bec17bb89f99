package io.fanfold.plan;

import static io.fanfold.plan.Verdict.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FinalQueryEncodingsTest {
    private static final ColumnEncoding BIGINT = new ColumnEncoding.TypedEncoding("bigint", false);
    private static final ColumnEncoding DATE = new ColumnEncoding.TypedEncoding("date", true);
    private static final ColumnEncoding TEXT = new ColumnEncoding.TextEncoding("latin1", "latin1_bin");

    /** A decimal of the maximum precision. */
    private static final Map<String, Column> FULL =
            Map.of("w", new Column("db", "t", "t", "w", "w", 63, 67, ColumnType.NEWDECIMAL, 0, 2));

    private static List<ColumnEncoding> encodings(String line) {
        StatementPlan plan = GoldenPlanTest.splittable(line, Map.of());
        return ((Completion.FinalQuery) plan.blocks().get(0).completion()).encodings();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT vintage, COUNT(*) FROM t GROUP BY vintage WITH ROLLUP",
                "SELECT vintage + 1, RANK() OVER (ORDER BY COUNT(*)) FROM t GROUP BY vintage",
                "SELECT vintage, COUNT(a) OVER (ORDER BY vintage) FROM t WHERE b > 1"
            })
    void theYearZeroIsShownInTwoWaysInSuperRowsAndBesideWindows(String sql) {
        assertThat(encodings(sql)).startsWith(ColumnEncodings.YEAR_BUT_ZERO);
    }

    @Test
    void aYearThatIsComputedWithIsAYear() {
        assertThat(encodings("SELECT vintage + 1, COUNT(*) FROM t GROUP BY vintage"))
                .containsExactly(ColumnEncodings.YEAR, BIGINT);
    }

    @Test
    void theLeastYearIsShownInTwoWaysIfItIsZero() {
        assertThat(encodings("SELECT a, MIN(vintage), ANY_VALUE(vintage) FROM t GROUP BY a ORDER BY a"))
                .containsExactly(BIGINT, ColumnEncodings.YEAR_BUT_ZERO, ColumnEncodings.YEAR_BUT_ZERO);
    }

    @Test
    void datesThatAreKeptInATemporaryTableHaveNoZeroParts() {
        assertThat(encodings("SELECT day, COUNT(DISTINCT a), MAX(day), 2 FROM t GROUP BY day ORDER BY day"))
                .containsExactly(DATE, BIGINT, DATE);
        assertThat(encodings("SELECT day, RANK() OVER (ORDER BY a) FROM t WHERE b > 1"))
                .containsExactly(DATE, BIGINT);
        assertThat(encodings("SELECT day, COUNT(DISTINCT a), MAX(day), 2 FROM t GROUP BY day LIMIT 3"))
                .containsExactly(TEXT, BIGINT, TEXT);
        for (String sorted : List.of(
                "mariadb: SELECT day, COUNT(DISTINCT a), MAX(day), 2 FROM t GROUP BY day ORDER BY day",
                "SELECT day, COUNT(a), MAX(day), 2 FROM t GROUP BY day ORDER BY day")) {
            assertThat(encodings(sorted)).as(sorted).containsExactly(TEXT, BIGINT, DATE);
        }
        assertThat(encodings("SELECT day, COUNT(a), MAX(day), 2 FROM t WHERE zerodates = 1 GROUP BY day ORDER BY day"))
                .as("where the mode lets them be")
                .containsExactly(TEXT, BIGINT, TEXT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT w + 1 FROM t GROUP BY w",
                "SELECT a, RANK() OVER (ORDER BY w) FROM t WHERE b > 1",
                "SELECT w, GROUP_CONCAT(a ORDER BY a) FROM t WHERE b > 1 GROUP BY w"
            })
    void aDecimalWithAllDigitsIsNotComputedWith(String sql) {
        assertThat(GoldenPlanTest.plan(sql, FULL)).containsExactly("refused: " + Reason.KEY_TYPE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT w, COUNT(*) + 1 FROM t GROUP BY w ORDER BY w",
                "SELECT w, RANK() OVER (ORDER BY a) FROM t WHERE b > 1",
                "SELECT x.w FROM (SELECT w, COUNT(*) AS n FROM t GROUP BY w) x"
            })
    void itIsShownAndHandedOn(String sql) {
        assertThat(GoldenPlanTest.plan(sql, FULL)).hasSize(3);
    }

    @Test
    void valuesWithTheSameTextAreNotDistinctAsText() {
        assertRefused(
                Reason.KEY_TYPE,
                "SELECT DISTINCT enm, COUNT(*) FROM t GROUP BY enm, a",
                "SELECT DISTINCT MAX(bits) FROM t GROUP BY a");
        assertThat(encodings("SELECT DISTINCT COUNT(*) FROM t GROUP BY enm"))
                .containsExactly(new ColumnEncoding.TextEncoding("utf8mb4", "utf8mb4_general_ci"), BIGINT);
    }

    @Test
    void computedSortKeysAreNotText() {
        assertThat(encodings("SELECT COUNT(*) FROM t GROUP BY day ORDER BY DAYOFMONTH(day)"))
                .containsExactly(DATE, BIGINT);
        assertThat(encodings("SELECT COUNT(*), 2 FROM t GROUP BY day ORDER BY day DESC"))
                .containsExactly(TEXT, BIGINT);
    }

    @Test
    void distinctGroupsAreComparedByTextAndMaterializedRowsByValue() {
        assertThat(encodings("SELECT DISTINCT day, COUNT(*) FROM t GROUP BY day, a"))
                .containsExactly(TEXT, BIGINT, BIGINT);
        assertRefused(Reason.KEY_TYPE, "SELECT DISTINCT enm, RANK() OVER (ORDER BY a) FROM t WHERE b > 1");
        Verdict.assertSplit("SELECT enm, RANK() OVER (ORDER BY a) FROM t WHERE b > 1");
    }

    @Test
    void groupsThatMariaDbSortsByAnEnumAreSortedByItsNumber() {
        assertThat(Verdict.finish("mariadb: SELECT a, enm, COUNT(*) + 1 FROM t GROUP BY a, enm"))
                .isEqualTo("answer: SELECT ff.c0, ff.c1, ff.c3 + 1 FROM {bigint, text utf8mb4_general_ci,"
                        + " bigint unsigned, bigint} ff ORDER BY ff.c0, ff.c2, in portions");
    }

    /** MySQL compares a computed year of a derived table as a number, so 1 is not 2001. */
    @Test
    void aComputedYearOfADerivedTableIsANumberToMySql() {
        ColumnEncoding number = new ColumnEncoding.TypedEncoding("int unsigned", false);
        String computed =
                "SELECT x.y FROM (SELECT IFNULL(vintage, 1999) AS y, MAX(IFNULL(vintage, 1)) AS m, COUNT(*) AS n"
                        + " FROM t GROUP BY IFNULL(vintage, 1999)) x";
        assertThat(encodings(computed)).containsExactly(number, number, BIGINT);
        assertThat(encodings("SELECT x.y FROM (SELECT vintage AS y, COUNT(*) AS n FROM t GROUP BY vintage) x"))
                .containsExactly(ColumnEncodings.YEAR, BIGINT);
        assertThat(encodings("SELECT a, MIN(IFNULL(vintage, 1)) FROM t GROUP BY a ORDER BY a"))
                .containsExactly(BIGINT, ColumnEncodings.YEAR_BUT_ZERO);
    }
}

package io.fanfold.plan;

import static io.fanfold.plan.Verdict.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.plan.FanOutPlan.Finish;
import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FinishCarriersTest {
    private static final Carrier BIGINT = new Carrier.Typed("bigint", false);
    private static final Carrier DATE = new Carrier.Typed("date", true);
    private static final Carrier TEXT = new Carrier.Characters("latin1", "latin1_bin");

    /** A decimal with all the digits there are. */
    private static final Map<String, Column> FULL =
            Map.of("w", new Column("db", "t", "t", "w", "w", 63, 67, ColumnType.NEWDECIMAL, 0, 2));

    private static List<Carrier> carriers(String line) {
        StatementPlan plan = GoldenPlanTest.splittable(line, Map.of());
        return ((Finish.Query) plan.blocks().get(0).finish()).carriers();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT vintage, COUNT(*) FROM t GROUP BY vintage WITH ROLLUP",
                "SELECT vintage + 1, RANK() OVER (ORDER BY COUNT(*)) FROM t GROUP BY vintage",
                "SELECT vintage, COUNT(a) OVER (ORDER BY vintage) FROM t WHERE b > 1"
            })
    void theYearZeroIsShownInTwoWaysInSuperRowsAndBesideWindows(String sql) {
        assertThat(carriers(sql)).startsWith(Carriers.YEAR_BUT_ZERO);
    }

    @Test
    void aYearThatIsComputedWithIsAYear() {
        assertThat(carriers("SELECT vintage + 1, COUNT(*) FROM t GROUP BY vintage"))
                .containsExactly(Carriers.YEAR, BIGINT);
    }

    @Test
    void theLeastYearIsShownInTwoWaysWhereItIsZero() {
        assertThat(carriers("SELECT a, MIN(vintage), ANY_VALUE(vintage) FROM t GROUP BY a ORDER BY a"))
                .containsExactly(BIGINT, Carriers.YEAR_BUT_ZERO, Carriers.YEAR_BUT_ZERO);
    }

    @Test
    void datesThatAreKeptInATemporaryTableHaveNoZeroParts() {
        assertThat(carriers("SELECT day, COUNT(DISTINCT a), MAX(day), 2 FROM t GROUP BY day ORDER BY day"))
                .containsExactly(DATE, BIGINT, DATE);
        assertThat(carriers("SELECT day, RANK() OVER (ORDER BY a) FROM t WHERE b > 1"))
                .containsExactly(DATE, BIGINT);
        assertThat(carriers("SELECT day, COUNT(DISTINCT a), MAX(day), 2 FROM t GROUP BY day LIMIT 3"))
                .containsExactly(TEXT, BIGINT, TEXT);
        for (String sorted : List.of(
                "mariadb: SELECT day, COUNT(DISTINCT a), MAX(day), 2 FROM t GROUP BY day ORDER BY day",
                "SELECT day, COUNT(a), MAX(day), 2 FROM t GROUP BY day ORDER BY day")) {
            assertThat(carriers(sorted)).as(sorted).containsExactly(TEXT, BIGINT, DATE);
        }
        assertThat(carriers("SELECT day, COUNT(a), MAX(day), 2 FROM t WHERE zerodates = 1 GROUP BY day ORDER BY day"))
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
    void whatDiffersThoughItLooksAlikeIsNotDistinctAsText() {
        assertRefused(
                Reason.KEY_TYPE,
                "SELECT DISTINCT enm, COUNT(*) FROM t GROUP BY enm, a",
                "SELECT DISTINCT MAX(bits) FROM t GROUP BY a");
        assertThat(carriers("SELECT DISTINCT COUNT(*) FROM t GROUP BY enm"))
                .containsExactly(new Carrier.Characters("utf8mb4", "utf8mb4_general_ci"), BIGINT);
    }

    @Test
    void whatIsComputedToSortByIsNoText() {
        assertThat(carriers("SELECT COUNT(*) FROM t GROUP BY day ORDER BY DAYOFMONTH(day)"))
                .containsExactly(DATE, BIGINT);
        assertThat(carriers("SELECT COUNT(*), 2 FROM t GROUP BY day ORDER BY day DESC"))
                .containsExactly(TEXT, BIGINT);
    }

    @Test
    void distinctGroupsAreToldApartByTheirTextAndGatheredRowsByTheirValue() {
        assertThat(carriers("SELECT DISTINCT day, COUNT(*) FROM t GROUP BY day, a"))
                .containsExactly(TEXT, BIGINT, BIGINT);
        assertRefused(Reason.KEY_TYPE, "SELECT DISTINCT enm, RANK() OVER (ORDER BY a) FROM t WHERE b > 1");
        Verdict.assertSplit("SELECT enm, RANK() OVER (ORDER BY a) FROM t WHERE b > 1");
    }

    @Test
    void groupsThatMariaDbSortsByAnEnumAreSortedByItsNumber() {
        assertThat(Verdict.finish("mariadb: SELECT a, enm, COUNT(*) + 1 FROM t GROUP BY a, enm"))
                .isEqualTo("finish: SELECT ff.c0, ff.c1, ff.c3 + 1 FROM {bigint, text utf8mb4_general_ci,"
                        + " bigint unsigned, bigint} ff ORDER BY ff.c0, ff.c2, in portions");
    }

    /** Out of a derived table MySQL compares such a year as a number: 1 is not 2001 to it. */
    @Test
    void aComputedYearOfADerivedTableIsANumberToMySql() {
        Carrier number = new Carrier.Typed("int unsigned", false);
        String computed =
                "SELECT x.y FROM (SELECT IFNULL(vintage, 1999) AS y, MAX(IFNULL(vintage, 1)) AS m, COUNT(*) AS n"
                        + " FROM t GROUP BY IFNULL(vintage, 1999)) x";
        assertThat(carriers(computed)).containsExactly(number, number, BIGINT);
        assertThat(carriers("SELECT x.y FROM (SELECT vintage AS y, COUNT(*) AS n FROM t GROUP BY vintage) x"))
                .containsExactly(Carriers.YEAR, BIGINT);
        assertThat(carriers("SELECT a, MIN(IFNULL(vintage, 1)) FROM t GROUP BY a ORDER BY a"))
                .containsExactly(BIGINT, Carriers.YEAR_BUT_ZERO);
    }
}

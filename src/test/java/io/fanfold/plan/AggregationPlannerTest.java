package io.fanfold.plan;

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

class AggregationPlannerTest {
    private static final String COUNTED = "SELECT COUNT(DISTINCT id) FROM t";

    private static Column column(String table, String name, ColumnType type) {
        return new Column("db", table, "t", "id", name, 63, 11, type, 0, 0);
    }

    /** Returns the partition query if {@code id} is this column. */
    private static String partitionQuery(String sql, Column id) {
        return GoldenPlanTest.plan(sql, Map.of("id", id)).get(0);
    }

    @Test
    void distinctValuesAddUpIfNoTwoPartitionsShareOne() {
        assertThat(partitionQuery(COUNTED, column("t", "id", ColumnType.LONGLONG)))
                .isEqualTo("partition: SELECT COUNT(DISTINCT id) FROM t PARTITION (`p`)");
    }

    @Test
    void onlyWholeNumbersAreNowhereElseEqual() {
        assertThat(partitionQuery(COUNTED, column("t", "id", ColumnType.DATE)))
                .isEqualTo("partition: SELECT SQL_BIG_RESULT id FROM t PARTITION (`p`) GROUP BY 1 ORDER BY NULL");
    }

    @Test
    void theServerMustKnowTheNameAsThePartitioningColumn() {
        String byValue = "partition: SELECT SQL_BIG_RESULT id FROM t PARTITION (`p`) GROUP BY 1 ORDER BY NULL";
        assertThat(partitionQuery(COUNTED, column("t", "k", ColumnType.LONG))).isEqualTo(byValue);
        assertThat(partitionQuery(COUNTED, column("u", "id", ColumnType.LONG))).isEqualTo(byValue);
    }

    @Test
    void aKeyIsBroughtThoughItsDifferentValuesAddUp() {
        assertThat(partitionQuery(
                        "SELECT MAX(x.n) FROM (SELECT COUNT(DISTINCT id) AS n FROM t GROUP BY id) x",
                        column("t", "id", ColumnType.LONG)))
                .isEqualTo("partition: SELECT id, COUNT(DISTINCT id) FROM t PARTITION (`p`) GROUP BY 1 ORDER BY NULL");
    }

    @Test
    void theIdentityOfAKeyIsSelectedOnce() {
        Column number = Sample.column("CAST(enm AS UNSIGNED)", ColumnType.LONGLONG, 63, 4, Column.Flags.UNSIGNED, 0);
        assertThat(GoldenPlanTest.plan(
                        "SELECT CAST(enm AS UNSIGNED), enm, COUNT(*) FROM t GROUP BY CAST(enm AS UNSIGNED), enm",
                        Map.of("CAST(enm AS UNSIGNED)", number)))
                .startsWith(
                        "partition: SELECT CAST(enm AS UNSIGNED), enm, COUNT(*) FROM t PARTITION (`p`) GROUP BY 1, 2"
                                + " ORDER BY NULL",
                        "merge: groups by [0 as number(0), 1 as number(0)] [count(2)]");
    }

    @Test
    void anAverageOfAChoiceWithFewDigitsDependsOnThePlan() {
        assertRefusedOnBoth(
                Reason.ARGUMENT_TYPE,
                "SELECT AVG(IFNULL(fine, b)) FROM t",
                "SELECT a, AVG(DISTINCT IFNULL(fine, b)) FROM t GROUP BY a",
                "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY AVG(IFNULL(fine, b))");
        assertSplitOnBoth("SELECT AVG(fine), AVG(DISTINCT fine) FROM t", "SELECT AVG(IFNULL(num, b)) FROM t");
    }

    @Test
    void anAverageOfLongDecimalsHasNoRoomBesideOthers() {
        Map<String, Column> wide =
                Map.of("w", new Column("db", "t", "t", "w", "w", 63, 66, ColumnType.NEWDECIMAL, 0, 2));
        assertThat(GoldenPlanTest.plan("SELECT a, AVG(w) FROM t GROUP BY a", wide))
                .containsExactly("refused: " + Reason.ARGUMENT_TYPE);
        assertThat(GoldenPlanTest.plan("SELECT AVG(w) FROM t", wide)).hasSize(3);
    }

    @Test
    void mySqlAveragesComputedNumbersInTheTemporaryTableOfSortedGroupsWithDistinctAggregates() {
        assertRefusedOnMySqlOnly(
                Reason.ARGUMENT_TYPE,
                "SELECT c, AVG(a + 1), COUNT(DISTINCT b) FROM t GROUP BY c ORDER BY c",
                "SELECT c, AVG(DISTINCT a + 1) FROM t GROUP BY c ORDER BY c");
        assertSplitOnBoth(
                "SELECT c, AVG(a), COUNT(DISTINCT b) FROM t GROUP BY c ORDER BY c",
                "SELECT c, AVG(a + 1), COUNT(DISTINCT b) FROM t GROUP BY c",
                "SELECT c, AVG(a + 1) FROM t GROUP BY c ORDER BY c",
                "SELECT c, SUM(a + 1), COUNT(DISTINCT b) FROM t GROUP BY c ORDER BY c");
    }

    @Test
    void mariaDbLosesNullsOfComputedDecimalsIfItSortsDownwardsToGroup() {
        assertRefusedOnMariaDbOnly(
                Reason.KEY_TYPE,
                "SELECT num + 1, COUNT(DISTINCT b) FROM t GROUP BY num + 1 ORDER BY num + 1 DESC",
                "SELECT a, num + 1, COUNT(DISTINCT b) FROM t GROUP BY a, num + 1 ORDER BY a, num + 1 DESC",
                "SELECT num + 1, GROUP_CONCAT(b ORDER BY b) FROM t WHERE b > 1 GROUP BY num + 1 ORDER BY num + 1 DESC");
        assertSplitOnBoth(
                "SELECT num + 1, COUNT(DISTINCT b) FROM t GROUP BY num + 1 ORDER BY 1",
                "SELECT num + 1, COUNT(*) FROM t GROUP BY num + 1 ORDER BY num + 1 DESC",
                "SELECT num, COUNT(DISTINCT b) FROM t GROUP BY num ORDER BY 1 DESC",
                "SELECT a + 1, COUNT(DISTINCT b) FROM t GROUP BY a + 1 ORDER BY 1 DESC",
                "SELECT num + 1, GROUP_CONCAT(b ORDER BY b) FROM t WHERE b > 1 GROUP BY num + 1 ORDER BY num + 1",
                "SELECT num, GROUP_CONCAT(b ORDER BY b) FROM t WHERE b > 1 GROUP BY num ORDER BY num DESC",
                "SELECT a, GROUP_CONCAT(num + 1 ORDER BY num + 1) FROM t WHERE b > 1 GROUP BY a ORDER BY a DESC");
    }

    @Test
    void mariaDbKeepsComputedYearsWithTooSmallATypeFoldedOrGathered() {
        assertRefusedOnMariaDbOnly(
                Reason.KEY_TYPE,
                "SELECT COUNT(*) FROM t GROUP BY IFNULL(vintage, 1999)",
                "SELECT GROUP_CONCAT(b ORDER BY b) FROM t WHERE b > 1 GROUP BY IFNULL(vintage, 1999)");
        assertSplitOnBoth(
                "SELECT COUNT(*) FROM t GROUP BY vintage",
                "SELECT vintage, GROUP_CONCAT(b ORDER BY b) FROM t WHERE b > 1 GROUP BY vintage");
    }

    @Test
    void bitsAreNoKeys() {
        assertRefusedOnBoth(Reason.KEY_TYPE, "SELECT COUNT(*) FROM t GROUP BY bits");
    }

    @Test
    void joinedTextsAreSortedByTextsThatLookAlikeIfTheyAreEqual() {
        assertRefusedOnBoth(
                Reason.AGGREGATE,
                "SELECT GROUP_CONCAT(str ORDER BY str) FROM t WHERE b > 1",
                "SELECT GROUP_CONCAT(dbl ORDER BY dbl) FROM t WHERE b > 1");
        assertSplitOnBoth("SELECT GROUP_CONCAT(num ORDER BY num) FROM t WHERE b > 1");
    }

    @Test
    void jsonShowsMoreOfBytesAndOfComputedValuesThanTheColumnEncoding() {
        String hint = "SELECT /*+ APPROXIMATE */ ";
        assertRefusedOnBoth(Reason.ARGUMENT_TYPE, hint + "JSON_ARRAYAGG(bytes) FROM t WHERE b > 1");
        assertRefusedOnMySqlOnly(
                Reason.ARGUMENT_TYPE,
                hint + "JSON_ARRAYAGG(x.madenum) FROM (SELECT a, num * 2 AS madenum FROM t) x WHERE x.a > 1",
                hint + "JSON_OBJECTAGG(x.a, x.madenum) FROM (SELECT a, num * 2 AS madenum FROM t) x WHERE x.a > 1");
        assertSplitOnBoth(
                hint + "JSON_ARRAYAGG(x.num) FROM (SELECT a, num FROM t) x WHERE x.a > 1",
                hint + "x.madenum, JSON_ARRAYAGG(x.a) FROM (SELECT a, num * 2 AS madenum FROM t) x WHERE x.a > 1"
                        + " GROUP BY x.madenum");
    }

    @Test
    void approximateNumbersAreSummedInAnyOrderOnlyOnRequest() {
        assertRefusedOnBoth(Reason.APPROXIMATE, "SELECT a, SUM(dbl) OVER () FROM t WHERE b > 1");
        assertSplitOnBoth("SELECT /*+ APPROXIMATE */ a, SUM(dbl) OVER () FROM t WHERE b > 1");
    }
}

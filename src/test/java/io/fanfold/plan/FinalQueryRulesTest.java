package io.fanfold.plan;

import static io.fanfold.plan.Verdict.assertRefusedOnBoth;
import static io.fanfold.plan.Verdict.assertRefusedOnMariaDbOnly;
import static io.fanfold.plan.Verdict.assertRefusedOnMySqlOnly;
import static io.fanfold.plan.Verdict.assertSplitOnBoth;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.row.ColumnType;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FinalQueryRulesTest {
    @Test
    void mySqlShowsAChoiceOfDecimalsOverKeysWithTheDigitsOfItsType() {
        assertRefusedOnMySqlOnly(
                Reason.ARGUMENT_TYPE,
                "SELECT IF(a > 3, num, 1), COUNT(*) FROM t GROUP BY a, num",
                "SELECT COALESCE(num, a) FROM t GROUP BY num, a",
                "SELECT CASE WHEN a > 3 THEN a ELSE 1.5 END FROM t GROUP BY a",
                "SELECT IFNULL(a / 2, 1) FROM t GROUP BY a");
        assertSplitOnBoth(
                "SELECT IF(a > 3, a, 1), COUNT(*) FROM t GROUP BY a, num",
                "SELECT IF(a > 3, str, 'x') FROM t GROUP BY a, str",
                "SELECT num + 1, a + 1.5 FROM t GROUP BY num, a",
                "SELECT IF(COUNT(*) > 3, num, 1) FROM t GROUP BY num",
                "SELECT COUNT(*), IF(1 > 2, .5, 1) FROM t");
    }

    @Test
    void aChoiceOfASubquerysValueMayBeOneOfDecimals() {
        assertRefusedOnMySqlOnly(Reason.ARGUMENT_TYPE, "SELECT IF(a > 3, (SELECT MAX(k) FROM d), 1) FROM t GROUP BY a");
    }

    @Test
    void joinedTextsOfMaterializedRowsAreComputedByTheFinalQuery() {
        assertSplitOnBoth("SELECT b, GROUP_CONCAT(IF(a > 3, num, 1) ORDER BY IF(a > 3, num, 1)) FROM t WHERE c > 5"
                + " GROUP BY b");
    }

    @Test
    void mySqlShowsExpressionsOfDecimalsInTwoWaysBesideDistinct() {
        assertRefusedOnMySqlOnlyOrOfExpressions(
                "SELECT DISTINCT COUNT(*) + 1.5 FROM t GROUP BY a",
                "SELECT DISTINCT COUNT(*) / 2 FROM t GROUP BY a",
                "SELECT DISTINCT num + COUNT(*) FROM t GROUP BY num",
                "SELECT DISTINCT SUM(a) + 1 FROM t GROUP BY b",
                "SELECT DISTINCT MAX(num) + 1 FROM t GROUP BY b");
        assertRefusedOnMariaDbOnly(
                Reason.UNSUPPORTED_SYNTAX,
                "SELECT DISTINCT COUNT(*) + 1 FROM t GROUP BY a",
                "SELECT DISTINCT b + COUNT(*) FROM t GROUP BY b, a");
        assertSplitOnBoth(
                "SELECT DISTINCT SUM(num), num FROM t GROUP BY num, a",
                "SELECT DISTINCT COUNT(*), a FROM t GROUP BY a");
    }

    /** MariaDB drops rows that differ if an expression is DISTINCT. */
    private static void assertRefusedOnMySqlOnlyOrOfExpressions(String... statements) {
        assertRefusedOnBoth(Reason.UNSUPPORTED_SYNTAX, statements);
    }

    @Test
    void oneRowIsDistinctWhateverItShows() {
        Verdict.assertSplit("SELECT DISTINCT SUM(num) / 2 FROM t");
    }

    @Test
    void zeroHasTwoSignsAsAFloatingPointNumber() {
        assertRefusedOnBoth(
                Reason.ARGUMENT_TYPE,
                "SELECT DISTINCT dbl, COUNT(*) FROM t GROUP BY dbl, a",
                "SELECT DISTINCT MAX(dbl) FROM t GROUP BY a",
                "SELECT DISTINCT a, MIN(dbl) FROM t GROUP BY a");
        Verdict.assertRefused(Reason.ARGUMENT_TYPE, "SELECT DISTINCT ANY_VALUE(dbl) FROM t GROUP BY a");
        Verdict.assertSplit("SELECT DISTINCT ANY_VALUE(b), MAX(num) FROM t GROUP BY a");
    }

    @Test
    void mySqlComparesAComputedYearAsANumber() {
        assertRefusedOnMySqlOnly(
                Reason.KEY_TYPE,
                "SELECT MIN(IFNULL(vintage, 1999)) FROM t UNION ALL SELECT k FROM d",
                "SELECT k FROM d WHERE k = (SELECT MAX(IFNULL(vintage, 1999)) FROM t)");
        assertSplitOnBoth(
                "SELECT x.y FROM (SELECT a, MIN(IFNULL(vintage, 1999)) AS y FROM t GROUP BY a) x",
                "SELECT x.y FROM (SELECT MAX(IFNULL(vintage, 1999)) AS y FROM t GROUP BY a HAVING COUNT(*) > 1) x",
                "SELECT x.vintage FROM (SELECT vintage, MIN(vintage) AS y FROM t GROUP BY vintage) x",
                "SELECT x.m FROM (SELECT COUNT(*) AS n, MAX(a + 1) AS m FROM t GROUP BY b) x",
                "SELECT a, MIN(IFNULL(vintage, 1999)) FROM t GROUP BY a");
    }

    @Test
    void onMariaDbTheFirstGroupsBesideWindowFunctionsDependOnThePlan() {
        assertRefusedOnMariaDbOnly(
                Reason.WINDOW,
                "SELECT MAX(x.r) FROM (SELECT a, RANK() OVER (ORDER BY COUNT(*), a) AS r FROM t GROUP BY a"
                        + " ORDER BY a LIMIT 3) x");
        assertSplitOnBoth(
                "SELECT MAX(x.r) FROM (SELECT a, RANK() OVER (ORDER BY COUNT(*), a) AS r FROM t GROUP BY a) x",
                "SELECT MAX(x.n) FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY a LIMIT 3) x",
                "SELECT a, RANK() OVER (ORDER BY COUNT(*), a) FROM t GROUP BY a ORDER BY a LIMIT 3");
    }

    @Test
    void materializedTextsInExpressionsAreSortedByTheirWholeLength() {
        assertRefusedOnBoth(
                Reason.KEY_TYPE,
                "SELECT a, RANK() OVER (ORDER BY novel) FROM t WHERE c > 5",
                "SELECT novel, GROUP_CONCAT(b ORDER BY b) FROM t WHERE c > 5 GROUP BY novel");
        assertSplitOnBoth(
                "SELECT novel, RANK() OVER (ORDER BY a) FROM t WHERE c > 5",
                "SELECT a, RANK() OVER (ORDER BY str) FROM t WHERE c > 5");
    }

    @Test
    void stringsCommentsAndNamesComputeNothing() {
        assertSplitOnBoth(
                "SELECT CONCAT(AVG(a), '%'), DATE_FORMAT(MAX(day), '%Y-%m') FROM t",
                "SELECT a, MIN(num) /* % */ + 1 AS `mod` FROM t GROUP BY a",
                "SELECT a, CONCAT(MIN(day), ' -> ', MAX(day), ' in (1)') FROM t GROUP BY a",
                "SELECT IF(a > 3, '1.5', 'a/b') FROM t GROUP BY a",
                "SELECT a, CONCAT(a, 'cast(', '/%') FROM t GROUP BY a HAVING COUNT(*) > 1",
                "SELECT a, 'now()', MAX(b) AS `now`, MAX(b) AS curdate FROM t GROUP BY a",
                "SELECT 'sum(', MAX(x.n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) x",
                "SELECT 'std(a), group_concat(a)', MAX(x.n) AS std FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) x");
        Verdict.assertSplit("SELECT DISTINCT CONCAT(COUNT(*), '1.5') FROM t GROUP BY a");
    }

    @Test
    void unixTimestampOfADateIsNoMoment() {
        assertSplitOnBoth("SELECT a, UNIX_TIMESTAMP(MAX(day)) FROM t GROUP BY a");
        assertRefusedOnBoth(Reason.SESSION_FUNCTION, "SELECT a, MAX(b) - UNIX_TIMESTAMP( ) FROM t GROUP BY a");
    }

    @Test
    void divisionsOfKeysByLiteralsNeverWarn() {
        assertSplitOnBoth("SELECT a, a / 0.5, a DIV 4 FROM t GROUP BY a HAVING COUNT(*) > 1");
        Verdict.assertSplit("SELECT a, MOD(a, 5) FROM t GROUP BY a HAVING COUNT(*) > 1");
        assertRefusedOnBoth(
                Reason.ARGUMENT_TYPE,
                "SELECT a, MOD(a, 5 - 5) FROM t GROUP BY a HAVING COUNT(*) > 1",
                "SELECT a, MOD(b, a) FROM t GROUP BY a, b HAVING COUNT(*) > 1",
                "SELECT a, a / 0.0 FROM t GROUP BY a HAVING COUNT(*) > 1",
                "SELECT a, a / 5e-400 FROM t GROUP BY a HAVING COUNT(*) > 1");
    }

    @Test
    void textsThatAreReadAsNumbersMayWarnOfHiddenGroups() {
        assertRefusedOnBoth(
                Reason.ARGUMENT_TYPE,
                "SELECT str + 1, COUNT(*) FROM t GROUP BY str HAVING COUNT(*) > 1",
                "SELECT COUNT(*) FROM t GROUP BY str HAVING COUNT(*) > 1 ORDER BY YEAR(str)",
                "SELECT str > 5 FROM t GROUP BY str HAVING COUNT(*) > 1",
                "SELECT COUNT(*) FROM t GROUP BY str HAVING COUNT(*) > 1 AND str BETWEEN 1 AND 5",
                "SELECT STR_TO_DATE(str, '%Y') FROM t GROUP BY str HAVING COUNT(*) > 1");
        assertRefusedOnMariaDbOnly(
                Reason.ARGUMENT_TYPE, "SELECT -str, COUNT(*) FROM t GROUP BY str ORDER BY COUNT(*) LIMIT 3");
        assertSplitOnBoth(
                "SELECT str + 1, COUNT(*) FROM t GROUP BY str",
                "SELECT a + 1, YEAR(day) FROM t GROUP BY a, day HAVING COUNT(*) > 1",
                "SELECT str > 5 FROM t GROUP BY str",
                "SELECT IF(a > 5, str, 'x'), str = '5' FROM t GROUP BY a, str HAVING COUNT(*) > 1",
                "SELECT UPPER(str), CONCAT(str, '+ 1') FROM t GROUP BY str HAVING COUNT(*) > 1",
                "SELECT a, MAX(str) + 1 FROM t GROUP BY a HAVING COUNT(*) > 1");
    }

    @Test
    void theServerSaysWhatIsADecimal() {
        String item = "IF(a > 3, CAST(a AS DECIMAL(5,2)), 1)";
        String sql = "SELECT " + item + ", COUNT(*) FROM t GROUP BY a";
        assertThat(GoldenPlanTest.plan(sql, Map.of(item, Sample.column(item, ColumnType.NEWDECIMAL, 63, 8, 0, 2))))
                .containsExactly("refused: " + Reason.ARGUMENT_TYPE);
        Verdict.assertSplit(sql);
        String text = "CONCAT(" + item + ")";
        assertThat(GoldenPlanTest.plan(sql.replace(item, text), Map.of(text, Sample.text(text, 45))))
                .containsExactly("refused: " + Reason.ARGUMENT_TYPE);
    }

    @Test
    void timesAreNotCompletedInAnotherMoment() {
        assertRefusedOnBoth(Reason.SESSION_FUNCTION, "SELECT a, UNIX_TIMESTAMP(MAX(elapsed)) FROM t GROUP BY a");
        assertSplitOnBoth(
                "SELECT a, UNIX_TIMESTAMP(MAX(day)) FROM t GROUP BY a",
                "SELECT a, HOUR(MAX(elapsed)) FROM t GROUP BY a");
    }

    /** Each portion may be all rows that the final query returns. */
    @Test
    void aPortionHasAtMostTheRowsUpToTheLastOne() {
        String sql = "SELECT a, COUNT(*) FROM t GROUP BY a HAVING COUNT(*) > 1 ORDER BY a LIMIT 3 OFFSET 2";
        assertThat(Verdict.finish(sql)).endsWith(" LIMIT 5, in portions, rows 2..5 of all");
        assertThat(Verdict.finish(sql.replace(" LIMIT 3 OFFSET 2", ""))).endsWith(", in portions");
    }
}

package io.fanfold.plan;

import static io.fanfold.plan.Verdict.assertRefusedOnBoth;
import static io.fanfold.plan.Verdict.assertRefusedOnMariaDbOnly;
import static io.fanfold.plan.Verdict.assertSplitOnBoth;

import io.fanfold.reason.Reason;
import org.junit.jupiter.api.Test;

/** The columns are those of the golden plans: {@code num} has two digits after the point, {@code fine} has ten. */
class TypeRulesTest {
    private static final String QUOTIENTS = " FROM (SELECT id, a, num / 7 AS madenum FROM t) x";
    private static final String PRODUCTS = " FROM (SELECT id, a, num * 7 AS madenum FROM t) x";
    private static final String CHOICES = " FROM (SELECT id, a, IFNULL(fine, b) AS madefine FROM t) x";

    @Test
    void mariaDbDoesNotGroupByQuotientsAndRemaindersOutsideTheServer() {
        assertRefusedOnMariaDbOnly(
                Reason.KEY_TYPE,
                "SELECT num / 7, COUNT(*) FROM t GROUP BY num / 7",
                "SELECT a, num / 7, COUNT(*) FROM t GROUP BY a, num / 7",
                "SELECT num % 3, COUNT(*) FROM t GROUP BY num % 3",
                "SELECT mod(num, 0.5), COUNT(*) FROM t GROUP BY mod(num, 0.5)",
                "SELECT num / 7, GROUP_CONCAT(a ORDER BY a) FROM t WHERE b > 1 GROUP BY num / 7");
    }

    @Test
    void otherKeysAreFoldedOnBothServers() {
        assertSplitOnBoth(
                "SELECT num + 1, COUNT(*) FROM t GROUP BY num + 1",
                "SELECT num /* half */ + 1, COUNT(*) FROM t GROUP BY num /* half */ + 1",
                "SELECT dbl / 3, COUNT(*) FROM t GROUP BY dbl / 3",
                "SELECT COUNT(*) FROM t GROUP BY num");
    }

    @Test
    void aRoundedQuotientHasNoMoreDigitsThanItShows() {
        assertSplitOnBoth(
                "SELECT COUNT(*) FROM t GROUP BY ROUND(num / 7, 1)",
                "SELECT COUNT(*) FROM t GROUP BY round((num + (num / 7)), 1)",
                "SELECT COUNT(*) FROM t GROUP BY TRUNCATE(num / 7, 1)",
                "SELECT COUNT(*) FROM t GROUP BY FLOOR(num % 7)",
                "SELECT COUNT(*) FROM t GROUP BY ROUND(IF(name = '(', num, b) / 7, 1)",
                "SELECT COUNT(*) FROM t GROUP BY ROUND(IF(name = ')', num, b) /* ) */ / 7, 1)",
                "SELECT COUNT(*) FROM t GROUP BY CEIL(num / 7)",
                "SELECT COUNT(*) FROM t GROUP BY CEILING(num / 7)",
                "SELECT COUNT(*) FROM t GROUP BY CAST(num / 7 AS DECIMAL(9,3))");
    }

    @Test
    void computationsWithRoundedNumbersAreNotRounded() {
        assertRefusedOnMariaDbOnly(
                Reason.KEY_TYPE,
                "SELECT COUNT(*) FROM t GROUP BY ROUND(num, 1) / 7",
                "SELECT COUNT(*) FROM t GROUP BY ROUND(num, 1) / (7)",
                "SELECT COUNT(*) FROM t GROUP BY ROUND(num, 1) / ROUND(num, 0)",
                "SELECT COUNT(*) FROM t GROUP BY num / ROUND(a, 0)",
                "SELECT COUNT(*) FROM t GROUP BY ABS(num / 7)");
    }

    @Test
    void parenthesesInLiteralsAndCommentsAreIgnored() {
        assertRefusedOnMariaDbOnly(
                Reason.KEY_TYPE,
                "SELECT COUNT(*) FROM t GROUP BY ROUND(IF(name = '(', num, b), 1) / ABS(IF(name = ')', 7, 8))",
                "SELECT COUNT(*) FROM t GROUP BY ROUND(IF(name = \"(\", num, b), 1) / ABS(IF(name = \")\", 7, 8))",
                "SELECT COUNT(*) FROM t GROUP BY ROUND(IF(name = '\\'(', num, b), 1) / ABS(IF(name = '\\')', 7, 8))",
                "SELECT COUNT(*) FROM t GROUP BY ROUND(num /* ( */, 1) / ABS(a /* ) */)",
                "SELECT COUNT(*) FROM t GROUP BY ROUND(num -- (\n, 1) / ABS(a # )\n)");
    }

    @Test
    void aQuotientOfADerivedTableIsAQuotientOutsideToo() {
        assertRefusedOnMariaDbOnly(
                Reason.KEY_TYPE,
                "SELECT x.madenum, COUNT(*)" + QUOTIENTS + " GROUP BY x.madenum",
                "SELECT x.madenum, COUNT(*) FROM (SELECT num % 7 AS madenum FROM t) x GROUP BY x.madenum",
                "SELECT x.madenum, COUNT(*) FROM t JOIN (SELECT k, AVG(w) AS madenum FROM d GROUP BY k) x ON t.a = x.k"
                        + " GROUP BY x.madenum");
        assertSplitOnBoth(
                "SELECT x.madenum, COUNT(*)" + PRODUCTS + " GROUP BY x.madenum",
                "SELECT x.num, COUNT(*) FROM (SELECT num, b / 7 AS q FROM t) x GROUP BY x.num",
                "SELECT x.madenum, COUNT(*) FROM t JOIN (SELECT k, MAX(w) AS madenum FROM d GROUP BY k) x ON t.a = x.k"
                        + " GROUP BY x.madenum");
    }

    @Test
    void materializedQuotientsAreShownUnchanged() {
        assertSplitOnBoth("SELECT x.id, x.madenum, ROW_NUMBER() OVER (ORDER BY x.id)" + QUOTIENTS + " WHERE x.a < 3");
    }

    @Test
    void mariaDbAddsQuotientsWithMoreDigitsThanPartialSumsShow() {
        assertRefusedOnMariaDbOnly(
                Reason.AGGREGATE,
                "SELECT SUM(x.madenum)" + QUOTIENTS,
                "SELECT SUM(DISTINCT x.madenum)" + QUOTIENTS,
                "SELECT a, AVG(x.madenum)" + QUOTIENTS + " GROUP BY a");
        assertSplitOnBoth(
                "SELECT SUM(x.madenum)" + PRODUCTS,
                "SELECT MIN(x.madenum), MAX(x.madenum)" + QUOTIENTS,
                "SELECT COUNT(x.madenum), SUM(x.a)" + QUOTIENTS);
    }

    @Test
    void mariaDbComputesWithMoreDigitsOfQuotientsThanAreTransferred() {
        assertRefusedOnMariaDbOnly(
                Reason.ARGUMENT_TYPE,
                "SELECT MIN(num / 7) * 7 FROM t",
                "SELECT a, MAX(num / 7) FROM t GROUP BY a HAVING MAX(num / 7) > 1",
                "SELECT a FROM t GROUP BY a ORDER BY MIN(num / 7) * 2",
                "SELECT x.id, x.madenum * 7, ROW_NUMBER() OVER (ORDER BY x.id)" + QUOTIENTS + " WHERE x.a < 3");
        assertSplitOnBoth(
                "SELECT MIN(num / 7), MAX(num) / 7 * 7, MIN(num * 7) * 7 FROM t",
                "SELECT a, MIN(num / 7) FROM t GROUP BY a ORDER BY MIN(num / 7) DESC",
                "SELECT a, SUM(num) / SUM(b) FROM t GROUP BY a");
    }

    @Test
    void aSubquerysValueHasHiddenDigitsAndADerivedTablesHasNone() {
        assertRefusedOnMariaDbOnly(
                Reason.ARGUMENT_TYPE,
                "SELECT k FROM d WHERE k > (SELECT MIN(num / 7) FROM t)",
                "SELECT k FROM d WHERE k IN (SELECT MIN(num / 7) FROM t GROUP BY a)");
        assertSplitOnBoth(
                "SELECT x.m * 7 FROM (SELECT MIN(num / 7) AS m FROM t) x",
                "SELECT MIN(num / 7) FROM t UNION ALL SELECT w FROM d",
                "SELECT k FROM d WHERE k > (SELECT MIN(num * 7) FROM t)");
    }

    @Test
    void aChosenValueMayHaveTooFewDigitsToDivide() {
        assertRefusedOnBoth(
                Reason.ARGUMENT_TYPE,
                "SELECT SUM(IFNULL(fine, b)) / 7 FROM t",
                "SELECT MAX(COALESCE(fine, b)) / 7, COUNT(*) FROM t",
                "SELECT 7 / MAX(greatest(fine, b)), COUNT(*) FROM t",
                "SELECT a, COUNT(*) FROM t GROUP BY a HAVING MIN(CASE WHEN b > 1 THEN fine ELSE b END) / 7 > 1",
                "SELECT x.madefine / 7, COUNT(*)" + CHOICES + " GROUP BY x.madefine",
                "SELECT k FROM d WHERE (SELECT SUM(IF(a = 9, fine, b)) FROM t) / 7 > k",
                "SELECT x.id, x.madefine / 7, ROW_NUMBER() OVER (ORDER BY x.id)" + CHOICES + " WHERE x.a < 3");
    }

    @Test
    void valuesThatAreNotDividedOrHaveAllDigitsAreMerged() {
        assertSplitOnBoth(
                "SELECT SUM(fine) / 7, MAX(fine) / 7, SUM(fine * num) / 7, COUNT(*) / 7, COUNT(DISTINCT a) / 7 FROM t",
                "SELECT SUM(IFNULL(fine, b)), MAX(COALESCE(fine, b)) * 3 FROM t",
                "SELECT SUM(IF(a = 1, num, 0)) / 7, SUM(CASE WHEN a = 1 THEN num ELSE 0 END) / SUM(fine) FROM t",
                "SELECT x.madefine, COUNT(*)" + CHOICES + " GROUP BY x.madefine",
                "SELECT x.m / 7 FROM (SELECT SUM(IF(a = 9, fine, b)) AS m FROM t) x");
    }

    @Test
    void stringsAndCommentsDivideNothing() {
        assertSplitOnBoth(
                "SELECT COUNT(*) FROM t GROUP BY CAST(REPLACE(num, '%', '/') AS DECIMAL(12,2)) + 1",
                "SELECT MIN(num /* a / b */ + 1) * 7, MIN(num + LENGTH('avg(')) * 7 FROM t",
                "SELECT SUM(num + LENGTH(' / ')), AVG(num + LENGTH(' hour ')) FROM t",
                "SELECT SUM(x.madenum) FROM (SELECT num + LENGTH('/') AS madenum FROM t) x");
    }

    @Test
    void aColumnMayHaveTheNameOfAFunction() {
        assertSplitOnBoth("SELECT AVG(hour), AVG(t.weekday), AVG(`ascii`) FROM t");
        assertRefusedOnMariaDbOnly(
                Reason.ARGUMENT_TYPE, "SELECT AVG(hour(moment)) FROM t", "SELECT AVG(a DIV 2) FROM t");
    }

    @Test
    void mariaDbDropsTheSignOfZeroBesideDistinctAggregates() {
        assertRefusedOnMariaDbOnly(
                Reason.ARGUMENT_TYPE,
                "SELECT MIN(-num % 1.0), COUNT(DISTINCT a) FROM t",
                "SELECT MAX(b), MAX(-num % 1.0), COUNT(DISTINCT a) FROM t");
        assertSplitOnBoth(
                "SELECT MIN(-num % 1.0), COUNT(a) FROM t",
                "SELECT MIN(-num), COUNT(DISTINCT a) FROM t", "SELECT SUM(-num % 1.0), COUNT(DISTINCT a) FROM t");
    }
}

package io.fanfold.plan;

import static io.fanfold.plan.Verdict.assertRefused;
import static io.fanfold.plan.Verdict.assertRefusedOnBoth;
import static io.fanfold.plan.Verdict.assertRefusedOnMySqlOnly;
import static io.fanfold.plan.Verdict.assertSplit;
import static io.fanfold.plan.Verdict.assertSplitOnBoth;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import org.junit.jupiter.api.Test;

class MaterializedColumnsTest {
    private static final String WHERE = " FROM t WHERE c > 5";

    @Test
    void everyColumnIsSelectedOnceAndTheKeysFirst() {
        assertThat(GoldenPlanTest.plan(
                        "SELECT GROUP_CONCAT(b + e, b ORDER BY b, b + e), COUNT(g), a" + WHERE + " GROUP BY g, a"))
                .containsExactly(
                        "partition: SELECT g, a, b, e FROM t PARTITION (`p`) WHERE c > 5",
                        "merge: concatenated rows, columns 0..3",
                        "answer: SELECT GROUP_CONCAT(ff.c2 + ff.c3, ff.c2 ORDER BY ff.c2, ff.c2 + ff.c3), COUNT(ff.c0),"
                                + " ff.c1 FROM {bigint, bigint, bigint, bigint} ff GROUP BY ff.c0, ff.c1");
    }

    @Test
    void aCallReadsItsOwnColumnsOnly() {
        assertThat(Verdict.finish("SELECT a, CONCAT(a, GROUP_CONCAT(b ORDER BY b), MAX(e))" + WHERE + " GROUP BY a"))
                .isEqualTo("answer: SELECT ff.c0, CONCAT(ff.c0, GROUP_CONCAT(ff.c1 ORDER BY ff.c1), MAX(ff.c2))"
                        + " FROM {bigint, bigint, bigint} ff GROUP BY ff.c0");
    }

    @Test
    void valuesAreJoinedInAnOrderThatTheStatementGives() {
        assertRefusedOnBoth(
                Reason.AGGREGATE,
                "SELECT GROUP_CONCAT(a)" + WHERE,
                "SELECT GROUP_CONCAT(a ORDER BY b)" + WHERE,
                "SELECT GROUP_CONCAT(a, b ORDER BY b)" + WHERE);
        assertSplitOnBoth(
                "SELECT GROUP_CONCAT(a ORDER BY a)" + WHERE,
                "SELECT GROUP_CONCAT(a, b ORDER BY b, a)" + WHERE,
                "SELECT /*+ APPROXIMATE */ GROUP_CONCAT(str)" + WHERE,
                "SELECT /*+ APPROXIMATE */ GROUP_CONCAT(str ORDER BY str)" + WHERE);
    }

    @Test
    void sumsOfApproximateNumbersBesideThemDependOnTheOrderOfTheRows() {
        String joined = "GROUP_CONCAT(a ORDER BY a)";
        assertRefusedOnBoth(
                Reason.APPROXIMATE,
                "SELECT " + joined + ", SUM(dbl)" + WHERE,
                "SELECT " + joined + ", AVG(dbl)" + WHERE,
                "SELECT " + joined + ", STDDEV(a)" + WHERE);
        assertSplitOnBoth(
                "SELECT " + joined + ", SUM(num), AVG(a), MAX(dbl), COUNT(dbl)" + WHERE,
                "SELECT /*+ APPROXIMATE */ " + joined + ", SUM(dbl)" + WHERE);
    }

    @Test
    void mySqlAveragesMaterializedGroupsWithOtherHiddenDigits() {
        String joined = "SELECT b, GROUP_CONCAT(a ORDER BY a), ";
        assertRefusedOnMySqlOnly(
                Reason.AVG_IN_EXPRESSION,
                joined + "AVG(num) * 2" + WHERE + " GROUP BY b",
                joined + "AVG(num) + 1e0" + WHERE + " GROUP BY b");
        assertSplitOnBoth(
                joined + "AVG(num)" + WHERE + " GROUP BY b", "SELECT GROUP_CONCAT(a ORDER BY a), AVG(num) * 2" + WHERE);
        assertRefused(
                Reason.ARGUMENT_TYPE, "mariadb: SELECT GROUP_CONCAT(a ORDER BY a), AVG(HOUR(moment)) + 1" + WHERE);
    }

    @Test
    void theLengthOfJoinedTextsDependsOnATemporaryTable() {
        String joined = "SELECT a, GROUP_CONCAT(b ORDER BY b) AS x";
        assertRefusedOnBoth(
                Reason.AGGREGATE,
                joined + WHERE + " GROUP BY a ORDER BY x",
                joined + WHERE + " GROUP BY a ORDER BY COUNT(*)",
                joined + WHERE + " GROUP BY a ORDER BY a, MAX(b)",
                "SELECT DISTINCT GROUP_CONCAT(b ORDER BY b)" + WHERE + " GROUP BY a");
        assertSplitOnBoth(
                joined + WHERE + " GROUP BY a ORDER BY a DESC", joined + WHERE + " GROUP BY a, c ORDER BY c, a");
        assertSplit("mariadb: SELECT a, AVG(num) * 2" + WHERE + " GROUP BY a ORDER BY AVG(num) * 2");
    }
}

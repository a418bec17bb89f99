package io.fanfold.plan;

import static io.fanfold.plan.Verdict.assertRefusedOnBoth;
import static io.fanfold.plan.Verdict.assertSplitOnBoth;

import io.fanfold.reason.Reason;
import org.junit.jupiter.api.Test;

/** The server computes what is around the merged blocks. */
class RestRulesTest {
    private static final String GROUPS = " FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) x";

    @Test
    void theCurrentTimeIsAnotherOneThere() {
        assertRefusedOnBoth(
                Reason.SESSION_FUNCTION,
                "SELECT k FROM d WHERE k > (SELECT COUNT(*) FROM t) AND w < NOW()",
                "SELECT /*+ APPROXIMATE */ x.n + HOUR(CURTIME())" + GROUPS);
        assertSplitOnBoth("SELECT k FROM d WHERE k > (SELECT COUNT(*) FROM t) AND w < 'now()'");
    }

    @Test
    void mergedRowsHaveNoFixedOrderToJoinValuesIn() {
        assertRefusedOnBoth(
                Reason.AGGREGATE,
                "SELECT GROUP_CONCAT(x.n)" + GROUPS,
                "SELECT GROUP_CONCAT(x.n ORDER BY x.a)" + GROUPS);
        assertSplitOnBoth("SELECT /*+ APPROXIMATE */ GROUP_CONCAT(x.n)" + GROUPS, "SELECT MAX(x.n)" + GROUPS);
    }

    @Test
    void variancesDependOnTheOrderOfTheRows() {
        String beside = " FROM d WHERE k > (SELECT COUNT(*) FROM t)";
        assertRefusedOnBoth(
                Reason.APPROXIMATE,
                "SELECT VAR_SAMP(w)" + beside,
                "SELECT STD(w)" + beside,
                "SELECT STD(x.n)" + GROUPS);
        assertSplitOnBoth("SELECT /*+ APPROXIMATE */ STD(w)" + beside, "SELECT MAX(w)" + beside);
    }
}

package io.fanfold.plan;

import static io.fanfold.plan.Verdict.assertRefused;
import static io.fanfold.plan.Verdict.assertRefusedOnBoth;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import org.junit.jupiter.api.Test;

class AggregatePlannerTest {
    private static String merge(String sql) {
        return GoldenPlanTest.plan(sql).get(1);
    }

    @Test
    void exactNumbersAreAddedExactlyThoughApproximateOnesAreAllowed() {
        assertThat(merge("SELECT /*+ APPROXIMATE */ SUM(num), SUM(flt), COUNT(dbl) FROM t"))
                .isEqualTo("merge: scalar [sum(0), sum of doubles(1), count(2)]");
    }

    @Test
    void sumsOfDifferentValuesThatAddUpAreOfExactNumbers() {
        String inGroups = "SELECT MAX(x.s) FROM (SELECT id, SUM(DISTINCT num) AS s FROM t GROUP BY id) x";
        assertThat(merge(inGroups)).isEqualTo("merge: groups by [0 as number(0)] [sum(1)]");
        assertRefusedOnBoth(Reason.APPROXIMATE, inGroups.replace("num", "dbl"));
        assertRefusedOnBoth(Reason.ARGUMENT_TYPE, inGroups.replace("num", "bits"));
    }

    @Test
    void anyValueOfBitsIsShownAsBytesOrNumber() {
        assertRefused(Reason.KEY_TYPE, "SELECT a, ANY_VALUE(bits) FROM t GROUP BY a");
        assertThat(merge("SELECT a, ANY_VALUE(enm) FROM t GROUP BY a"))
                .isEqualTo("merge: groups by [0 as number(0)] [any(1)]");
    }

    @Test
    void bitsAreOfWholeNumbers() {
        assertRefusedOnBoth(
                Reason.ARGUMENT_TYPE,
                "SELECT BIT_XOR(num) FROM t",
                "SELECT BIT_OR(dbl) FROM t",
                "SELECT BIT_AND(day) FROM t");
    }
}

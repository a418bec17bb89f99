package io.fanfold.plan;

import static io.fanfold.plan.Verdict.assertRefused;
import static io.fanfold.plan.Verdict.assertRefusedOnBoth;
import static io.fanfold.plan.Verdict.assertRefusedOnMariaDbOnly;
import static io.fanfold.plan.Verdict.assertRefusedOnMySqlOnly;
import static io.fanfold.plan.Verdict.assertSplitOnBoth;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.rule.Rules;
import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of sums, averages and digits. */
class NumberRulesTest {
    /** Returns a signed decimal; its display length includes a sign and a point. */
    private static Column decimal(boolean ofTable, int precision, int scale) {
        int length = precision + (scale > 0 ? 2 : 1);
        return ofTable
                ? TypeSample.ofTable(ColumnType.NEWDECIMAL, length, 0, scale)
                : Sample.column("f(x)", ColumnType.NEWDECIMAL, 63, length, 0, scale);
    }

    private static void assertDecided(boolean split, Reason reason, String sql, String input, Column type) {
        for (String server : List.of("", "mariadb: ")) {
            List<String> plan = GoldenPlanTest.plan(server + sql, Map.of(input, type));
            assertThat(plan.get(plan.size() - 1)).startsWith(split ? "answer: " : "refused: " + reason);
        }
    }

    @Test
    void onlyExactSumsAreMerged() {
        assertRefusedOnBoth(
                Reason.APPROXIMATE,
                "SELECT SUM(dbl) FROM t",
                "SELECT SUM(flt) FROM t",
                "SELECT AVG(str) FROM t",
                "SELECT SUM(DISTINCT dbl) FROM t",
                "SELECT /*+ APPROXIMATE */ SUM(DISTINCT dbl) FROM t",
                "SELECT a, SUM(dbl) OVER (ORDER BY a) FROM t WHERE b > 1");
        assertSplitOnBoth("SELECT SUM(num), AVG(a), MAX(dbl) FROM t", "SELECT /*+ APPROXIMATE */ SUM(dbl) FROM t");
    }

    @ParameterizedTest
    @CsvSource({"53,2,true", "54,2,false", "65,30,false", "9,0,true"})
    void sumsOfGroupsNeedRoom(int precision, int scale, boolean split) {
        for (boolean ofTable : List.of(true, false)) {
            Column number = decimal(ofTable, precision, scale);
            assertDecided(split, Reason.ARGUMENT_TYPE, "SELECT a, SUM(num) FROM t GROUP BY a", "num", number);
            assertDecided(true, Reason.ARGUMENT_TYPE, "SELECT SUM(num) FROM t", "num", number);
        }
        assertSplitOnBoth("SELECT b, SUM(a) FROM t GROUP BY b");
    }

    @ParameterizedTest
    @CsvSource({"53,2,true", "54,2,false"})
    void sumsOfMaterializedGroupsNeedRoom(int precision, int scale, boolean split) {
        String sql = "SELECT GROUP_CONCAT(b ORDER BY b), SUM(num) FROM t WHERE c > 5";
        Column number = decimal(true, precision, scale);
        assertDecided(split, Reason.ARGUMENT_TYPE, sql + " GROUP BY a", "num", number);
        assertDecided(true, Reason.ARGUMENT_TYPE, sql, "num", number);
    }

    @ParameterizedTest
    @CsvSource({
        "true,61,2,true,true",
        "true,62,2,true,false",
        "true,62,2,false,true",
        "true,40,26,true,true",
        "true,40,27,true,false",
        "true,40,27,false,true",
        "false,20,5,true,true",
        "false,20,6,true,false",
        "false,20,6,false,false"
    })
    void anAverageNeedsRoomForTheDigitsItAdds(
            boolean ofTable, int precision, int scale, boolean grouped, boolean split) {
        String sql = "SELECT AVG(DISTINCT num) FROM t" + (grouped ? " GROUP BY a" : "");
        assertDecided(split, Reason.ARGUMENT_TYPE, sql, "num", decimal(ofTable, precision, scale));
    }

    @Test
    void averagesOfOtherNumbersHaveRoom() {
        assertSplitOnBoth("SELECT a, AVG(b + 1) FROM t GROUP BY a", "SELECT AVG(fine) FROM t");
        assertDecided(
                true,
                Reason.ARGUMENT_TYPE,
                "SELECT /*+ APPROXIMATE */ a, AVG(dbl) FROM t GROUP BY a",
                "dbl",
                TypeSample.computed(ColumnType.DOUBLE));
    }

    /** The session sets the number of added digits. */
    @ParameterizedTest
    @CsvSource({
        "false,2,7,false",
        "false,3,7,true",
        "false,0,9,false",
        "false,0,10,true",
        "false,9,0,false",
        "false,10,0,true",
        "true,10,10,false"
    })
    void computedValuesOfManyDigitsMayBeShort(boolean ofTable, int scale, int added, boolean mayBeShort) {
        SplitPlanner planner = new SplitPlanner(ServerFlavor.MYSQL, new Rules());
        LogicalPlan logical = Sample.analyze(
                        planner, "SELECT AVG(num) FROM t", "db", Sample.catalog(Sample.table("db", "t", 1000)))
                .blocks()
                .get(0);
        LogicalAggregation shape = (LogicalAggregation) logical.shape();
        TypedBlock block = new TypedBlock(
                logical,
                shape,
                new FinalQueryUse(shape, false, false),
                TypeSample.on(ServerFlavor.MYSQL, new SessionTraits(true, false, added), decimal(ofTable, 20, scale)),
                ServerFlavor.MYSQL);
        assertThat(block.mayBeShort(0)).isEqualTo(mayBeShort);
    }

    /** Servers name no schema for a derived table's computed column. */
    @Test
    void aComputedColumnOfADerivedTableIsComputed() {
        Column computed = new Column("", "x", "x", "c", "c", 63, 22, ColumnType.NEWDECIMAL, 0, 6);
        assertDecided(false, Reason.ARGUMENT_TYPE, "SELECT AVG(num) FROM t", "num", computed);
        Column stored = new Column("db", "x", "x", "c", "c", 63, 22, ColumnType.NEWDECIMAL, 0, 6);
        assertDecided(true, Reason.ARGUMENT_TYPE, "SELECT AVG(num) FROM t", "num", stored);
    }

    @ParameterizedTest
    @CsvSource({"true,64,true,true", "true,65,false,true", "false,64,true,true", "false,65,false,false"})
    void aDecimalWithAllDigitsIsNotComputedWithNorGroupedByWhenComputed(
            boolean ofTable, int precision, boolean computedWith, boolean groupedBy) {
        Column number = decimal(ofTable, precision, 10);
        assertDecided(computedWith, Reason.KEY_TYPE, "SELECT num + 1 FROM t GROUP BY num", "num", number);
        assertDecided(groupedBy, Reason.KEY_TYPE, "SELECT num, COUNT(*) FROM t GROUP BY num", "num", number);
        assertDecided(groupedBy, Reason.KEY_TYPE, "SELECT COUNT(DISTINCT num) FROM t", "num", number);
    }

    @Test
    void onlyIntegersOfTablesAreAveragedInTemporaryTablesOfMySql() {
        String beside = ", COUNT(DISTINCT c) FROM t GROUP BY a";
        assertRefusedOnMySqlOnly(Reason.ARGUMENT_TYPE, "SELECT a, AVG(b + 1)" + beside + " ORDER BY a");
        assertSplitOnBoth(
                "SELECT a, AVG(b)" + beside + " ORDER BY a",
                "SELECT a, AVG(num + 1)" + beside + " ORDER BY a",
                "SELECT a, AVG(b + 1)" + beside);
    }

    @Test
    void mariaDbLosesNullsOfComputedDecimalsThatItSortsDownwards() {
        String distinct = "SELECT num + 1, COUNT(DISTINCT b) FROM t GROUP BY num + 1 ORDER BY 1";
        assertRefusedOnMariaDbOnly(Reason.KEY_TYPE, distinct + " DESC");
        assertSplitOnBoth(
                distinct,
                "SELECT num, COUNT(DISTINCT b) FROM t GROUP BY num ORDER BY 1 DESC",
                "SELECT num + 1, COUNT(b) FROM t GROUP BY num + 1 ORDER BY 1 DESC");
        assertRefused(
                Reason.KEY_TYPE,
                "mariadb: SELECT num + 1, AVG(b) * 2 FROM t WHERE c > 5 GROUP BY num + 1 ORDER BY 1 DESC");
    }

    @ParameterizedTest
    @CsvSource({"34,0,2,32", "33,32,2,32", "11,0,0,10", "10,32,0,10"})
    void theDisplayLengthCountsSignAndPoint(long length, int flags, int decimals, long precision) {
        Column column = TypeSample.ofTable(ColumnType.NEWDECIMAL, length, flags, decimals);
        assertThat(column.precision()).isEqualTo(precision);
    }
}

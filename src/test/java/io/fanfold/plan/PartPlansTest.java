package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.TextRange;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PartPlansTest {
    private static final TableRef LINES =
            new TableRef(new TextRange(0, 1), "db", "lines", null, false, Optional.empty(), TablePlace.FROM);

    /** Each row of a small table looks up some lines. */
    private static final List<ExplainedTable> LOOKUPS = List.of(row(1, "part", "ALL", 200), row(1, "lines", "ref", 13));

    /** The lines of a range are read, and each looks up the small table. */
    private static final List<ExplainedTable> SCAN =
            List.of(row(1, "lines", "range", 750), row(1, "part", "eq_ref", 1));

    private static ExplainedTable row(int select, String table, String access, long rows) {
        return new ExplainedTable(select, table, List.of(), access, rows, "");
    }

    /** TPC-H 19 on MariaDB: the largest range is looked up as by the statement, the others are scanned. */
    @Test
    void oneQueryThatJoinsInAnotherOrderIsEnoughForDoubt() {
        List<List<ExplainedTable>> flipped = List.of(LOOKUPS, SCAN, SCAN, SCAN, SCAN, SCAN, SCAN, SCAN);
        assertThat(new PartPlans(LOOKUPS, flipped, 8)
                        .otherPlan(LINES, 2)
                        .map(doubt -> doubt.refusal().reason()))
                .contains(Reason.WORSE_PLAN);
        assertThat(new PartPlans(LOOKUPS, Collections.nCopies(8, LOOKUPS), 8).otherPlan(LINES, 2))
                .isEmpty();
    }

    @Test
    void anotherOrderThatReadsFewRowsIsNoDoubt() {
        List<ExplainedTable> whole = List.of(row(1, "part", "ALL", 200), row(1, "lines", "ref", 30));
        assertThat(new PartPlans(whole, Collections.nCopies(8, SCAN), 8).otherPlan(LINES, 2))
                .isEmpty();
        assertThat(new PartPlans(whole, List.of(SCAN), 17).otherPlan(LINES, 2))
                .as("the plan of one query stands for all")
                .isPresent();
    }

    /** TPC-H 4 on MariaDB: the statement looks rows up, some ranges read the subquery first and keep its rows. */
    @Test
    void aSubqueryThatIsReadInAnotherWayIsDoubt() {
        List<ExplainedTable> whole = List.of(row(1, "lines", "ALL", 1_480), row(1, "details", "ref", 2));
        List<ExplainedTable> kept = List.of(
                row(1, "lines", "range", 187), row(1, "<subquery2>", "eq_ref", 1), row(2, "details", "range", 750));
        assertThat(new PartPlans(whole, Collections.nCopies(8, kept), 8).otherPlan(LINES, 2))
                .isPresent();
    }

    /** TPC-H 18 on MariaDB: the subquery leaves fewer rows to look up. */
    @Test
    void theOrderOfOtherTablesIsNoDoubt() {
        List<ExplainedTable> whole =
                List.of(row(1, "a", "ALL", 100), row(1, "lines", "ref", 13), row(1, "b", "eq_ref", 1));
        List<ExplainedTable> earlier =
                List.of(row(1, "b", "ALL", 200), row(1, "a", "ref", 100), row(1, "lines", "ref", 13));
        assertThat(new PartPlans(whole, Collections.nCopies(8, earlier), 8).otherPlan(LINES, 2))
                .isEmpty();
        assertThat(new PartPlans(earlier, Collections.nCopies(8, whole), 800).otherPlan(LINES, 2))
                .as("the split table is read before b")
                .isPresent();
    }

    /** TPC-H 18 on MySQL: each partition query groups all lines. */
    @Test
    void subqueriesThatTakeLongerThanTheStatementAreAnObjection() {
        List<ExplainedTable> whole = List.of(row(1, "lines", "ALL", 6_000), row(2, "other", "index", 5_900));
        List<ExplainedTable> part = List.of(row(1, "lines", "range", 745), row(2, "other", "index", 5_900));
        PartPlans plans = new PartPlans(whole, Collections.nCopies(8, part), 8);
        assertThat(plans.repeated(LINES, 2).map(Refusal::reason)).contains(Reason.WORSE_PLAN);
        assertThat(plans.repeated(LINES, 3)).as("15,733 rows for each worker").isPresent();
        assertThat(plans.repeated(LINES, 4)).as("11,800 rows for each worker").isEmpty();
    }

    @Test
    void smallSubqueriesAndThoseThatReadOnlyARangeAreNone() {
        List<ExplainedTable> whole = List.of(row(1, "lines", "ALL", 6_000), row(2, "other", "index", 5_900));
        List<ExplainedTable> part = List.of(row(1, "lines", "range", 745), row(2, "other", "range", 740));
        assertThat(new PartPlans(whole, Collections.nCopies(8, part), 8).repeated(LINES, 2))
                .isEmpty();
        List<ExplainedTable> alone = List.of(row(1, "lines", "range", 745));
        assertThat(new PartPlans(List.of(row(1, "lines", "ALL", 6_000)), Collections.nCopies(8, alone), 8)
                        .repeated(LINES, 1))
                .isEmpty();
    }
}

package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.rule.Rules;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules over EXPLAIN. */
class ExplainRulesTest {
    private static final String JOINED = "SELECT t.day FROM t JOIN d ON t.c = d.k";
    private static final Column DAY = Sample.column("day", ColumnType.DATE, 63, 10, 0, 0);

    private static LogicalPlan block(String sql) {
        SplitPlanner planner = new SplitPlanner(ServerFlavor.MYSQL, new Rules());
        return Sample.analyze(planner, sql, "db", Sample.catalog(Sample.table("db", "t", 1000)))
                .blocks()
                .get(0);
    }

    private static boolean refuses(String sql, Column column, String extra, ServerFlavor flavor) {
        ExplainedTable table = new ExplainedTable(1, "t", List.of("p0"), "ALL", 100, extra);
        return Rules.ofExplain(block(sql), List.of(column), List.of(table), flavor)
                .map(Refusal::reason)
                .filter(reason -> reason == Reason.PLAN_TYPES)
                .isPresent();
    }

    @Test
    void mySqlChangesDatesOfJoinsThatItSortsInATemporaryTable() {
        String temporary = "Using where; Using temporary; Using filesort";
        String sorted = JOINED + " ORDER BY d.w";
        assertThat(refuses(sorted, DAY, temporary, ServerFlavor.MYSQL)).isTrue();
        assertThat(refuses(sorted, DAY, temporary, ServerFlavor.MARIADB)).isFalse();
        assertThat(refuses(sorted, DAY, "Using filesort", ServerFlavor.MYSQL)).isFalse();
        assertThat(refuses(sorted, Sample.integer("a"), temporary, ServerFlavor.MYSQL))
                .isFalse();
        assertThat(refuses(JOINED, DAY, temporary, ServerFlavor.MYSQL)).isFalse();
        assertThat(refuses("SELECT day FROM t ORDER BY a", DAY, temporary, ServerFlavor.MYSQL))
                .isFalse();
        assertThat(refuses("SELECT day FROM t GROUP BY day ORDER BY day", DAY, temporary, ServerFlavor.MYSQL))
                .isFalse();
    }

    @Test
    void plainRowsAreSortedByTheirKeys() {
        List<Column> inputs = List.of(DAY, Sample.integer("w"));
        assertThat(block(JOINED + " ORDER BY t.day, d.w").sortKeys(inputs)).isEqualTo(inputs);
        assertThat(block("SELECT day FROM t GROUP BY day ORDER BY day").sortKeys(inputs))
                .isEmpty();
    }
}

package io.fanfold.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.LogicalPlan.PlainRows;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.StatementModel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AnswerChoicesTest {
    private static final int UTF8 = 255;

    private static AnswerChoices choices(String sql, Column... answer) throws RefusedException {
        StatementModel statement = RankedStatementTest.statement(sql);
        SelectModel model = statement.select().orElseThrow();
        LogicalPlan plan = new LogicalPlan(
                model,
                model.tables().get(0),
                List.of(),
                new PlainRows(List.of(), Optional.empty()),
                Set.of(),
                List.of(),
                false,
                Optional.empty(),
                Map.of());
        return AnswerChoices.of(new LogicalStatement(statement, List.of(plan)), Arrays.asList(answer));
    }

    private static Column column(ColumnType type, int collation) {
        return new Column("", "", "", "c", "", collation, 10, type, 0, 0);
    }

    @Test
    void plainRowsLeaveOnlyTheirOrderOpen() throws RefusedException {
        AnswerChoices choices = choices(
                "SELECT a, LENGTH(s) FROM t WHERE a > 1 ORDER BY a LIMIT 3",
                column(ColumnType.VAR_STRING, UTF8),
                column(ColumnType.DOUBLE, Column.BINARY_COLLATION));
        assertThat(choices.columns()).containsExactly(ColumnRule.EXACT, ColumnRule.EXACT);
        assertThat(choices.ordered()).isTrue();
        assertThat(choices.limited()).isTrue();
        assertThat(choices.tied()).isFalse();
        assertThat(choices.whole()).isPresent();
    }

    @Test
    void groupsChooseAmongEqualStringsAndZeros() throws RefusedException {
        AnswerChoices choices = choices(
                "SELECT a, s, b, x, y, LENGTH(s) FROM t GROUP BY a, s, b, x, y",
                column(ColumnType.LONG, Column.BINARY_COLLATION),
                column(ColumnType.VAR_STRING, UTF8),
                column(ColumnType.VAR_STRING, Column.BINARY_COLLATION),
                column(ColumnType.DOUBLE, Column.BINARY_COLLATION),
                column(ColumnType.YEAR, Column.BINARY_COLLATION),
                column(ColumnType.LONG, Column.BINARY_COLLATION));
        assertThat(choices.columns())
                .containsExactly(
                        ColumnRule.EXACT,
                        ColumnRule.CHOSEN,
                        ColumnRule.EXACT,
                        ColumnRule.ZERO,
                        ColumnRule.ZERO,
                        ColumnRule.CHOSEN);
        assertThat(choices.ordered()).isFalse();
        assertThat(choices.limited()).isFalse();
    }

    @Test
    void windowsOverEqualRowsHaveSeveralAnswers() throws RefusedException {
        Column number = column(ColumnType.LONGLONG, Column.BINARY_COLLATION);
        assertThat(choices("SELECT a, RANK() OVER (ORDER BY COUNT(*)) FROM t GROUP BY a", number, number)
                        .tied())
                .isFalse();
        AnswerChoices tied =
                choices("SELECT a, ROW_NUMBER() OVER (ORDER BY COUNT(*)) FROM t GROUP BY a", number, number);
        assertThat(tied.tied()).isTrue();
        assertThat(tied.columns()).containsExactly(ColumnRule.EXACT, ColumnRule.CHOSEN);
    }
}

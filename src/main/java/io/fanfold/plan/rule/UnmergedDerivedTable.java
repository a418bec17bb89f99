package io.fanfold.plan.rule;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.TablePlace;
import java.util.List;
import java.util.Optional;

/**
 * Refuses on MySQL answers out of a temporary table if some of the derived tables were merged into the statement and
 * others were not, or beside other tables: which types MySQL 9.7 then sends was not measured.
 *
 * <pre>
 * SELECT x.c FROM (SELECT a DIV 2 AS c FROM t) x JOIN d ON x.c = d.k GROUP BY x.c       refused
 * SELECT x.c FROM (SELECT a DIV 2 AS c FROM t) x GROUP BY x.c                           split
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class UnmergedDerivedTable implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.outOfFields()
                .filter(model -> answer.flavor().isMySql() && model.mergesDerived())
                .filter(model -> !merged(model, answer.explained()))
                .map(model -> new Refusal(Reason.PLAN_TYPES, "derived tables beside others, or not merged"));
    }

    /** Whether every column is one of derived tables that were merged into the statement. */
    private static boolean merged(SelectModel model, List<ExplainedTable> explained) {
        return model.tables().stream().noneMatch(table -> table.place() == TablePlace.FROM)
                && explained.stream().allMatch(table -> table.select() == 1);
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.ColumnType;
import java.util.Optional;

/**
 * Refuses on MySQL a YEAR out of a derived table that is not merged into the statement, if the answer comes from a
 * temporary table: which type MySQL 9.7 then sends was not measured.
 *
 * <pre>
 * SELECT x.y FROM (SELECT MIN(y) AS y FROM t GROUP BY a) x GROUP BY x.y       refused
 * SELECT x.y FROM (SELECT MIN(y) AS y FROM t GROUP BY a) x                    split
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class DerivedYear implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.outOfFields()
                .filter(model -> answer.flavor().isMySql()
                        && !model.derived().isEmpty()
                        && !model.mergesDerived()
                        && answer.columns().stream().anyMatch(column -> column.type() == ColumnType.YEAR))
                .map(model -> new Refusal(Reason.PLAN_TYPES, "a YEAR out of a derived table"));
    }
}

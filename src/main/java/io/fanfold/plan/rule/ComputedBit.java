package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.ColumnType;
import java.util.Optional;

/**
 * Refuses on MySQL a computed BIT, such as a choice between columns of several lengths. A temporary table of MySQL 9.7
 * cuts its bits.
 *
 * <pre>
 * SELECT IF(a, bt, c) FROM t ORDER BY a
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class ComputedBit implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.columns().stream()
                .filter(column -> answer.flavor().isMySql()
                        && answer.select().isPresent()
                        && column.type() == ColumnType.BIT
                        && column.computed())
                .findFirst()
                .map(column -> new Refusal(Reason.PLAN_TYPES, "the computed BIT " + column.name()));
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.Optional;

/**
 * Refuses on MySQL an unsigned text out of a set operation. If texts and unsigned numbers meet, PREPARE of MySQL 9.7
 * calls the text unsigned, but the execution may not.
 *
 * <pre>
 * SELECT str FROM t GROUP BY str UNION ALL SELECT CAST(1 AS UNSIGNED)
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class UnsignedText implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.select().isEmpty()
                        && answer.flavor().isMySql()
                        && answer.columns().stream()
                                .anyMatch(column -> column.type().isString() && column.unsigned())
                ? Optional.of(new Refusal(Reason.PLAN_TYPES, "an unsigned text out of a set operation"))
                : Optional.empty();
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.ColumnType;
import java.util.Optional;

/**
 * Refuses on MariaDB a BIT in a statement around split blocks, where it becomes a number.
 *
 * <pre>
 * SELECT bt FROM d WHERE k > (SELECT COUNT(*) FROM t)
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class EmbeddedBit implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.flavor().isMariaDb()
                        && answer.select().isPresent()
                        && answer.embedded()
                        && answer.columns().stream().anyMatch(column -> column.type() == ColumnType.BIT)
                ? Optional.of(new Refusal(Reason.PLAN_TYPES, "a BIT in a statement around the split block"))
                : Optional.empty();
    }
}

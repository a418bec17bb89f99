package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.ColumnType;
import java.util.Optional;

/**
 * Refuses a BINARY out of a set operation. The server pads it to the longest value of any branch, and folded numbers
 * may be longer than the server's.
 *
 * <pre>
 * SELECT bin FROM t GROUP BY bin UNION ALL SELECT 'x'
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class PaddedBinary implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.select().isEmpty()
                        && answer.columns().stream()
                                .anyMatch(column -> column.type() == ColumnType.STRING && column.binaryString())
                ? Optional.of(new Refusal(Reason.PLAN_TYPES, "a BINARY out of a set operation"))
                : Optional.empty();
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.Optional;

/**
 * Refuses computed floating-point numbers beside sums outside of the split blocks. The server may compute these sums
 * under another plan, and their last digits depend on the row order.
 *
 * <pre>
 * SELECT AVG(dbl) FROM d WHERE k > (SELECT COUNT(*) FROM t)
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class ApproximateBesideSum implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.columns().stream()
                .filter(column -> answer.sumsOutside() && column.type().isFloatingPoint() && column.computed())
                .findFirst()
                .map(column ->
                        new Refusal(Reason.APPROXIMATE, column.name() + " beside a sum outside of the split block"));
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.LogicalAggregate;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * Refuses DISTINCT over floating-point numbers of groups: zero has two signs, and the plan decides which one is shown.
 *
 * <pre>
 * SELECT DISTINCT MAX(dbl) FROM t GROUP BY a
 * </pre>
 *
 * <p>Test: {@code FinalQueryRulesTest}.
 */
final class DistinctFloat implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        boolean floating = block.shape().keys().stream().anyMatch(block::approximate)
                || block.shape().aggregates().stream().anyMatch(aggregate -> chosen(block, aggregate));
        return block.shape().distinctRows() && floating
                ? Optional.of(new Refusal(
                        Reason.ARGUMENT_TYPE, "DISTINCT over a floating-point number, of which zero has two signs"))
                : Optional.empty();
    }

    private static boolean chosen(TypedBlock block, LogicalAggregate aggregate) {
        return aggregate instanceof LogicalAggregate.LogicalMinMax minMax && block.approximate(minMax.input())
                || aggregate instanceof LogicalAggregate.LogicalAnyValue any && block.approximate(any.input());
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregate;
import io.fanfold.plan.LogicalAggregation;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * Refuses WITH ROLLUP with aggregates that cannot be computed from their values for groups.
 *
 * <pre>
 * SELECT a, ANY_VALUE(b) FROM t GROUP BY a WITH ROLLUP       refused
 * SELECT a, AVG(b) FROM t GROUP BY a WITH ROLLUP             split
 * </pre>
 *
 * <p>Test: {@code RollupRulesTest}.
 */
final class RollupMerge implements GroupRule {
    @Override
    public Optional<Refusal> check(SelectModel model, LogicalAggregation shape, ServerFlavor flavor) {
        return shape.rollup() && shape.aggregates().stream().anyMatch(RollupMerge::once)
                ? Optional.of(new Refusal(Reason.ROLLUP, "ANY_VALUE or a variance over several groups"))
                : Optional.empty();
    }

    private static boolean once(LogicalAggregate aggregate) {
        return aggregate instanceof LogicalAggregate.LogicalVariance
                || aggregate instanceof LogicalAggregate.LogicalAnyValue;
    }
}

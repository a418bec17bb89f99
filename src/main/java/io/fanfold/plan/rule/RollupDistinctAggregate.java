package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregation;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * Refuses WITH ROLLUP with a DISTINCT aggregate. A super-aggregate row needs its values once more, of which the merged
 * rows only have the number or the sum.
 *
 * <pre>
 * SELECT a, COUNT(DISTINCT b) FROM t GROUP BY a WITH ROLLUP
 * </pre>
 *
 * <p>Test: {@code RollupRulesTest}.
 */
final class RollupDistinctAggregate implements GroupRule {
    @Override
    public Optional<Refusal> check(SelectModel model, LogicalAggregation shape, ServerFlavor flavor) {
        return shape.rollup() && !shape.distinctArguments().isEmpty()
                ? Optional.of(new Refusal(Reason.ROLLUP, "a DISTINCT aggregate over several groups"))
                : Optional.empty();
    }
}

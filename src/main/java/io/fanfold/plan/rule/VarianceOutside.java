package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalStatement;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.AggregateFunction;
import java.util.Optional;

/**
 * Refuses variances outside of the merged blocks. They depend on the order in which the server reads rows, and its
 * plan may be a different one there.
 *
 * <pre>
 * SELECT VAR_SAMP(w) FROM d WHERE k > (SELECT COUNT(*) FROM t)       refused
 * SELECT MAX(w) FROM d WHERE k > (SELECT COUNT(*) FROM t)            split
 * </pre>
 *
 * <p>Test: {@code RestRulesTest}.
 */
final class VarianceOutside implements RestRule {
    @Override
    public Optional<Refusal> check(LogicalStatement statement) {
        return !statement.approximate()
                        && statement.wordsAround().contains(known -> known.isAggregate(AggregateFunction::variance))
                ? Optional.of(new Refusal(Reason.APPROXIMATE, "a variance outside of the split block"))
                : Optional.empty();
    }
}

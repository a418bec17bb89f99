package io.fanfold.plan.rule;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * Refuses HAVING in a block without groups, which is a condition on rows then.
 *
 * <pre>
 * SELECT a FROM t HAVING a > 1
 * </pre>
 *
 * <p>Test: {@code split-passes.sql}.
 */
final class HavingWithoutGroups implements TextRule {
    @Override
    public Optional<Refusal> check(SelectModel model, ServerFlavor flavor) {
        boolean folded = model.aggregated() || !model.groupBy().isEmpty() || model.distinct();
        return !folded && model.having().isPresent()
                ? Optional.of(new Refusal(Reason.UNSUPPORTED_SYNTAX, "HAVING without GROUP BY"))
                : Optional.empty();
    }
}

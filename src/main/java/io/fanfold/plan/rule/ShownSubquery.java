package io.fanfold.plan.rule;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * Refuses subqueries in the select list and ORDER BY, except beside groups. The final query computes them there, and only
 * there it has all that they may read.
 *
 * <pre>
 * SELECT a, (SELECT MAX(k) FROM d) FROM t ORDER BY a
 * </pre>
 *
 * <p>Test: {@code golden.txt}.
 */
final class ShownSubquery implements TextRule {
    @Override
    public Optional<Refusal> check(SelectModel model, ServerFlavor flavor) {
        boolean groups = model.aggregated() || !model.groupBy().isEmpty();
        return !model.shown().isEmpty() && (!groups || model.rollup() || model.windowed())
                ? Optional.of(new Refusal(Reason.SUBQUERY, "shown or sorted by, and not beside groups alone"))
                : Optional.empty();
    }
}

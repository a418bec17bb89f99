package io.fanfold.plan.rule;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * Refuses window functions over all rows of a table. The final query would receive the whole table.
 *
 * <pre>
 * SELECT a, RANK() OVER (ORDER BY b) FROM t
 * </pre>
 *
 * <p>Test: {@code golden.txt}.
 */
final class WholeTableWindow implements TextRule {
    @Override
    public Optional<Refusal> check(SelectModel model, ServerFlavor flavor) {
        return model.windowed() && model.groupBy().isEmpty() && !model.mayLeaveRowsOut()
                ? Optional.of(new Refusal(Reason.WINDOW, "over all rows of a table"))
                : Optional.empty();
    }
}

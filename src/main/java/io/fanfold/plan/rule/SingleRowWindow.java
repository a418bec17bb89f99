package io.fanfold.plan.rule;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * Refuses window functions over the one row of aggregates without groups. MariaDB 10.11 returns NULL.
 *
 * <pre>
 * SELECT MAX(MIN(a)) OVER () FROM t
 * </pre>
 *
 * <p>Test: {@code golden.txt}.
 */
final class SingleRowWindow implements TextRule {
    @Override
    public Optional<Refusal> check(SelectModel model, ServerFlavor flavor) {
        return model.windowed() && model.groupBy().isEmpty() && model.aggregated()
                ? Optional.of(new Refusal(Reason.WINDOW, "over one row of aggregates"))
                : Optional.empty();
    }
}

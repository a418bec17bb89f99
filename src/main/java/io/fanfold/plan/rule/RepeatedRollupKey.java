package io.fanfold.plan.rule;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;

/**
 * Refuses WITH ROLLUP over a key that stands twice. MariaDB 10.11 sets only one of the two to NULL in a
 * super-aggregate row; over merged columns there is one key.
 *
 * <pre>
 * SELECT a, COUNT(*) FROM t GROUP BY a, a WITH ROLLUP       refused
 * SELECT a, COUNT(*) FROM t GROUP BY a, b WITH ROLLUP       split
 * </pre>
 *
 * <p>Test: {@code RollupRulesTest}.
 */
final class RepeatedRollupKey implements KeyRule {
    @Override
    public Optional<Refusal> check(SelectModel model, List<Expr> keys, ServerFlavor flavor) {
        return model.rollup() && model.groupBy().size() != keys.size()
                ? Optional.of(new Refusal(Reason.ROLLUP, "a key stands twice"))
                : Optional.empty();
    }
}

package io.fanfold.plan.rule;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;

/**
 * Refuses WITH ROLLUP on MariaDB over a key that is no column. In a super-aggregate row, MariaDB 10.11 does not set an
 * expression to NULL that stands inside a larger one, and shows a comparison as 1.
 *
 * <pre>
 * SELECT YEAR(day) + 1, COUNT(*) FROM t GROUP BY YEAR(day) WITH ROLLUP       refused
 * SELECT a + 1, COUNT(*) FROM t GROUP BY a WITH ROLLUP                       split
 * </pre>
 *
 * <p>Test: {@code RollupRulesTest}.
 */
final class ExpressionRollupKey implements KeyRule {
    @Override
    public Optional<Refusal> check(SelectModel model, List<Expr> keys, ServerFlavor flavor) {
        return model.rollup() && flavor.isMariaDb() && keys.stream().anyMatch(key -> key.kind() != Expr.ExprKind.COLUMN)
                ? Optional.of(new Refusal(Reason.ROLLUP, "a key that is an expression"))
                : Optional.empty();
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregation;
import io.fanfold.plan.Template;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * Refuses WITH ROLLUP on MariaDB with a key in HAVING. MariaDB 10.11 evaluates {@code a IS NULL} as false if {@code a}
 * is NOT NULL, which a merged column never is.
 *
 * <pre>
 * SELECT a, COUNT(*) FROM t GROUP BY a WITH ROLLUP HAVING a IS NULL          refused
 * SELECT a, COUNT(*) FROM t GROUP BY a WITH ROLLUP HAVING COUNT(*) > 1       split
 * </pre>
 *
 * <p>Test: {@code RollupRulesTest}.
 */
final class RollupKeyInHaving implements GroupRule {
    @Override
    public Optional<Refusal> check(SelectModel model, LogicalAggregation shape, ServerFlavor flavor) {
        return shape.rollup()
                        && flavor.isMariaDb()
                        && shape.having().stream()
                                .flatMap(having -> having.pieces().stream())
                                .anyMatch(Template.KeyRef.class::isInstance)
                ? Optional.of(new Refusal(Reason.ROLLUP, "a key in HAVING"))
                : Optional.empty();
    }
}

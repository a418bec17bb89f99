package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregation;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * Refuses WITH ROLLUP on MariaDB with DISTINCT and HAVING. MariaDB 10.11 shows super-aggregate rows that HAVING
 * excludes if the select list has an expression of an aggregate. Over merged rows every COUNT is one, since it is
 * computed from a SUM.
 *
 * <pre>
 * SELECT DISTINCT COUNT(*) FROM t GROUP BY a WITH ROLLUP HAVING SUM(b) > 1       refused
 * SELECT DISTINCT COUNT(*) FROM t GROUP BY a WITH ROLLUP                         split
 * </pre>
 *
 * <p>Test: {@code RollupRulesTest}.
 */
final class RollupDistinctHaving implements GroupRule {
    @Override
    public Optional<Refusal> check(SelectModel model, LogicalAggregation shape, ServerFlavor flavor) {
        return shape.rollup()
                        && flavor.isMariaDb()
                        && model.distinct()
                        && shape.having().isPresent()
                ? Optional.of(new Refusal(Reason.ROLLUP, "HAVING beside DISTINCT"))
                : Optional.empty();
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregation;
import io.fanfold.plan.Template;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Refuses WITH ROLLUP on MariaDB with a key that is shown twice under two names. MariaDB 10.11 sets only one of them
 * to NULL.
 *
 * <pre>
 * SELECT a AS x, a, COUNT(*) FROM t GROUP BY a WITH ROLLUP       refused
 * SELECT a AS x, COUNT(*) FROM t GROUP BY a WITH ROLLUP          split
 * </pre>
 *
 * <p>Test: {@code RollupRulesTest}.
 */
final class RollupKeyShownTwice implements GroupRule {
    @Override
    public Optional<Refusal> check(SelectModel model, LogicalAggregation shape, ServerFlavor flavor) {
        return shape.rollup()
                        && flavor.isMariaDb()
                        && keys(shape).distinct().count() != keys(shape).count()
                ? Optional.of(new Refusal(Reason.ROLLUP, "a key is shown twice"))
                : Optional.empty();
    }

    private static Stream<Template> keys(LogicalAggregation shape) {
        return shape.items().stream()
                .filter(item -> item.bare() && item.pieces().get(0) instanceof Template.KeyRef);
    }
}

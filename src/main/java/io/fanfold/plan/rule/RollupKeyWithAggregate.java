package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregation;
import io.fanfold.plan.Template;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * Refuses WITH ROLLUP on MySQL over joined tables with expressions of a key and an aggregate. MySQL 9.7 keeps the
 * joined rows in a temporary table to group them. There it computes such expressions with the last group's key, so
 * that {@code a + MIN(b)} is wrong in every other group.
 *
 * <pre>
 * SELECT t.a + SUM(t.b) FROM t JOIN d ON t.c = d.k GROUP BY t.a WITH ROLLUP       refused
 * SELECT t.a, SUM(t.b) FROM t JOIN d ON t.c = d.k GROUP BY t.a WITH ROLLUP        split
 * </pre>
 *
 * <p>Test: {@code RollupRulesTest}.
 */
final class RollupKeyWithAggregate implements GroupRule {
    @Override
    public Optional<Refusal> check(SelectModel model, LogicalAggregation shape, ServerFlavor flavor) {
        return shape.rollup()
                        && flavor.isMySql()
                        && model.tables().size() > 1
                        && shape.templates().stream().anyMatch(RollupKeyWithAggregate::mixed)
                ? Optional.of(new Refusal(Reason.ROLLUP, "an expression of a key and an aggregate over joined tables"))
                : Optional.empty();
    }

    private static boolean mixed(Template template) {
        return !template.ofKeys() && template.pieces().stream().anyMatch(Template.KeyRef.class::isInstance);
    }
}

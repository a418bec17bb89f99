package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.Template;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * Refuses AVG in a block inside a statement: the statement around it would see more digits of AVG than its quotient has.
 *
 * <pre>
 * SELECT MAX(x.m) FROM (SELECT a, AVG(num) AS m FROM t GROUP BY a) x
 * </pre>
 *
 * <p>Test: {@code split-passes.sql}.
 */
final class EmbeddedAverage implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        boolean average = block.shape().items().stream()
                .flatMap(item -> item.pieces().stream())
                .anyMatch(Template.QuotientRef.class::isInstance);
        return block.placement().isPresent() && average
                ? Optional.of(new Refusal(Reason.AVG_IN_EXPRESSION, "in a derived table"))
                : Optional.empty();
    }
}

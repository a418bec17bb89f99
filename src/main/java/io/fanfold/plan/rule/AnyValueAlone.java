package io.fanfold.plan.rule;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Refuses ANY_VALUE without groups. It is no aggregate then: the server shows all rows.
 *
 * <pre>
 * SELECT ANY_VALUE(a) FROM t
 * </pre>
 *
 * <p>Test: {@code golden.txt}.
 */
final class AnyValueAlone implements TextRule {
    @Override
    public Optional<Refusal> check(SelectModel model, ServerFlavor flavor) {
        return model.groupBy().isEmpty() && model.aggregated() && onlyAnyValue(model)
                ? Optional.of(new Refusal(Reason.AGGREGATE, "ANY_VALUE without groups, which is no aggregate"))
                : Optional.empty();
    }

    private static boolean onlyAnyValue(SelectModel model) {
        return Stream.of(
                        model.items().stream().map(SelectModel.SelectItem::expr),
                        model.having().stream(),
                        model.orderBy().stream().map(SelectModel.OrderItem::expr))
                .flatMap(exprs -> exprs)
                .flatMap(expr -> expr.aggregates().stream())
                .allMatch(call -> call.function() == AggregateFunction.ANY_VALUE);
    }
}

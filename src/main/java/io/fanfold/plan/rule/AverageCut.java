package io.fanfold.plan.rule;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.FunctionFacts;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * Refuses an average that MariaDB may cut: it declares the results of some functions with too few digits. If the plan
 * keeps an average of them in a temporary table, it is cut to these; the average of DAYOFWEEK is then 0.9999. Measured
 * with 46 expressions on MariaDB 10.11.
 *
 * <pre>
 * SELECT AVG(HOUR(moment)) FROM t       refused
 * SELECT SUM(HOUR(moment)) FROM t       split
 * </pre>
 *
 * <p>Test: {@code TypeRulesTest}.
 */
final class AverageCut implements TextRule {
    @Override
    public Optional<Refusal> check(SelectModel model, ServerFlavor flavor) {
        return model.aggregates().stream()
                .filter(call -> call.function() == AggregateFunction.AVG && announcedShort(call, model))
                .findFirst()
                .map(call -> new Refusal(Reason.ARGUMENT_TYPE, "an average of " + call.argumentTokens()));
    }

    private static boolean announcedShort(AggregateCall call, SelectModel model) {
        return call.arguments().stream()
                .anyMatch(argument -> model.words(argument.outer()).contains(FunctionFacts::announcedShort));
    }
}

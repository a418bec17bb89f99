package io.fanfold.sql;

import io.fanfold.sql.SelectModel.AggregateCall;
import io.fanfold.sql.SelectModel.ColumnRef;
import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.sql.SelectModel.Expr;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Tells whether a block has one answer. Every partition query runs the subqueries and relations beside the split table
 * again, and all have to get the same.
 */
final class OpenAnswer {
    private final SelectModel model;

    private OpenAnswer(SelectModel model) {
        this.model = model;
    }

    /** Why the server may answer a block in more than one way; empty when it has one answer. */
    static Optional<String> of(SelectModel model) {
        return new OpenAnswer(model).find();
    }

    private Optional<String> find() {
        for (Derived derived : model.derived()) {
            if (derived.openAnswer().isPresent()) {
                return derived.openAnswer();
            }
        }
        if (model.limit().isPresent()) {
            return Optional.of("a subquery with LIMIT");
        }
        if (model.windowed()) {
            return Optional.of("a subquery with window functions");
        }
        if (!model.aggregated() && model.groupBy().isEmpty()) {
            return Optional.empty();
        }
        // what a subquery shows may be of any row of its group
        return model.shown().isEmpty() ? openGroups() : Optional.of("a subquery that groups and shows another");
    }

    private Optional<String> openGroups() {
        List<Expr> shown = new ArrayList<>();
        model.items().forEach(item -> shown.add(item.expr()));
        model.having().ifPresent(shown::add);
        for (Expr expr : shown) {
            if (expr.kind() == Expr.Kind.STAR) {
                return Optional.of("a subquery that groups and shows *");
            }
            for (AggregateCall call : expr.aggregates()) {
                if (!call.function().exact()) {
                    return Optional.of("a subquery with " + call.span().of(model.sql()));
                }
            }
            if (!grouped(expr)) {
                return Optional.of("a subquery that shows a column it does not group by");
            }
        }
        return Optional.empty();
    }

    /** Whether an expression is a grouping expression, or all its columns are, or stand inside aggregates. */
    private boolean grouped(Expr expr) {
        if (model.groupBy().stream().anyMatch(key -> key.tokens().equals(expr.tokens()))) {
            return true;
        }
        return expr.columns().stream()
                .allMatch(column ->
                        expr.aggregates().stream().anyMatch(call -> call.span().contains(column.span()))
                                || model.groupBy().stream().anyMatch(key -> isColumn(key, column)));
    }

    private static boolean isColumn(Expr key, ColumnRef column) {
        return key.kind() == Expr.Kind.COLUMN
                && key.columns().get(0).name().equalsIgnoreCase(column.name())
                && Objects.equals(key.columns().get(0).qualifier(), column.qualifier());
    }
}

package io.fanfold.sql;

import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.SelectModel.Derived;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Determines whether the answer of a block is unique. Every partition query runs the subqueries and relations next to
 * the split table again, and all must get the same answer.
 */
final class NonDeterminism {
    private final SelectModel model;

    private NonDeterminism(SelectModel model) {
        this.model = model;
    }

    /** Returns why the server may return more than one answer for a block, empty if the answer is unique. */
    static Optional<String> of(SelectModel model) {
        return new NonDeterminism(model).find();
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
        // a subquery in the select list may use any row of its group
        return model.shown().isEmpty() ? openGroups() : Optional.of("a subquery that groups and shows another");
    }

    private Optional<String> openGroups() {
        List<Expr> shown = new ArrayList<>();
        model.items().forEach(item -> shown.add(item.expr()));
        model.having().ifPresent(shown::add);
        for (Expr expr : shown) {
            if (expr.kind() == Expr.ExprKind.STAR) {
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

    /** Whether an expression is a grouping expression, or all its columns are grouping columns or inside aggregates. */
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
        return key.kind() == Expr.ExprKind.COLUMN
                && key.columns().get(0).name().equalsIgnoreCase(column.name())
                && Objects.equals(key.columns().get(0).qualifier(), column.qualifier());
    }
}

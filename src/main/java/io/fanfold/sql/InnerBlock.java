package io.fanfold.sql;

import io.fanfold.sql.SelectModel.AggregateCall;
import io.fanfold.sql.SelectModel.ColumnRef;
import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.sql.SelectModel.Expr;
import io.fanfold.sql.SelectModel.Place;
import io.fanfold.sql.SelectModel.SelectItem;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A subquery that was read by itself. Immutable.
 *
 * @param model its model; the spans index into its own text
 * @param start where that text starts in the text of the block around it
 */
record InnerBlock(SelectModel model, int start) {
    /**
     * Every partition query runs the subquery again, and all have to get the same.
     *
     * @return why the server may answer it in more than one way; empty when it has one answer
     */
    Optional<String> openAnswer() {
        for (Derived derived : model.derived()) {
            if (derived.openAnswer().isPresent()) {
                return derived.openAnswer();
            }
        }
        if (model.limit().isPresent()) {
            return Optional.of("a subquery with LIMIT");
        }
        return model.aggregated() || !model.groupBy().isEmpty() ? openGroups() : Optional.empty();
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

    /** Its tables as tables of the block around it, where it stands in an expression. */
    List<TableRef> tables() {
        return moved(false, Place.SUBQUERY);
    }

    /**
     * Its tables as tables of the block around it, where it stands in the FROM clause. Selecting and joining commute with
     * taking a table's rows apart; grouping, sorting and limiting do not.
     *
     * @param nullable whether it stands on the nullable side of an outer join
     */
    List<TableRef> derivedTables(boolean nullable) {
        boolean plain = !model.distinct()
                && !model.aggregated()
                && model.groupBy().isEmpty()
                && model.having().isEmpty()
                && model.orderBy().isEmpty()
                && model.limit().isEmpty();
        return moved(nullable, plain ? Place.DERIVED : Place.SUBQUERY);
    }

    private List<TableRef> moved(boolean nullable, Place place) {
        List<TableRef> tables = new ArrayList<>();
        for (TableRef table : model.tables()) {
            tables.add(new TableRef(
                    new Span(table.nameSpan().start() + start, table.nameSpan().end() + start),
                    table.schema(),
                    table.name(),
                    table.alias(),
                    nullable || table.nullable(),
                    table.explicitPartitions(),
                    table.place() == Place.SUBQUERY ? Place.SUBQUERY : place));
        }
        return tables;
    }

    /** What the FROM clause around it sees of it. */
    Derived derived(String alias) {
        List<String> names = new ArrayList<>();
        for (SelectItem item : model.items()) {
            Expr expr = item.expr();
            if (expr.kind() == Expr.Kind.STAR) {
                return new Derived(alias, Optional.empty(), model, body(), openAnswer());
            }
            String name = expr.kind() == Expr.Kind.COLUMN
                    ? expr.columns().get(0).name()
                    : item.span().of(model.sql());
            names.add(TokenList.asciiLower(item.alias() == null ? name : item.alias()));
        }
        return new Derived(alias, Optional.of(List.copyOf(names)), model, body(), openAnswer());
    }

    private Span body() {
        return new Span(start, start + model.sql().length());
    }
}

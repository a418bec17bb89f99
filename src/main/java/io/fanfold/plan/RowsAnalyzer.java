package io.fanfold.plan;

import io.fanfold.plan.LogicalPlan.ComparedInputs;
import io.fanfold.plan.LogicalPlan.PlainRows;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.OrderItem;
import io.fanfold.sql.SelectModel.SelectItem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Plans plain rows. With ORDER BY, each partition query returns its rows sorted, with the sort keys as hidden columns
 * after the visible ones, and the sorted runs are merged. With LIMIT, each query returns at most that many rows.
 *
 * <pre>
 * SELECT a, b AS x FROM t ORDER BY x DESC LIMIT 5, 10
 *   partition query   SELECT a, b AS x, b FROM t PARTITION (p) ORDER BY x DESC LIMIT 15
 *   merge             by the third column, rows 6 to 15, two columns of them
 * </pre>
 *
 * <p>Without ORDER BY, the rows of the partition queries are returned one query after the other. LIMIT without ORDER BY
 * is refused, because the server itself stops early.
 */
final class RowsAnalyzer {
    private final SelectModel model;
    private final Inputs inputs = new Inputs();
    private final ItemNames names;

    RowsAnalyzer(SelectModel model) {
        this.model = model;
        this.names = new ItemNames(model);
    }

    LogicalPlan analyze(SelectModel.TableRef split) throws RefusedException {
        if (model.limit().isPresent() && model.orderBy().isEmpty()) {
            throw new RefusedException(Reason.NO_SHAPE, "the first rows in any order");
        }
        if (model.limit().filter(limit -> limit.count() == 0).isPresent()) {
            throw new RefusedException(Reason.ALREADY_FAST, "LIMIT 0");
        }
        List<Integer> sortInputs = new ArrayList<>();
        boolean bareKeys = true;
        for (OrderItem item : model.orderBy()) {
            Expr key = sortedExpression(item.expr());
            bareKeys &= key.kind() == Expr.ExprKind.COLUMN;
            sortInputs.add(inputs.value(key.outer().of(model.sql())));
        }
        Optional<List<ComparedInputs>> compared = bareKeys ? compared() : Optional.empty();
        if (inputs.list().isEmpty()) {
            // the typing query needs a column
            inputs.type("1");
        }
        return new LogicalPlan(
                model, split, inputs.list(), new PlainRows(sortInputs, compared), names.shadowingAliases());
    }

    /** Returns the comparisons of the conditions, empty if the statement evaluates anything else. */
    private Optional<List<ComparedInputs>> compared() {
        boolean bareItems = model.items().stream().allMatch(item -> bare(item.expr()));
        if (!bareItems || model.using()) {
            return Optional.empty();
        }
        return model.comparisons().map(all -> all.stream().map(this::compared).toList());
    }

    private ComparedInputs compared(SelectModel.Comparison comparison) {
        return new ComparedInputs(
                comparison.columns().stream()
                        .map(column -> inputs.type(column.of(model.sql())))
                        .toList(),
                comparison);
    }

    /** Whether an item of the select list is only a column or a literal. */
    static boolean bare(Expr expr) {
        return switch (expr.kind()) {
            case STAR, COLUMN, INTEGER, LITERAL -> true;
            case AGGREGATE, OTHER -> false;
        };
    }

    /** Returns the expression that an element of ORDER BY means. */
    private Expr sortedExpression(Expr expr) throws RefusedException {
        if (expr.kind() == Expr.ExprKind.INTEGER) {
            return names.atPosition(expr.outer().of(model.sql())).expr();
        }
        Optional<Integer> aliased = names.aliased(expr);
        if (aliased.isPresent()) {
            return model.items().get(aliased.get()).expr();
        }
        if (expr.kind() == Expr.ExprKind.COLUMN) {
            return itemNamed(expr);
        }
        if (expr.kind() == Expr.ExprKind.LITERAL || expr.columns().isEmpty()) {
            throw new RefusedException(
                    Reason.UNSUPPORTED_SYNTAX, "sorting by " + expr.outer().of(model.sql()));
        }
        for (ColumnRef column : expr.columns()) {
            if (names.aliased(column).isPresent()) {
                throw new RefusedException(Reason.AMBIGUOUS_NAME, column.name());
            }
        }
        return expr;
    }

    /**
     * Returns the column that a name means: an unqualified name means the column of that name in the select list, if
     * any.
     */
    private Expr itemNamed(Expr expr) throws RefusedException {
        ColumnRef column = expr.columns().get(0);
        if (column.qualifier() != null) {
            return expr;
        }
        List<Expr> sameName = model.items().stream()
                .map(SelectItem::expr)
                .filter(item -> item.kind() == Expr.ExprKind.COLUMN
                        && item.columns().get(0).name().equalsIgnoreCase(column.name()))
                .toList();
        if (sameName.stream().map(Expr::tokens).distinct().count() > 1) {
            throw new RefusedException(Reason.AMBIGUOUS_NAME, column.name());
        }
        return sameName.isEmpty() ? expr : sameName.get(0);
    }
}

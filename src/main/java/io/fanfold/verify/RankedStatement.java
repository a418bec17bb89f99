package io.fanfold.verify;

import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.ExprKind;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.OrderItem;
import io.fanfold.sql.SelectModel.SelectItem;
import io.fanfold.sql.TextRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A sorted statement without its LIMIT, and with one more column: the rank of each row. Rows that are equal in the order
 * have the same rank.
 *
 * <pre>
 * SELECT a, SUM(x) s FROM t GROUP BY a ORDER BY s DESC LIMIT 3
 * SELECT a, SUM(x) s, RANK() OVER (ORDER BY SUM(x) DESC) FROM t GROUP BY a ORDER BY s DESC
 * </pre>
 */
final class RankedStatement {
    private RankedStatement() {}

    /** Returns the text; empty if a window function cannot have the order of the statement. */
    static Optional<String> of(SelectModel model) {
        if (model.orderBy().isEmpty() || model.rollup() || model.windowed()) {
            return Optional.empty();
        }
        List<String> terms = new ArrayList<>();
        for (OrderItem order : model.orderBy()) {
            Optional<String> term = term(model, order.expr());
            if (term.isEmpty()) {
                return Optional.empty();
            }
            terms.add(term.get() + (order.descending() ? " DESC" : ""));
        }
        String sql = model.sql();
        int end = model.selectList().end();
        int last = model.limit().map(limit -> limit.span().start()).orElse(sql.length());
        return Optional.of(model.with() + model.forServer(new TextRange(0, end)) + ", RANK() OVER (ORDER BY "
                + String.join(", ", terms) + ")" + model.forServer(new TextRange(end, last)));
    }

    /** Returns a sort expression without positions and aliases, which windows do not know. */
    private static Optional<String> term(SelectModel model, Expr expr) {
        if (expr.kind() == ExprKind.INTEGER) {
            boolean stars = model.items().stream().anyMatch(item -> item.expr().kind() == ExprKind.STAR);
            int number = Integer.parseInt(expr.span().of(model.sql())) - 1;
            return stars || number >= model.items().size()
                    ? Optional.empty()
                    : Optional.of(text(model, model.items().get(number).expr()));
        }
        if (expr instanceof Expr.ColumnRef column && column.qualifier() == null) {
            for (SelectItem item : model.items()) {
                if (column.name().equalsIgnoreCase(item.alias())) {
                    return Optional.of(text(model, item.expr()));
                }
            }
        }
        return Optional.of(text(model, expr));
    }

    private static String text(SelectModel model, Expr expr) {
        return expr.outer().of(model.sql());
    }
}

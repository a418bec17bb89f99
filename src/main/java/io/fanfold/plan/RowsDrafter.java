package io.fanfold.plan;

import io.fanfold.metrics.Reason;
import io.fanfold.plan.SplitDraft.OrderedRows;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.ColumnRef;
import io.fanfold.sql.SelectModel.Expr;
import io.fanfold.sql.SelectModel.OrderItem;
import io.fanfold.sql.SelectModel.SelectItem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Drafts plain rows with ORDER BY and LIMIT: each partition query delivers its own first rows with the sort keys as
 * hidden columns behind the visible ones, and the sorted runs are merged.
 *
 * <pre>
 * SELECT a, b AS x FROM t ORDER BY x DESC LIMIT 5, 10
 *   partition query   SELECT a, b AS x, b FROM t PARTITION (p) ORDER BY x DESC LIMIT 15
 *   merge             by the third column, rows 6 to 15, two columns of them
 * </pre>
 */
final class RowsDrafter {
    private final SelectModel model;
    private final Inputs inputs = new Inputs();
    private final ItemNames names;

    RowsDrafter(SelectModel model) {
        this.model = model;
        this.names = new ItemNames(model);
    }

    SplitDraft draft(SelectModel.TableRef split) throws Refusal {
        if (model.orderBy().isEmpty() || model.limit().isEmpty()) {
            throw new Refusal(Reason.NO_SHAPE, "plain rows");
        }
        if (model.limit().get().count() == 0) {
            throw new Refusal(Reason.ALREADY_FAST, "LIMIT 0");
        }
        List<Integer> sortInputs = new ArrayList<>();
        for (OrderItem item : model.orderBy()) {
            Expr key = meant(item.expr());
            sortInputs.add(inputs.value(key.span().of(model.sql())));
        }
        return new SplitDraft(
                model, split, inputs.list(), new OrderedRows(sortInputs), names.notColumns(), Optional.empty());
    }

    /** The expression that an element of ORDER BY means. */
    private Expr meant(Expr expr) throws Refusal {
        if (expr.kind() == Expr.Kind.INTEGER) {
            return names.atPosition(expr.span().of(model.sql())).expr();
        }
        Optional<Integer> aliased = names.aliased(expr);
        if (aliased.isPresent()) {
            return model.items().get(aliased.get()).expr();
        }
        if (expr.kind() == Expr.Kind.COLUMN) {
            return itemNamed(expr);
        }
        if (expr.kind() == Expr.Kind.LITERAL || expr.columns().isEmpty()) {
            throw new Refusal(
                    Reason.UNSUPPORTED_SYNTAX, "sorting by " + expr.span().of(model.sql()));
        }
        for (ColumnRef column : expr.columns()) {
            if (names.aliased(column).isPresent()) {
                throw new Refusal(Reason.AMBIGUOUS_NAME, column.name());
            }
        }
        return expr;
    }

    /** An unqualified name means the column of that name in the select list, where there is one. */
    private Expr itemNamed(Expr expr) throws Refusal {
        ColumnRef column = expr.columns().get(0);
        if (column.qualifier() != null) {
            return expr;
        }
        List<Expr> sameName = model.items().stream()
                .map(SelectItem::expr)
                .filter(item -> item.kind() == Expr.Kind.COLUMN
                        && item.columns().get(0).name().equalsIgnoreCase(column.name()))
                .toList();
        if (sameName.stream().map(Expr::tokens).distinct().count() > 1) {
            throw new Refusal(Reason.AMBIGUOUS_NAME, column.name());
        }
        return sameName.isEmpty() ? expr : sameName.get(0);
    }
}

package io.fanfold.plan;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.SelectModel;
import java.util.ArrayList;
import java.util.List;

/** The grouping expressions of a block without duplicates, in order, each with its input. For one thread. */
final class GroupingKeys {
    /** A grouping expression and its input. */
    record GroupingKey(Expr expr, int input) {}

    private final SelectModel model;
    private final Inputs inputs;
    private final List<GroupingKey> keys = new ArrayList<>();

    /**
     * @param inputs receives those of the keys
     */
    GroupingKeys(SelectModel model, Inputs inputs) {
        this.model = model;
        this.inputs = inputs;
    }

    /** Adds an expression if it is no key yet. It must have a column, but no aggregate, window or subquery. */
    void add(Expr expr) throws RefusedException {
        String text = expr.outer().of(model.sql());
        if (!expr.aggregates().isEmpty()
                || !expr.windows().isEmpty()
                || expr.columns().isEmpty()
                || model.shown().stream().anyMatch(expr.outer()::contains)) {
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "grouping by " + text);
        }
        if (of(expr) < 0) {
            keys.add(new GroupingKey(expr, inputs.value(text)));
        }
    }

    /** Returns the keys so far, in order. */
    List<GroupingKey> list() {
        return List.copyOf(keys);
    }

    /** Returns their expressions in order. */
    List<Expr> exprs() {
        return keys.stream().map(GroupingKey::expr).toList();
    }

    /** Returns their inputs in order. */
    List<Integer> inputs() {
        return keys.stream().map(GroupingKey::input).toList();
    }

    /** Returns the key that an expression is, -1 if it is none. */
    int of(Expr expr) throws RefusedException {
        if (expr.kind() == Expr.ExprKind.COLUMN) {
            return of(expr.columns().get(0));
        }
        return exprs().stream().map(Expr::tokens).toList().indexOf(expr.tokens());
    }

    /**
     * Returns the key that a name is, -1 if it is none. If two keys have that name, the server would take the one in
     * the select list; this is refused.
     */
    int of(ColumnRef column) throws RefusedException {
        int found = -1;
        for (int i = 0; i < keys.size(); i++) {
            Expr key = keys.get(i).expr();
            if (key.kind() == Expr.ExprKind.COLUMN && sameColumn(key.columns().get(0), column)) {
                if (found >= 0) {
                    throw new RefusedException(Reason.AMBIGUOUS_NAME, column.name());
                }
                found = i;
            }
        }
        return found;
    }

    /**
     * Whether two names are the same column. A qualified and an unqualified name are, unless both are keys: if another
     * table had the column too, the server would refuse the unqualified name as ambiguous. With USING this does not
     * hold.
     */
    private boolean sameColumn(ColumnRef one, ColumnRef other) {
        if (!one.name().equalsIgnoreCase(other.name())) {
            return false;
        }
        String left = one.qualifier();
        String right = other.qualifier();
        if (left == null || right == null) {
            return (left == null && right == null) || !model.using();
        }
        return left.equals(right);
    }
}

package io.fanfold.sql;

import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.Expr.ExprKind;
import io.fanfold.sql.Expr.Operation;
import io.fanfold.sql.SelectModel.Equality;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Finds equalities of two columns that are operands of AND, so that they hold for every row for which the whole
 * condition is true. Stateless.
 *
 * <pre>
 * t.k = u.k AND (t.a = u.b AND t.c BETWEEN 1 AND 2) AND f(t.d)   t.k = u.k, t.a = u.b
 * t.k = u.k OR t.a = 1                                           none
 * </pre>
 */
final class EqualityReader {
    private EqualityReader() {}

    /**
     * Returns the equalities of a condition, in their order.
     *
     * @param chooses see {@link Equality#chooses}
     */
    static List<Equality> read(Expr condition, Set<TextRange> chooses) {
        List<Equality> found = new ArrayList<>();
        for (Expr part : conjuncts(condition)) {
            if (part instanceof Operation equal
                    && equal.operator() == Operator.EQUAL
                    && equal.operands().get(0) instanceof ColumnRef left
                    && equal.operands().get(1) instanceof ColumnRef right
                    && left.kind() == ExprKind.COLUMN
                    && right.kind() == ExprKind.COLUMN) {
                found.add(new Equality(left, right, chooses));
            }
        }
        return found;
    }

    /** Returns the operands of AND, in their order. Any other condition is one operand. */
    static List<Expr> conjuncts(Expr condition) {
        List<Expr> found = new ArrayList<>();
        conjuncts(condition, found);
        return found;
    }

    private static void conjuncts(Expr expr, List<Expr> found) {
        if (expr instanceof Operation and && and.operator() == Operator.AND) {
            for (Expr operand : and.operands()) {
                conjuncts(operand, found);
            }
        } else {
            found.add(expr);
        }
    }
}

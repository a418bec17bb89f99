package io.fanfold.plan.rule;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;

/**
 * Refuses WITH ROLLUP over a key that is computed of another key. In HAVING, MySQL 9.7 computes it again, of the NULL
 * of a super-aggregate row.
 *
 * <pre>
 * SELECT FLOOR(a / 2), a, COUNT(*) FROM t GROUP BY FLOOR(a / 2), a WITH ROLLUP       refused
 * SELECT FLOOR(a / 2), b, COUNT(*) FROM t GROUP BY FLOOR(a / 2), b WITH ROLLUP       split
 * </pre>
 *
 * <p>Test: {@code RollupRulesTest}.
 */
final class RollupKeyOfKey implements KeyRule {
    @Override
    public Optional<Refusal> check(SelectModel model, List<Expr> keys, ServerFlavor flavor) {
        return model.rollup()
                        && keys.stream()
                                .filter(key -> key.kind() != Expr.ExprKind.COLUMN)
                                .flatMap(key -> key.columns().stream())
                                .anyMatch(column -> isKey(column, keys))
                ? Optional.of(new Refusal(Reason.ROLLUP, "a key that is computed of another key"))
                : Optional.empty();
    }

    private static boolean isKey(Expr.ColumnRef column, List<Expr> keys) {
        return keys.stream()
                .filter(key -> key.kind() == Expr.ExprKind.COLUMN)
                .anyMatch(key -> key.columns().get(0).name().equalsIgnoreCase(column.name()));
    }
}

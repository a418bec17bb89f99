package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.AggregateCall;
import java.util.Optional;

/**
 * Refuses on MariaDB MIN and MAX of a FLOAT beside a DISTINCT aggregate. They have the length of a column if they were
 * kept in a temporary table. A DISTINCT aggregate may make MariaDB build the groups from sorted rows instead.
 *
 * <pre>
 * SELECT MIN(flt) FROM t GROUP BY a HAVING COUNT(DISTINCT b) > 1
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class FloatBesideDistinct implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        if (answer.flavor().isMySql()
                || answer.select().stream()
                        .flatMap(model -> model.aggregates().stream())
                        .noneMatch(AggregateCall::distinct)) {
            return Optional.empty();
        }
        return answer.items()
                .filter(item -> item.column().type() == ColumnType.FLOAT && minMax(item.expr()))
                .findFirst()
                .map(item -> new Refusal(
                        Reason.PLAN_TYPES,
                        "the length of the FLOAT " + item.column().name()));
    }

    private static boolean minMax(Expr expr) {
        if (expr.kind() != Expr.ExprKind.AGGREGATE) {
            return false;
        }
        return expr.aggregates().get(0).function().minOrMax();
    }
}

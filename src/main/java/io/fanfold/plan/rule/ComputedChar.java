package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.Expr;
import java.util.Optional;

/**
 * Refuses on MariaDB a computed CHAR, which a temporary table makes a VARCHAR.
 *
 * <pre>
 * SELECT NULLIF(chr, 'x') FROM t GROUP BY 1
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class ComputedChar implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.items()
                .filter(item -> answer.flavor().isMariaDb()
                        && item.expr().kind() == Expr.ExprKind.OTHER
                        && isChar(item.column()))
                .findFirst()
                .map(item -> new Refusal(
                        Reason.PLAN_TYPES, "the computed CHAR " + item.column().name()));
    }

    private static boolean isChar(Column column) {
        // with extended metadata, a client gets the type's name for a type that other clients see as CHAR
        return column.type() == ColumnType.STRING && !column.enumOrSet()
                || column.type().isNamed();
    }
}

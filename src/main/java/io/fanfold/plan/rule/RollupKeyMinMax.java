package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.plan.PreparedAnswer.AnswerItem;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses on MySQL WITH ROLLUP that shows MIN or MAX of one of its keys, if that is a YEAR or an integer and the answer
 * comes from a temporary table. MySQL 8.0.31 then sends a LONGLONG, MySQL 9.7.4 the type of the column.
 *
 * <pre>
 * SELECT y, MAX(y) FROM t GROUP BY y WITH ROLLUP ORDER BY y       refused
 * SELECT a, MAX(y) FROM t GROUP BY a WITH ROLLUP ORDER BY a       split
 * </pre>
 *
 * <p>Tests: {@code AnswerRulesTest}, {@code OtherVersionsIT}.
 */
final class RollupKeyMinMax implements AnswerRule {
    private static final Set<ColumnType> SHORT =
            Set.of(ColumnType.TINY, ColumnType.SHORT, ColumnType.INT24, ColumnType.LONG, ColumnType.YEAR);

    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.outOfFields()
                .filter(model -> answer.flavor() == ServerFlavor.MYSQL
                        && model.rollup()
                        && answer.items().anyMatch(item -> minMaxOfKey(item, model)))
                .map(model -> new Refusal(Reason.PLAN_TYPES, "MIN or MAX of a key of ROLLUP"));
    }

    private static boolean minMaxOfKey(AnswerItem item, SelectModel model) {
        Expr expr = item.expr();
        return SHORT.contains(item.column().type())
                && expr.kind() == Expr.ExprKind.AGGREGATE
                && expr.aggregates().get(0).function().minOrMax()
                && isKey(expr.aggregates().get(0).arguments(), model);
    }

    private static boolean isKey(List<Expr> arguments, SelectModel model) {
        return arguments.stream()
                .filter(argument -> argument.kind() == Expr.ExprKind.COLUMN)
                .map(argument -> argument.columns().get(0).name())
                .anyMatch(name -> model.groupBy().stream()
                        .filter(key -> key.kind() == Expr.ExprKind.COLUMN)
                        .anyMatch(key -> key.columns().get(0).name().equalsIgnoreCase(name)));
    }
}

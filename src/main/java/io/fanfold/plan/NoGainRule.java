package io.fanfold.plan;

import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.StatementModel;
import io.fanfold.wire.ServerFlavor;

/** Statements that read all of one table and gain little from a split. Stateless. */
public final class NoGainRule {
    private NoGainRule() {}

    /** Whether a statement only counts all rows of one table, which MySQL's InnoDB already does in parallel. */
    public static boolean countsAllRows(StatementModel statement, ServerFlavor flavor) {
        return flavor.isMySql()
                && statement.select().filter(NoGainRule::countsAllRows).isPresent();
    }

    private static boolean countsAllRows(SelectModel model) {
        return readsOneTable(model)
                && model.items().stream()
                        .allMatch(item -> item.expr().kind() == Expr.ExprKind.AGGREGATE
                                && countsRows(item.expr().aggregates().get(0)));
    }

    private static boolean countsRows(AggregateCall call) {
        return call.function() == AggregateFunction.COUNT
                && !call.distinct()
                && call.arguments().isEmpty();
    }

    /**
     * Whether a statement returns all rows of one table unchanged, in any order. Only the client's speed matters then.
     */
    public static boolean showsAllRows(StatementModel statement) {
        return statement.select().filter(NoGainRule::showsAllRows).isPresent();
    }

    private static boolean showsAllRows(SelectModel model) {
        return readsOneTable(model)
                && model.orderBy().isEmpty()
                && model.limit().isEmpty()
                && !model.distinct()
                && model.items().stream().allMatch(item -> RowsAnalyzer.bare(item.expr()));
    }

    /** Whether a block reads all rows of one table and does not group them. */
    private static boolean readsOneTable(SelectModel model) {
        return model.where().isEmpty()
                && model.groupBy().isEmpty()
                && model.tables().size() == 1
                && model.derived().isEmpty();
    }
}

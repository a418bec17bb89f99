package io.fanfold.execute;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.SelectModel;
import java.util.List;

/**
 * The order of groups with window functions on MariaDB. If an index returns the groups in the order of ORDER BY, 10.11
 * does not sort them again, although the window functions have reordered them. Its answer then has the order of the
 * last window, and under LIMIT other rows. No split answer would have that order. The same happens if it sorts the rows
 * to group them because of a DISTINCT aggregate. Without state.
 */
final class WindowOrder {
    private WindowOrder() {}

    /**
     * Refuses a statement that the server answers in that way.
     *
     * @param explained the server's plan for the statement; empty when unknown
     */
    static void refuse(SelectModel model, List<ExplainedTable> explained) throws RefusedException {
        boolean groups = model.windowed() && (!model.groupBy().isEmpty() || model.distinct());
        boolean sorts = explained.stream()
                .anyMatch(table -> table.select() == 1 && table.extra().contains("Using filesort"));
        boolean grouped = model.items().stream()
                .flatMap(item -> item.expr().aggregates().stream())
                .anyMatch(AggregateCall::distinct);
        if (groups && !model.orderBy().isEmpty() && (grouped || !sorts)) {
            throw new RefusedException(Reason.WINDOW, "MariaDB does not sort the groups after window functions");
        }
    }
}

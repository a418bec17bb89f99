package io.fanfold.execute;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.LogicalPlan.PlainRows;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.wire.ServerFlavor;
import java.util.List;

/**
 * Dates in plain rows that MySQL sorts. When it sorts a join it may keep the rows in a temporary table. There the modes
 * against zero dates turn {@code 2004-02-00} into {@code 0000-00-00}, with a warning. The plan decides whether there is
 * such a table, and it may differ between partitions. Without state.
 */
final class SortedDates {
    private SortedDates() {}

    /** Whether rows may pass through a temporary table, and have dates among these columns. */
    static boolean mayChange(LogicalPlan logical, List<Column> columns) {
        return logical.shape() instanceof PlainRows
                && !logical.model().orderBy().isEmpty()
                && logical.model().tables().size() > 1
                && columns.stream().anyMatch(column -> column.type().isDate());
    }

    /**
     * The sort keys of plain rows; empty for any other shape.
     *
     * @param inputs the columns of the block's inputs
     */
    static List<Column> sortKeys(LogicalPlan logical, List<Column> inputs) {
        return logical.shape() instanceof PlainRows rows
                ? rows.sortInputs().stream().map(inputs::get).toList()
                : List.of();
    }

    /**
     * Refuses a statement whose plan has such a table.
     *
     * @param columns the columns that the statement shows, or sorts by
     */
    static void refuse(LogicalPlan logical, List<Column> columns, List<ExplainedTable> explained, ServerFlavor flavor)
            throws RefusedException {
        boolean temporary = explained.stream().anyMatch(table -> table.extra().contains("Using temporary"));
        if (flavor.isMySql() && temporary && mayChange(logical, columns)) {
            throw new RefusedException(Reason.PLAN_TYPES, "dates are sorted in a temporary table");
        }
    }
}

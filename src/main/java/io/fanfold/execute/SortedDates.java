package io.fanfold.execute;

import io.fanfold.metrics.Reason;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.SplitDraft;
import io.fanfold.plan.SplitDraft.PlainRows;
import io.fanfold.row.Column;
import java.util.List;

/**
 * Dates in plain rows that MySQL sorts. Where it sorts a join it may keep the rows in a temporary table, and there the modes
 * against zero dates make {@code 2004-02-00} to {@code 0000-00-00}, with a warning. Whether there is such a table is up to
 * the plan, which need not be the same for a partition. Without state.
 */
final class SortedDates {
    private SortedDates() {}

    /** Whether rows may go through a temporary table, and hold dates among these columns. */
    static boolean mayChange(SplitDraft draft, List<Column> columns) {
        return draft.shape() instanceof PlainRows
                && !draft.model().orderBy().isEmpty()
                && draft.model().tables().size() > 1
                && columns.stream().anyMatch(column -> column.type().isDate());
    }

    /**
     * What plain rows are sorted by; nothing for any other shape.
     *
     * @param inputs the columns that the draft's inputs have
     */
    static List<Column> sortKeys(SplitDraft draft, List<Column> inputs) {
        return draft.shape() instanceof PlainRows rows
                ? rows.sortInputs().stream().map(inputs::get).toList()
                : List.of();
    }

    /**
     * Refuses a statement whose plan has such a table.
     *
     * @param columns what the statement shows, or what it sorts by
     */
    static void refuse(SplitDraft draft, List<Column> columns, List<ExplainedTable> explained, boolean mariaDb)
            throws Abandoned {
        boolean temporary = explained.stream().anyMatch(table -> table.extra().contains("Using temporary"));
        if (!mariaDb && temporary && mayChange(draft, columns)) {
            throw new Abandoned(Reason.PLAN_TYPES, "dates are sorted in a temporary table");
        }
    }
}

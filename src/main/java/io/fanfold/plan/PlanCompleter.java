package io.fanfold.plan;

import io.fanfold.plan.SplitDraft.Aggregation;
import io.fanfold.plan.SplitDraft.PlainRows;
import io.fanfold.reason.RefusedException;

/**
 * Makes the plan of a block from its logical plan and the types. Adds the hidden columns that values are compared by,
 * lays out the partial row, and writes the partition query and the final step. Immutable.
 */
final class PlanCompleter {
    private final SplitDraft draft;
    private final KeyTypes types;
    private final boolean mariaDb;

    PlanCompleter(SplitDraft draft, KeyTypes types, boolean mariaDb) {
        this.draft = draft;
        this.types = types;
        this.mariaDb = mariaDb;
    }

    /** Whether the merged rows of a block may be the answer unchanged. */
    static boolean rowsAsClient(SplitDraft draft) {
        return draft.shape() instanceof Aggregation shape
                ? draft.mayBeWhole() || DirectGroups.possible(draft, shape)
                : draft.frame().isEmpty();
    }

    /**
     * @param visibleColumns the number of columns of the statement's answer
     */
    FanOutPlan complete(int visibleColumns) throws RefusedException {
        RowsCompleter rows = new RowsCompleter(draft, types, visibleColumns);
        if (draft.shape() instanceof Aggregation shape) {
            // reasons to refuse parts of groups also apply to whole groups: the server may show them in two ways
            FanOutPlan inParts = new AggregationCompleter(draft, shape, types, mariaDb).complete();
            return rows.wholeGroups(shape).orElse(inParts);
        }
        if (draft.shape() instanceof PlainRows shape) {
            return rows.plainRows(shape);
        }
        throw new IllegalStateException("unknown shape " + draft.shape());
    }
}

package io.fanfold.plan;

import io.fanfold.plan.SplitDraft.Aggregation;
import io.fanfold.plan.SplitDraft.PlainRows;

/**
 * Completes a draft with types: adds the hidden columns by which values are compared, lays out the partial row, and
 * writes the partition query and the finish. Immutable.
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

    /** Whether merged rows of a draft are the answer as they are. */
    static boolean rowsAsClient(SplitDraft draft) {
        return draft.shape() instanceof Aggregation shape
                ? draft.mayBeWhole() || DirectGroups.possible(draft, shape)
                : draft.frame().isEmpty();
    }

    /** @param visibleColumns how many columns the statement's own answer has */
    FanOutPlan complete(int visibleColumns) throws Refusal {
        RowsCompleter rows = new RowsCompleter(draft, types, visibleColumns);
        if (draft.shape() instanceof Aggregation shape) {
            // what makes parts of groups doubtful makes whole ones so: the server may show them in two ways
            FanOutPlan inParts = new AggregationCompleter(draft, shape, types, mariaDb).complete();
            return rows.wholeGroups(shape).orElse(inParts);
        }
        if (draft.shape() instanceof PlainRows shape) {
            return rows.plainRows(shape);
        }
        throw new IllegalStateException("unknown shape " + draft.shape());
    }
}

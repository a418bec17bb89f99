package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Finish;
import io.fanfold.sql.SelectModel;

/** Writes the partition query of a block: the original text around another select list and another end. Immutable. */
final class PartitionQuery {
    private final SplitDraft draft;
    private final SelectModel model;

    PartitionQuery(SplitDraft draft) {
        this.draft = draft;
        this.model = draft.model();
    }

    /** The block's own WHERE clause after a blank; empty when it has none. */
    String where() {
        return model.where()
                .map(where -> " WHERE " + where.span().of(model.sql()))
                .orElse("");
    }

    /**
     * The plan with it.
     *
     * @param selectList what stands behind SELECT and the statement's own hints
     * @param tail what stands behind the FROM clause, after a blank
     */
    FanOutPlan plan(String selectList, String tail, MergeNode merge, Finish finish) {
        String sql = model.sql();
        int nameEnd = draft.split().nameSpan().end();
        String hints = model.serverHints().isEmpty() ? "" : model.serverHints() + " ";
        String order = model.straightJoin() ? "STRAIGHT_JOIN " : "";
        String select = "SELECT " + hints + order + selectList + " ";
        int clauseEnd =
                draft.split().partitions().map(clause -> clause.span().end()).orElse(nameEnd);
        if (draft.split().place() == SelectModel.Place.WITH) {
            String with = model.with();
            String behind = with.substring(clauseEnd) + select + model.from().of(sql) + tail;
            return new FanOutPlan(with.substring(0, nameEnd), behind, merge, finish);
        }
        String before = model.with() + select + sql.substring(model.from().start(), nameEnd);
        String after = sql.substring(clauseEnd, model.from().end()) + tail;
        return new FanOutPlan(before, after, merge, finish);
    }
}

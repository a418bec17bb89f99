package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Clause;
import io.fanfold.plan.FanOutPlan.Finish;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Writes the partition query of a block: the original text around another select list and another end. Immutable. */
final class PartitionQuery {
    private final SplitDraft draft;
    private final SelectModel model;
    private final KeyTypes types;

    PartitionQuery(SplitDraft draft, KeyTypes types) {
        this.draft = draft;
        this.types = types;
        this.model = draft.model();
    }

    /**
     * The plan with it.
     *
     * @param selectList what stands behind SELECT and the statement's own hints
     * @param tail what stands behind the FROM clause, after a blank
     */
    FanOutPlan plan(String selectList, String tail, MergeNode merge, Finish finish) {
        String hints = model.serverHints().isEmpty() ? "" : model.serverHints() + " ";
        String order = model.straightJoin() ? "STRAIGHT_JOIN " : "";
        String select = "SELECT " + hints + order + selectList + " ";
        Insertion split = new Insertion(
                draft.split().nameSpan().end(),
                draft.split()
                        .partitions()
                        .map(clause -> clause.span().end())
                        .orElse(draft.split().nameSpan().end()),
                Map.of());
        String from = model.from().of(model.sql());
        if (draft.split().place() == SelectModel.Place.WITH) {
            return plan(
                    model.with(),
                    new Span(0, model.with().length()),
                    List.of(split),
                    select + from + tail,
                    merge,
                    finish);
        }
        List<Insertion> places = new ArrayList<>(List.of(split));
        for (PartnerTable partner : PartitionWiseJoins.proven(draft, types)) {
            int end = partner.table().nameSpan().end();
            places.add(new Insertion(end, end, partner.partitions()));
        }
        places.sort(Comparator.comparingInt(Insertion::nameEnd));
        FanOutPlan plan = plan(model.sql(), model.from(), places, tail, merge, finish);
        return new FanOutPlan(model.with() + select + plan.beforePartition(), plan.clauses(), merge, finish);
    }

    /**
     * Where a PARTITION clause stands in the text.
     *
     * @param nameEnd where the table's name ends
     * @param end where the text goes on, behind the statement's own clause where there is one
     * @param partner see {@link Clause#partner}
     */
    private record Insertion(int nameEnd, int end, Map<String, String> partner) {}

    /** A part of a text with clauses at some places, in order of position. */
    private static FanOutPlan plan(
            String text, Span part, List<Insertion> places, String tail, MergeNode merge, Finish finish) {
        List<Clause> clauses = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            boolean last = i == places.size() - 1;
            int end = last ? part.end() : places.get(i + 1).nameEnd();
            String after = text.substring(places.get(i).end(), end) + (last ? tail : "");
            clauses.add(new Clause(places.get(i).partner(), after));
        }
        return new FanOutPlan(text.substring(part.start(), places.get(0).nameEnd()), clauses, merge, finish);
    }
}

package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Clause;
import io.fanfold.plan.FanOutPlan.Finish;
import io.fanfold.plan.FanOutPlan.Tail;
import io.fanfold.sql.SelectModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Writes the partition query of a block: the original text with another select list and another end. Immutable. */
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
     * Returns the plan with the partition query.
     *
     * @param selectList the text after SELECT and the statement's own hints
     * @param rest the text after the condition, with a leading blank
     */
    FanOutPlan plan(String selectList, String rest, MergeNode merge, Finish finish) {
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
        Tail tail = new Tail(draft.condition(), rest);
        if (draft.split().place() == SelectModel.Place.WITH) {
            String with = model.with();
            String after = with.substring(split.end()) + select + model.from().of(model.sql());
            List<Clause> clause = List.of(new Clause(Map.of(), after));
            return new FanOutPlan(with.substring(0, split.nameEnd()), clause, tail, merge, finish, KeyFilters.NONE);
        }
        List<Insertion> places = new ArrayList<>(List.of(split));
        for (PartnerTable partner : PartitionWiseJoins.proven(draft, types)) {
            int end = partner.table().nameSpan().end();
            places.add(new Insertion(end, end, partner.partitions()));
        }
        places.sort(Comparator.comparingInt(Insertion::nameEnd));
        String before =
                model.sql().substring(model.from().start(), places.get(0).nameEnd());
        return new FanOutPlan(
                model.with() + select + before,
                clauses(places),
                tail,
                merge,
                finish,
                KeyFilterRule.proven(draft, types));
    }

    /**
     * The place of a PARTITION clause in the text.
     *
     * @param nameEnd the end of the table's name
     * @param end where the text continues, after the statement's own clause if there is one
     * @param partner see {@link Clause#partner}
     */
    private record Insertion(int nameEnd, int end, Map<String, String> partner) {}

    /** Returns the clauses for some places, in order of position. */
    private List<Clause> clauses(List<Insertion> places) {
        List<Clause> clauses = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            boolean last = i == places.size() - 1;
            int end = last ? model.from().end() : places.get(i + 1).nameEnd();
            clauses.add(new Clause(
                    places.get(i).partner(), model.sql().substring(places.get(i).end(), end)));
        }
        return clauses;
    }
}

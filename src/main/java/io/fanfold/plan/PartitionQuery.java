package io.fanfold.plan;

import io.fanfold.catalog.TableName;
import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.plan.FanOutPlan.TablePartitions;
import io.fanfold.plan.FanOutPlan.Tail;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.TextRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes the partition query of a block: the original text with another select list and another end. Immutable. */
final class PartitionQuery {
    private final LogicalPlan logical;
    private final SelectModel model;
    private final TypeBinding types;

    PartitionQuery(LogicalPlan logical, TypeBinding types) {
        this.logical = logical;
        this.types = types;
        this.model = logical.model();
    }

    /**
     * Returns the plan with the partition query.
     *
     * @param selectList the text after SELECT and the statement's own hints
     * @param rest the text after the condition, with a leading blank
     */
    FanOutPlan plan(String selectList, String rest, MergeNode merge, Completion completion) {
        String hints = model.serverHints().isEmpty() ? "" : model.serverHints() + " ";
        String order = model.straightJoin() ? "STRAIGHT_JOIN " : "";
        String select = "SELECT " + hints + order + selectList + " ";
        Insertion split = new Insertion(
                logical.split().nameSpan().end(),
                logical.split()
                        .partitions()
                        .map(clause -> clause.span().end())
                        .orElse(logical.split().nameSpan().end()),
                Map.of());
        Tail tail = new Tail(logical.condition(), rest, splitName());
        if (logical.split().place() == SelectModel.TablePlace.WITH) {
            String with = model.with();
            String after = with.substring(split.end()) + select + model.from().of(model.sql());
            List<TablePartitions> clause = List.of(new TablePartitions(Map.of(), after, inner(with, split.end())));
            return new FanOutPlan(with.substring(0, split.nameEnd()), clause, tail, merge, completion, KeyFilters.NONE);
        }
        List<Insertion> places = new ArrayList<>(List.of(split));
        for (CoPartitionedTable coPartitioned : PartitionWiseJoins.proven(logical, types)) {
            int end = coPartitioned.table().nameSpan().end();
            places.add(new Insertion(end, end, coPartitioned.partitions()));
        }
        places.sort(Comparator.comparingInt(Insertion::nameEnd));
        String before =
                model.sql().substring(model.from().start(), places.get(0).nameEnd());
        return new FanOutPlan(
                model.with() + select + before,
                clauses(places),
                tail,
                merge,
                completion,
                KeyFilterRule.proven(logical, types));
    }

    /**
     * Returns the span of the inner condition in the text after a clause.
     *
     * @param end the end of the clause in {@code text}
     */
    private Optional<TextRange> inner(String text, int end) {
        return InnerCondition.of(model, text, logical.split())
                .map(InnerCondition::condition)
                .map(own -> new TextRange(own.start() - end, own.end() - end));
    }

    /** Returns how WHERE names the split table. */
    private String splitName() {
        TableRef table = logical.split();
        if (table.alias() != null) {
            return TableName.quote(table.alias());
        }
        String schema = table.schema() == null ? "" : TableName.quote(table.schema()) + ".";
        return schema + TableName.quote(table.name());
    }

    /**
     * The place of a PARTITION clause in the text.
     *
     * @param nameEnd the end of the table's name
     * @param end where the text continues, after the statement's own clause if there is one
     * @param coPartitioned see {@link TablePartitions#coPartitioned}
     */
    private record Insertion(int nameEnd, int end, Map<String, String> coPartitioned) {}

    /** Returns the clauses for some places, in order of position. */
    private List<TablePartitions> clauses(List<Insertion> places) {
        List<TablePartitions> clauses = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            boolean last = i == places.size() - 1;
            int end = last ? model.from().end() : places.get(i + 1).nameEnd();
            boolean derived = logical.split().place() == SelectModel.TablePlace.DERIVED;
            clauses.add(new TablePartitions(
                    places.get(i).coPartitioned(),
                    model.sql().substring(places.get(i).end(), end),
                    derived ? inner(model.sql(), places.get(i).end()) : Optional.empty()));
        }
        return clauses;
    }
}

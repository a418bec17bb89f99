package io.fanfold.plan;

import io.fanfold.sql.SelectModel;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/**
 * Queries that are prepared and never run, for what the server says of a draft that its text does not tell. Without
 * state.
 */
public final class PreparedQueries {
    private PreparedQueries() {}

    /**
     * A query whose column definitions tell the types of everything the split computes, one for each input. Needs an
     * sql_mode without ONLY_FULL_GROUP_BY.
     */
    public static String typing(SplitDraft draft) {
        SelectModel model = draft.model();
        String inputs = draft.inputs().stream().map(SplitDraft.Input::sql).collect(Collectors.joining(", "));
        return model.with() + "SELECT " + inputs + " " + model.from().of(model.sql()) + draft.where();
    }

    /**
     * A query of one row: the names of the collations of some inputs. It reads no table, since the derived table has LIMIT 0,
     * and it leaves the condition out, on which no collation depends. Needs an sql_mode without ONLY_FULL_GROUP_BY.
     *
     * @param inputs numbers of the draft's inputs, from 0, at least one
     */
    public static String collations(SplitDraft draft, List<Integer> inputs) {
        SelectModel model = draft.model();
        StringJoiner names = new StringJoiner(", ");
        StringJoiner columns = new StringJoiner(", ");
        for (int input : inputs) {
            // in bytes: these are converted to no character set of results
            names.add("CAST(COLLATION(fanfold.c" + input + ") AS BINARY)");
            columns.add(draft.inputs().get(input).sql() + " AS c" + input);
        }
        return model.with() + "SELECT " + names + " FROM (SELECT 1) AS one LEFT JOIN (SELECT " + columns + " "
                + model.from().of(model.sql()) + " LIMIT 0) AS fanfold ON TRUE";
    }

    /**
     * Queries that can only be prepared if the subqueries that a draft leaves to the finish query stand by themselves:
     * there the block's own tables are gone, and a name of theirs could mean something else. A name that a subquery
     * finds in itself means that everywhere.
     */
    public static List<String> provingUncorrelated(StatementDraft draft) {
        List<String> queries = new ArrayList<>();
        for (SplitDraft block : draft.blocks()) {
            SelectModel model = block.model();
            if (!model.shown().isEmpty()) {
                queries.add(model.shown().stream()
                        .map(body -> "EXISTS (" + body.of(model.sql()) + ")")
                        .collect(Collectors.joining(", ", model.with() + "SELECT ", "")));
            }
        }
        return queries;
    }
}

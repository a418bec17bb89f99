package io.fanfold.plan;

import io.fanfold.sql.SelectModel;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/**
 * Queries that are prepared and never run, to learn from the server what a statement's text does not show. Stateless.
 */
public final class PreparedQueries {
    private PreparedQueries() {}

    /**
     * Returns a query whose column definitions give the types of all inputs of a block, in order. Needs an sql_mode
     * without ONLY_FULL_GROUP_BY.
     */
    public static String typing(LogicalPlan logical) {
        SelectModel model = logical.model();
        String inputs = logical.inputs().stream().map(LogicalPlan.Input::sql).collect(Collectors.joining(", "));
        return model.with() + "SELECT " + inputs + " " + model.from().of(model.sql()) + logical.where();
    }

    /**
     * Returns a query of one row: the names of the collations of some inputs. It reads no table, because the derived
     * table has LIMIT 0, and omits the condition, which no collation depends on. Needs an sql_mode without
     * ONLY_FULL_GROUP_BY.
     *
     * @param inputs numbers of the block's inputs, from 0, at least one
     */
    public static String collations(LogicalPlan logical, List<Integer> inputs) {
        SelectModel model = logical.model();
        StringJoiner names = new StringJoiner(", ");
        StringJoiner columns = new StringJoiner(", ");
        for (int input : inputs) {
            // binary: not converted to character_set_results
            names.add("CAST(COLLATION(fanfold.c" + input + ") AS BINARY)");
            columns.add(logical.inputs().get(input).sql() + " AS c" + input);
        }
        return model.with() + "SELECT " + names + " FROM (SELECT 1) AS one LEFT JOIN (SELECT " + columns + " "
                + model.from().of(model.sql()) + " LIMIT 0) AS fanfold ON TRUE";
    }

    /**
     * Returns queries that can only be prepared if the subqueries left to the final query are uncorrelated. In the
     * final query, the block's own tables are gone, and a name of theirs could mean something else. A name that a
     * subquery resolves itself means the same everywhere.
     */
    public static List<String> provingUncorrelated(LogicalStatement logical) {
        List<String> queries = new ArrayList<>();
        for (LogicalPlan block : logical.blocks()) {
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

package io.fanfold.cli.bench;

import java.util.List;

/**
 * A condition on {@code lineorder} that a join with a dimension implies: a row can only join if its key is one of those that the
 * conditions on the dimension leave. Immutable.
 *
 * @param column the column of {@code lineorder}, a whole number
 * @param keys the query that reads the keys: one column, whole numbers, no NULL
 */
public record KeyFilter(String column, String keys) {
    /**
     * The condition as SQL.
     *
     * @param values the keys as the query gave them; without any, the condition is true of no row
     */
    public String condition(List<String> values) {
        return column + " in (" + (values.isEmpty() ? "null" : String.join(",", values)) + ")";
    }
}

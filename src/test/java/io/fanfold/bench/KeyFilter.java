package io.fanfold.bench;

import java.util.List;

/**
 * A condition on {@code lineorder} that a join with a dimension implies. A row can join only if its key is one of the
 * keys that the conditions on the dimension leave. Immutable.
 *
 * @param column the column of {@code lineorder}, a whole number
 * @param keys the query that reads the keys: one column, whole numbers, no NULL
 */
public record KeyFilter(String column, String keys) {
    /**
     * The condition as SQL.
     *
     * @param values the keys as the query returned them; if empty, the condition is true for no row
     */
    public String condition(List<String> values) {
        return column + " in (" + (values.isEmpty() ? "null" : String.join(",", values)) + ")";
    }
}

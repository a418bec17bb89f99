package io.fanfold.fuzz;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A column that the generator uses.
 *
 * @param name plain name
 * @param definition the text after the name in CREATE TABLE
 * @param type the type of its values
 * @param weight how often it is chosen, 0 or more
 */
record FuzzColumn(String name, String definition, ValueType type, int weight) {
    /** Returns the text between the parentheses of CREATE TABLE for these columns. */
    static String definitions(List<FuzzColumn> columns) {
        return columns.stream()
                .map(column -> column.name() + " " + column.definition())
                .collect(Collectors.joining(", "));
    }
}

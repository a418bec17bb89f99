package io.fanfold.cli.fuzz;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A column that the generator knows.
 *
 * @param name plain name
 * @param definition what stands behind the name in CREATE TABLE
 * @param type what its values are
 * @param weight how often it is taken, 0 or more
 */
record FuzzColumn(String name, String definition, ValueType type, int weight) {
    /** What stands between the parentheses of CREATE TABLE for these columns. */
    static String definitions(List<FuzzColumn> columns) {
        return columns.stream()
                .map(column -> column.name() + " " + column.definition())
                .collect(Collectors.joining(", "));
    }
}

package io.fanfold.cli.demo;

import java.util.List;

/**
 * A statement that the demo runs.
 *
 * @param name a short name for the table
 * @param sql the text, the same direct and through the proxy
 * @param sortColumns the result columns that the ORDER BY names, from 0, most significant first; none without ORDER BY.
 *     Rows that agree in them may come in any order
 */
public record DemoQuery(String name, String sql, List<Integer> sortColumns) {
    public DemoQuery {
        sortColumns = List.copyOf(sortColumns);
    }

    /** A statement without ORDER BY. */
    public static DemoQuery unordered(String name, String sql) {
        return new DemoQuery(name, sql, List.of());
    }

    /** A statement with ORDER BY these columns. */
    public static DemoQuery sorted(String name, String sql, Integer... sortColumns) {
        return new DemoQuery(name, sql, List.of(sortColumns));
    }
}

package io.fanfold.demo;

import java.util.List;

/**
 * A statement that the demo runs.
 *
 * @param name a short name for the table
 * @param sql the text, used directly and through the proxy
 * @param sortColumns the result columns in the ORDER BY, from 0, most significant first; empty without ORDER BY. Rows
 *     that are equal in them may be in any order
 */
public record DemoQuery(String name, String sql, List<Integer> sortColumns) {
    public DemoQuery {
        sortColumns = List.copyOf(sortColumns);
    }

    /** Returns a statement without ORDER BY. */
    public static DemoQuery unordered(String name, String sql) {
        return new DemoQuery(name, sql, List.of());
    }

    /** Returns a statement with ORDER BY these columns. */
    public static DemoQuery sorted(String name, String sql, Integer... sortColumns) {
        return new DemoQuery(name, sql, List.of(sortColumns));
    }
}

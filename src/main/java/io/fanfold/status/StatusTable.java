package io.fanfold.status;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Columns and rows of one status. Immutable.
 *
 * @param columns at least one
 * @param named the index of the column that LIKE is compared with
 * @param rows each with one value for each column, in their order: a {@link String}, {@link Long} or
 *     {@link Double} by the column's kind, or null
 */
public record StatusTable(List<StatusColumn> columns, int named, List<List<@Nullable Object>> rows) {
    /** What the values of a column are. */
    public enum ColumnKind {
        TEXT,
        INTEGER,
        DECIMAL
    }

    /** A column. */
    public record StatusColumn(String name, ColumnKind kind) {
        public static StatusColumn text(String name) {
            return new StatusColumn(name, ColumnKind.TEXT);
        }

        public static StatusColumn integer(String name) {
            return new StatusColumn(name, ColumnKind.INTEGER);
        }

        public static StatusColumn decimal(String name) {
            return new StatusColumn(name, ColumnKind.DECIMAL);
        }
    }

    public StatusTable {
        columns = List.copyOf(columns);
        rows = Collections.unmodifiableList(new ArrayList<>(rows));
        int width = columns.size();
        if (rows.stream().anyMatch(row -> row.size() != width)) {
            throw new IllegalArgumentException("a row has not one value for each of the " + width + " columns");
        }
    }

    /** Returns the rows whose named column matches. A null never does. */
    public StatusTable like(LikePattern pattern) {
        return withRows(rows.stream()
                .filter(row -> row.get(named) != null && pattern.matches(String.valueOf(row.get(named))))
                .toList());
    }

    /**
     * Returns some of the rows.
     *
     * @param offset the number of rows to leave out at the start, 0 or more
     * @param count the largest number of rows, 0 or more
     */
    public StatusTable limit(long offset, long count) {
        return withRows(rows.stream().skip(offset).limit(count).toList());
    }

    private StatusTable withRows(List<List<@Nullable Object>> chosen) {
        return new StatusTable(columns, named, chosen);
    }
}

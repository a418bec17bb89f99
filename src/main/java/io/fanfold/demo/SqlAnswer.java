package io.fanfold.demo;

import io.fanfold.row.Column;
import io.fanfold.row.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A complete result set.
 *
 * @param columns its columns in order
 * @param rows its rows in the order received
 * @param warnings the number of warnings, 0 to 65535
 */
public record SqlAnswer(List<Column> columns, List<Row> rows, int warnings) {
    public SqlAnswer {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
    }

    /** An answer without warnings. */
    public SqlAnswer(List<Column> columns, List<Row> rows) {
        this(columns, rows, 0);
    }

    /** The first value of the first row as text; null if it is NULL or there is no row. */
    public @Nullable String first() {
        return rows.isEmpty() ? null : rows.get(0).utf8(0);
    }
}

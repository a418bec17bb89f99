package io.fanfold.backend;

import io.fanfold.row.Column;
import java.util.List;

/**
 * What the server said of a statement when preparing it.
 *
 * @param parameters how many parameter markers it has
 * @param columns its result columns in order; none when it returns no rows
 * @param warnings how many warnings preparing raised
 */
public record PreparedColumns(int parameters, List<Column> columns, int warnings) {
    public PreparedColumns {
        columns = List.copyOf(columns);
    }
}

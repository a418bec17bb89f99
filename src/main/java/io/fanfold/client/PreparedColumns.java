package io.fanfold.client;

import io.fanfold.row.Column;
import java.util.List;

/**
 * The server's reply to the preparation of a statement.
 *
 * @param parameters the number of parameter markers
 * @param columns the result columns in order; empty if the statement returns no rows
 * @param warnings the number of warnings of the preparation
 */
public record PreparedColumns(int parameters, List<Column> columns, int warnings) {
    public PreparedColumns {
        columns = List.copyOf(columns);
    }
}

package io.fanfold.client;

import io.fanfold.row.Column;
import io.fanfold.row.Row;
import java.util.List;

/** The server's reply to one statement of the text protocol. Immutable. */
public sealed interface Reply {
    /**
     * The statement succeeded without a result set.
     *
     * @param status the server's status flags after it, see {@link io.fanfold.wire.ServerStatus}
     * @param warnings the number of warnings, 0..65535
     */
    record Completed(int status, int warnings) implements Reply {}

    /**
     * A complete result set.
     *
     * @param columns its columns in order, at least one
     * @param rows its rows in the server's order
     * @param warnings the number of warnings, 0..65535
     * @param status the server's status flags after its rows, see {@link io.fanfold.wire.ServerStatus}
     */
    record Result(List<Column> columns, List<Row> rows, int warnings, int status) implements Reply {
        public Result {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
        }
    }

    /** The server refused the statement; the connection is still usable. */
    record Failed(int errno, String sqlState, String message) implements Reply {
        public ServerException exception() {
            return new ServerException(errno, sqlState, message);
        }
    }
}

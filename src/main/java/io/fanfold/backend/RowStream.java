package io.fanfold.backend;

import io.fanfold.row.Column;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one statement, read from the socket as they are asked for: what is not read stays in the server's and the
 * kernel's buffers. The connection takes no other statement before the end. For one thread, which is the connection's.
 */
public final class RowStream implements AutoCloseable {
    private final WireConnection connection;
    private final List<Column> columns;
    private boolean open;
    private int warnings;

    RowStream(WireConnection connection, List<Column> columns, boolean open, int warnings) {
        this.connection = connection;
        this.columns = columns;
        this.open = open;
        this.warnings = warnings;
    }

    /** The columns in order; none when the statement returns no rows. */
    public List<Column> columns() {
        return columns;
    }

    /**
     * The next row.
     *
     * @return null at the end, then and ever after
     * @throws ServerException when the server broke the statement off; the stream is at its end, the connection lives on
     * @throws IOException when the connection failed or the bytes are not a row; the connection is broken
     */
    public @Nullable Row next() throws IOException, ServerException {
        if (!open) {
            return null;
        }
        boolean more = false;
        try {
            Row row = connection.readRow(columns.size());
            more = row != null;
            if (row == null) {
                warnings = connection.lastWarnings();
            }
            return row;
        } finally {
            open = more;
        }
    }

    /** How many warnings the statement raised, 0..65535; 0 before the end. */
    public int warnings() {
        return warnings;
    }

    /** Reads and drops the rows that are left, e.g. after the statement was killed. */
    public void skipRest() throws IOException, ServerException {
        while (next() != null) {
            // Only the end counts.
        }
    }

    /** Ends the stream. Where rows are left, the connection is broken: the server may be sending for long. */
    @Override
    public void close() {
        if (open) {
            open = false;
            connection.abort();
        }
    }
}

package io.fanfold.client;

import io.fanfold.row.Column;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one statement, read from the socket on demand; unread rows stay in the buffers of the server and the
 * kernel. The connection accepts no other statement before the end. For use by the connection's thread only.
 */
public final class RowStream implements AutoCloseable {
    private final ReplyQueue replies;
    private final List<Column> columns;
    private boolean open;
    private int warnings;

    RowStream(ReplyQueue replies, List<Column> columns, boolean open, int warnings) {
        this.replies = replies;
        this.columns = columns;
        this.open = open;
        this.warnings = warnings;
    }

    /** Returns the columns in order; empty if the statement returns no rows. */
    public List<Column> columns() {
        return columns;
    }

    /**
     * Returns the next row.
     *
     * @return null at the end and on every later call
     * @throws ServerException if the server ended the statement with an error; the stream has ended, the connection is
     *     still usable
     * @throws IOException if the connection failed or the bytes are not a row; the connection is broken
     */
    public @Nullable Row next() throws IOException, ServerException {
        if (!open) {
            return null;
        }
        boolean more = false;
        try {
            Row row = replies.row(columns.size());
            more = row != null;
            if (row == null) {
                warnings = replies.warnings();
            }
            return row;
        } finally {
            open = more;
        }
    }

    /**
     * Passes the next rows on, as packets, as far as they have arrived and are small. Does not wait. The row that it stops
     * at is for {@link #next}.
     *
     * @param most the most bytes
     * @param out receives all of them at once, if there is one; their sequence ids are the server's
     * @return the number of rows; 0 says nothing about whether there are more
     */
    public <E extends Exception> int forward(int most, PacketOutput<E> out) throws E {
        return open ? replies.forward(columns.size(), most, out) : 0;
    }

    /** Returns the number of warnings of the statement, 0..65535; 0 before the end. */
    public int warnings() {
        return warnings;
    }

    /** Reads and drops the remaining rows, e.g. after the statement was killed. */
    public void skipRest() throws IOException, ServerException {
        while (next() != null) {
            // Rows are dropped.
        }
    }

    /** Ends the stream. If rows are left, breaks the connection, since reading the rest could take long. */
    @Override
    public void close() {
        if (open) {
            open = false;
            replies.abort();
        }
    }
}

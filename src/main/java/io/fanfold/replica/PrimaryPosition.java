package io.fanfold.replica;

import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * What a primary had committed at one moment.
 *
 * @param gtids MySQL: its gtid_executed. MariaDB: its gtid_binlog_pos. Without blanks; "" if it logs no transactions
 * @param server MySQL: its server_uuid. MariaDB: its server_id
 * @param logged MariaDB: its gtid_binlog_state, the last transaction of each domain and server in its binary log. MySQL:
 *     ""
 */
public record PrimaryPosition(String gtids, String server, String logged) {
    /**
     * Returns the query for the position. It needs no privilege and opens no transaction. Its texts are ASCII in every
     * session.
     */
    public static String query(ServerFlavor flavor) {
        return flavor.isMariaDb()
                ? "SELECT CONVERT(@@global.gtid_binlog_pos USING binary), CONVERT(@@global.server_id USING binary),"
                        + " CONVERT(@@global.gtid_binlog_state USING binary)"
                : "SELECT CONVERT(@@global.gtid_executed USING binary), CONVERT(@@global.server_uuid USING binary),"
                        + " CONVERT('' USING binary)";
    }

    /** Reads the reply to {@link #query}; empty if it failed. */
    public static Optional<PrimaryPosition> of(Reply reply) {
        return reply instanceof Reply.Result result && result.rows().size() == 1
                ? Optional.of(of(result.rows().get(0)))
                : Optional.empty();
    }

    /** Reads the row of {@link #query}. */
    public static PrimaryPosition of(Row row) {
        return new PrimaryPosition(text(row, 0), text(row, 1), text(row, 2));
    }

    private static String text(Row row, int column) {
        String text = row.ascii(column);
        // MySQL puts each source on a line of its own
        return text == null ? "" : text.replace("\n", "").replace(" ", "");
    }
}

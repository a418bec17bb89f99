package io.fanfold.replica;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The transactions that a snapshot shows. The set of a primary and that of its replica are equal if the replica has applied
 * the same transactions as the primary had committed.
 *
 * @param gtids MySQL: a set as in gtid_executed. MariaDB: the last GTID of each domain, in order. Not ""
 */
public record CommittedSet(String gtids) {
    /**
     * MariaDB logs transactions under a lock that SHOW MASTER STATUS takes. So if gtid_binlog_pos is the same before and
     * after, it belongs to the shown end of the log. BINLOG_GTID_POS would read the log from the start of its file.
     */
    private static final List<String> END_OF_LOG =
            List.of("SELECT @@global.gtid_binlog_pos", "SHOW MASTER STATUS", "SELECT @@global.gtid_binlog_pos");

    /**
     * Returns the set of a snapshot.
     *
     * @param position its position in the server's own binary log: gtid_executed on MySQL, {@code file:offset} on MariaDB.
     *     Not ""
     * @param connection a connection to that server. MariaDB is asked; that needs the privilege BINLOG MONITOR
     * @return empty if there are no GTIDs, or on MariaDB if the log has grown since
     */
    public static Optional<CommittedSet> of(String position, ServerFlavor flavor, WireConnection connection)
            throws IOException, ServerException {
        return of(flavor.isMariaDb() ? atEnd(position, connection) : position);
    }

    /** Returns the set of GTIDs as a server shows them; empty if there are none. */
    static Optional<CommittedSet> of(String gtids) {
        // MySQL writes each source on a line of its own, and MariaDB the domains in any order
        String canonical =
                Stream.of(gtids.split(",", -1)).map(String::strip).sorted().collect(Collectors.joining(","));
        return canonical.isEmpty() ? Optional.empty() : Optional.of(new CommittedSet(canonical));
    }

    /** Returns the last GTIDs if the position is the end of the log, else "". */
    private static String atEnd(String position, WireConnection connection) throws IOException, ServerException {
        List<Row> rows = new ArrayList<>();
        for (Reply reply : connection.pipeline(END_OF_LOG)) {
            if (reply instanceof Reply.Failed failed) {
                throw new ServerException(failed);
            }
            if (reply instanceof Reply.Result result && result.rows().size() == 1) {
                rows.add(result.rows().get(0));
            }
        }
        boolean end = rows.size() == END_OF_LOG.size()
                && position.equals(rows.get(1).ascii(0) + ":" + rows.get(1).ascii(1))
                && String.valueOf(rows.get(0).ascii(0)).equals(rows.get(2).ascii(0));
        return end ? String.valueOf(rows.get(0).ascii(0)) : "";
    }
}

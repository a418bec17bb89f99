package io.fanfold.backend;

import static io.fanfold.backend.WorkerReplies.rows;
import static io.fanfold.backend.WorkerReplies.value;

import io.fanfold.row.Column;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The proof of a MariaDB replica that does not log what it replicates: inside its snapshot each worker reads
 * mysql.gtid_slave_pos. A replicated transaction inserts a row there itself, also where its source's table has no
 * transactions, so it is in a snapshot together with that row or not at all. Rows are deleted only when a later one of
 * their domain is there, and a connection commits a domain in order: so equal rows mean the same transactions.
 *
 * <p>Local writes insert none. With a binary log they move its position, which therefore has to be the same too;
 * without, read_only has to be on, before each snapshot and after, and accounts that may write nevertheless (READ ONLY
 * ADMIN) are not seen. The rows do not show DDL: {@link PinnedTables} keeps it away while the snapshots are opened.
 *
 * <p>Where the row is not inserted by the transaction itself there is no proof:
 *
 * <ul>
 *   <li>Replication by file and position: a source that is no MariaDB has no GTIDs, and the rows stay as they are. So
 *       Using_Gtid has to be Slave_Pos or Current_Pos, before and after, which needs the right SLAVE MONITOR to read.
 *   <li>Several connections may commit in one domain in any order: one is demanded.
 *   <li>XA COMMIT, whose row follows in a transaction of its own: it is counted before it runs, so where the counter is
 *       zero after the snapshots were opened, none has become visible in one of them.
 *   <li>Other tables for other engines (gtid_pos_auto_engines), which an account that may not read them does not see:
 *       transactions of two engines may leave their row in one of these, so none must have been replicated.
 * </ul>
 *
 * <p>It does not see SET GLOBAL gtid_slave_pos between the snapshots of one round, nor what {@link BinlogProof} does
 * not see.
 *
 * @param logged reads the positions in the binary log, where there is one
 * @param touches see {@link SnapshotScript}
 */
record SlavePosProof(Optional<BinlogPositions> logged, List<String> touches) implements SnapshotProof {
    private static final String TABLES = "SELECT TABLE_NAME, ENGINE FROM information_schema.TABLES"
            + " WHERE TABLE_SCHEMA = 'mysql' AND LEFT(TABLE_NAME, 14) = 'gtid_slave_pos'";
    private static final String OTHER_ENGINES = "SELECT @@global.gtid_pos_auto_engines";
    private static final String CONNECTIONS = "SHOW ALL SLAVES STATUS";
    private static final String READ_ONLY = "SELECT @@global.read_only";
    private static final String POSITIONS =
            "SELECT domain_id, sub_id, server_id, seq_no FROM mysql.gtid_slave_pos ORDER BY domain_id, sub_id";
    private static final String COUNTERS =
            "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_xa_commit', 'Rpl_transactions_multi_engine')";
    private static final int COUNTED = 2;
    private static final Set<String> BY_GTID = Set.of("Slave_Pos", "Current_Pos");

    @Override
    public SnapshotRound round(SnapshotGroup group, long deadline)
            throws IOException, ServerException, InterruptedException {
        WireConnection first = group.first();
        String untold = untold(first);
        if (!untold.isEmpty()) {
            return SnapshotRound.unprovable(untold);
        }
        List<SnapshotScript.Opened> all =
                new SnapshotScript(List.of(READ_ONLY), touches, List.of(POSITIONS, READ_ONLY)).run(group.all());
        Set<String> applied = new HashSet<>();
        for (SnapshotScript.Opened opened : all) {
            if (opened.after().get(0) instanceof Reply.Failed unread) {
                return SnapshotRound.unprovable("mysql.gtid_slave_pos cannot be read: "
                        + unread.exception().getMessage());
            }
            boolean readOnly = "1".equals(value(opened.before().get(0), 0))
                    && "1".equals(value(opened.after().get(1), 0));
            if (logged.isEmpty() && !readOnly) {
                return SnapshotRound.unprovable("read_only is not on");
            }
            applied.add(rows(opened.after().get(0)).toString());
        }
        if (applied.size() > 1) {
            return SnapshotRound.unequal("replicated transactions were committed in between");
        }
        SnapshotRound local = logged.isPresent() ? logged.get().compare(group.all(), deadline) : SnapshotRound.VERIFIED;
        if (local.kind() != SnapshotOutcome.Kind.VERIFIED) {
            return local;
        }
        List<Row> counters = first.query(COUNTERS).rows();
        if (counters.size() != COUNTED || !counters.stream().allMatch(row -> "0".equals(row.ascii(1)))) {
            return SnapshotRound.unprovable("there have been XA transactions, or transactions of several engines");
        }
        String afterwards = untold(first);
        return afterwards.isEmpty() ? SnapshotRound.VERIFIED : SnapshotRound.unprovable(afterwards);
    }

    /** Why the rows do not tell all that is applied; "" when they do. */
    private static String untold(WireConnection worker) throws IOException, ServerException {
        List<Reply> replies = worker.pipeline(List.of(TABLES, OTHER_ENGINES, CONNECTIONS));
        if (!rows(replies.get(0)).toString().equals("[gtid_slave_pos|InnoDB]")) {
            return "mysql.gtid_slave_pos may not be read, or is not in InnoDB";
        }
        if (!rows(replies.get(1)).toString().equals("[]")) {
            return "gtid_pos_auto_engines is set";
        }
        if (!(replies.get(2) instanceof Reply.Result connections)) {
            return replies.get(2) instanceof Reply.Failed failed
                    ? "the connection of replication may not be seen: "
                            + failed.exception().getMessage()
                    : "nothing is replicated";
        }
        if (connections.rows().size() != 1) {
            return "several connections or none replicate";
        }
        List<String> names = connections.columns().stream().map(Column::name).toList();
        boolean byGtid = IntStream.range(0, names.size())
                .filter(i -> names.get(i).equals("Using_Gtid"))
                .anyMatch(i -> BY_GTID.contains(connections.rows().get(0).ascii(i)));
        return byGtid ? "" : "replication does not use GTIDs";
    }
}

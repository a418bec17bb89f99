package io.fanfold.snapshot;

import static io.fanfold.snapshot.WorkerReplies.rows;
import static io.fanfold.snapshot.WorkerReplies.value;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.row.Column;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The proof for a MariaDB replica that does not log replicated transactions. Inside its snapshot each worker reads
 * mysql.gtid_slave_pos.
 *
 * <p>A replicated transaction itself inserts a row there, even if its source's table is not transactional. So a
 * snapshot shows both the transaction and its row, or neither. A row is deleted only after a later one of its domain
 * exists, and a connection commits a domain in order. So equal rows mean the same transactions.
 *
 * <p>Local writes insert no row. With a binary log they move its position, so that position must be equal too. Without
 * a binary log, read_only must be on before and after each snapshot; writes of accounts with READ ONLY ADMIN are not
 * seen. The rows do not show DDL, so {@link PinnedTables} blocks it while the snapshots are opened.
 *
 * <p>There is no proof if the transaction does not insert the row itself:
 *
 * <ul>
 *   <li>Replication by file and position: a source other than MariaDB has no GTIDs, and the rows do not change. So
 *       Using_Gtid must be Slave_Pos or Current_Pos, before and after. Reading it needs the privilege SLAVE MONITOR.
 *   <li>Several connections may commit in one domain in any order, so there must be exactly one.
 *   <li>XA COMMIT: a separate transaction inserts the row later. XA COMMIT is counted before it runs. So if the counter
 *       is zero after the snapshots were opened, no XA transaction became visible in one of them.
 *   <li>Position tables of other engines (gtid_pos_auto_engines), which are invisible to an account without the right
 *       to read them. A transaction over two engines may insert its row into one of these, so no such transaction may
 *       have been replicated.
 * </ul>
 *
 * <p>It does not see SET GLOBAL gtid_slave_pos between the snapshots of one round, nor anything that
 * {@link BinlogProof} does not see.
 *
 * @param logged reads the positions in the binary log, if there is one
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
        String obstacle = obstacle(first);
        if (!obstacle.isEmpty()) {
            return SnapshotRound.unprovable(obstacle);
        }
        List<SnapshotScript.Opened> all =
                new SnapshotScript(List.of(READ_ONLY), touches, List.of(POSITIONS, READ_ONLY)).run(group);
        Set<String> applied = new HashSet<>();
        for (SnapshotScript.Opened opened : all) {
            Optional<SnapshotRound> unread = opened.unread("mysql.gtid_slave_pos or read_only");
            if (unread.isPresent()) {
                return unread.get();
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
        if (local.kind() != SnapshotOutcome.SnapshotState.VERIFIED) {
            return local;
        }
        List<Row> counters = first.query(COUNTERS).rows();
        if (counters.size() != COUNTED || !counters.stream().allMatch(row -> "0".equals(row.ascii(1)))) {
            return SnapshotRound.unprovable("there have been XA transactions, or transactions of several engines");
        }
        String afterwards = obstacle(first);
        return afterwards.isEmpty() ? SnapshotRound.VERIFIED : SnapshotRound.unprovable(afterwards);
    }

    /** Returns why the rows may not show all applied transactions; "" if they do. */
    private static String obstacle(WireConnection worker) throws IOException, ServerException {
        List<Reply> replies = worker.pipeline(List.of(TABLES, OTHER_ENGINES, CONNECTIONS));
        WorkerReplies.notInterrupted(replies);
        if (!rows(replies.get(0)).toString().equals("[gtid_slave_pos|InnoDB]")) {
            return "mysql.gtid_slave_pos may not be read, or is not in InnoDB";
        }
        if (replies.get(1) instanceof Reply.Failed
                || !rows(replies.get(1)).toString().equals("[]")) {
            return "gtid_pos_auto_engines is set, or cannot be read";
        }
        if (!(replies.get(2) instanceof Reply.Result connections)) {
            return replies.get(2) instanceof Reply.Failed failed
                    ? "the connection of replication may not be seen: " + failed.message()
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

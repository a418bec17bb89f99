package io.fanfold.snapshot;

import static io.fanfold.snapshot.WorkerReplies.rows;
import static io.fanfold.snapshot.WorkerReplies.value;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The proof for a MySQL replica with no other writers. Inside its snapshot each worker reads the replication progress
 * from mysql.slave_relay_log_info and mysql.slave_worker_info. Stateless.
 *
 * <p>A replicated transaction itself updates a row of these InnoDB tables to a later position of its source's log. So a
 * snapshot shows both the transaction and its row, or neither, and equal rows mean the same transactions. This holds
 * for each channel separately, in any commit order, with or without GTIDs and a binary log.
 *
 * <p>Local writes change none of these rows. super_read_only refuses them to every account, and setting it waits for
 * commits in progress. Each worker reads it before and after its snapshot. Transactions that the replica filters out,
 * skips, or applies to non-transactional tables change nothing that a snapshot shows. DDL may become visible before its
 * position does, so {@link PinnedTables} blocks DDL on the tables meanwhile.
 *
 * <p>There is no proof if the transaction does not update the row itself:
 *
 * <ul>
 *   <li>XA: a separate transaction updates the row later. XA START and XA COMMIT are counted before they run. So if
 *       both counters are zero after the snapshots were opened, no XA transaction became visible in one of them.
 *   <li>Channels with GTID_ONLY keep no positions. That option requires REQUIRE_ROW_FORMAT, which the rows show. Group
 *       replication always sets it; its channels are recognized by name.
 *   <li>Events that the source logs without an engine transaction number, because their table is not transactional
 *       (MyISAM, BLACKHOLE, NDB). If the replica has that table in InnoDB, the row is updated later, as with XA.
 *       Nothing on the replica shows this. By granting the right to read these rows, the administrator states that
 *       there are no such tables.
 * </ul>
 *
 * <p>This proof does not see super_read_only switched off and on, or RESET REPLICA, between the snapshots of one round.
 *
 * @param touches see {@link SnapshotScript}
 */
record AppliedProof(List<String> touches) implements SnapshotProof {
    private static final String IN_INNODB =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'mysql'"
                    + " AND TABLE_NAME IN ('slave_relay_log_info', 'slave_worker_info') AND ENGINE = 'InnoDB'";
    private static final String READ_ONLY = "SELECT @@global.super_read_only";
    private static final String CHANNELS = "SELECT Channel_name, Require_row_format, Relay_log_name, Relay_log_pos,"
            + " Master_log_name, Master_log_pos FROM mysql.slave_relay_log_info ORDER BY Channel_name";
    private static final String WORKERS = "SELECT Channel_name, Id, Relay_log_name, Relay_log_pos, Master_log_name,"
            + " Master_log_pos FROM mysql.slave_worker_info ORDER BY Channel_name, Id";
    private static final String XA = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_xa_start', 'Com_xa_commit')";
    private static final int XA_COUNTERS = 2;

    @Override
    public SnapshotRound round(SnapshotGroup group, long deadline) throws IOException, ServerException {
        WireConnection first = group.first();
        if (!first.query(IN_INNODB).rows().toString().equals("[2]")) {
            return SnapshotRound.unprovable("the rows of replication may not be read, or are not in InnoDB");
        }
        List<SnapshotScript.Opened> all =
                new SnapshotScript(List.of(READ_ONLY), touches, List.of(CHANNELS, WORKERS, READ_ONLY)).run(group);
        Set<String> applied = new HashSet<>();
        for (SnapshotScript.Opened opened : all) {
            if (opened.warned()) {
                return SnapshotRound.NO_SNAPSHOT;
            }
            Optional<SnapshotRound> unread = opened.unread("the rows of replication");
            if (unread.isPresent()) {
                return unread.get();
            }
            if (!"1".equals(value(opened.before().get(0), 0))
                    || !"1".equals(value(opened.after().get(2), 0))) {
                return SnapshotRound.unprovable("super_read_only is not on");
            }
            applied.add(rows(opened.after().get(0)) + "/" + rows(opened.after().get(1)));
        }
        String obstacle = obstacle(rows(all.get(0).after().get(0)));
        if (!obstacle.isEmpty()) {
            return SnapshotRound.unprovable(obstacle);
        }
        if (applied.size() > 1) {
            return SnapshotRound.unequal("replicated transactions were committed in between");
        }
        List<Row> counters = first.query(XA).rows();
        boolean none = counters.size() == XA_COUNTERS && counters.stream().allMatch(row -> "0".equals(row.ascii(1)));
        return none ? SnapshotRound.VERIFIED : SnapshotRound.unprovable("there have been XA transactions");
    }

    /** Returns why the channels' rows may not show all applied transactions; "" if they do. */
    private static String obstacle(List<Row> channels) {
        if (channels.isEmpty()) {
            return "nothing is replicated";
        }
        for (Row channel : channels) {
            if (String.valueOf(channel.ascii(0)).startsWith("group_replication_")) {
                return "the server replicates within a group";
            }
            if (!"0".equals(channel.ascii(1))) {
                return "a channel may keep no positions (REQUIRE_ROW_FORMAT)";
            }
        }
        return "";
    }
}

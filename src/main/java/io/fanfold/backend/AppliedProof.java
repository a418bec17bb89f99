package io.fanfold.backend;

import static io.fanfold.backend.WorkerReplies.rows;
import static io.fanfold.backend.WorkerReplies.value;

import io.fanfold.row.Row;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The proof of a MySQL replica that nobody else writes to: inside its snapshot each worker reads how far replication
 * has come, from mysql.slave_relay_log_info and mysql.slave_worker_info. A replicated transaction changes a row of
 * these InnoDB tables itself, to a later position of its source's log, so it is in a snapshot together with that row or
 * not at all: equal rows mean the same transactions. That holds for every channel by itself, whatever the order in
 * which threads commit, with or without GTIDs and a binary log. Without state.
 *
 * <p>Local writes move none of these rows. super_read_only refuses them to every account, and its being set waits for
 * the commits under way; each worker reads it before its snapshot and after. What a replica filters out, skips or
 * applies to tables without transactions changes nothing that a snapshot shows. DDL may become visible before its
 * position does, so the tables are kept as they are meanwhile, see {@link PinnedTables}.
 *
 * <p>Where the row is not changed by the transaction itself there is no proof:
 *
 * <ul>
 *   <li>XA: the row follows in a transaction of its own. XA START and XA COMMIT are counted before they run, so where
 *       both counters are zero after the snapshots were opened, none has become visible in one of them.
 *   <li>Channels with GTID_ONLY keep no positions. That demands REQUIRE_ROW_FORMAT, which the rows show; group
 *       replication sets it without asking, and is known by its channels' names.
 *   <li>Groups that the source logs without an engine's transaction number, since its table has no transactions
 *       (MyISAM, BLACKHOLE, NDB): where the replica has that table in InnoDB, the row follows as with XA. Nothing on
 *       the replica tells, so who grants the right to read these rows answers for it.
 * </ul>
 *
 * <p>Neither does it see super_read_only switched off and on, or RESET REPLICA, between the snapshots of one round.
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
                new SnapshotScript(List.of(READ_ONLY), touches, List.of(CHANNELS, WORKERS, READ_ONLY)).run(group.all());
        Set<String> applied = new HashSet<>();
        for (SnapshotScript.Opened opened : all) {
            if (opened.warned()) {
                return SnapshotRound.NO_SNAPSHOT;
            }
            for (Reply read : opened.after()) {
                if (read instanceof Reply.Failed unread) {
                    return SnapshotRound.unprovable("the rows of replication cannot be read: "
                            + unread.exception().getMessage());
                }
            }
            if (!"1".equals(value(opened.before().get(0), 0))
                    || !"1".equals(value(opened.after().get(2), 0))) {
                return SnapshotRound.unprovable("super_read_only is not on");
            }
            applied.add(rows(opened.after().get(0)) + "/" + rows(opened.after().get(1)));
        }
        String untold = untold(rows(all.get(0).after().get(0)));
        if (!untold.isEmpty()) {
            return SnapshotRound.unprovable(untold);
        }
        if (applied.size() > 1) {
            return SnapshotRound.unequal("replicated transactions were committed in between");
        }
        List<Row> counters = first.query(XA).rows();
        boolean none = counters.size() == XA_COUNTERS && counters.stream().allMatch(row -> "0".equals(row.ascii(1)));
        return none ? SnapshotRound.VERIFIED : SnapshotRound.unprovable("there have been XA transactions");
    }

    /** Why the rows of the channels do not tell all that was applied; "" when they do. */
    private static String untold(List<Row> channels) {
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

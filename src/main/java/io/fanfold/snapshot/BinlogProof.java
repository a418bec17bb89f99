package io.fanfold.snapshot;

import static io.fanfold.snapshot.WorkerReplies.value;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The proof for a MariaDB server with a binary log: all snapshots have the same position in it. If the server does not
 * log replicated transactions, they do not move the position. There, replication must not run before or after; while it
 * runs, {@link SlavePosProof} may succeed.
 *
 * <p>The end of the log (gtid_binlog_pos) must be the same before each snapshot and after worker 0's touch. DDL moves
 * it before it releases its metadata lock, so no DDL ran between a snapshot and the touch, see {@link SnapshotScript}.
 *
 * <p>After the first XA COMMIT, a round checks more, see {@link PreparedCommits}.
 *
 * @param positions reads the positions
 * @param prepared checks XA transactions; the same one for all proofs of a server
 * @param logsReplication whether the server logs replicated transactions
 * @param touches see {@link SnapshotScript}
 */
record BinlogProof(BinlogPositions positions, PreparedCommits prepared, boolean logsReplication, List<String> touches)
        implements SnapshotProof {
    private static final String LOGGED = "SELECT @@global.gtid_binlog_pos";
    private static final List<String> REPLICATION =
            List.of("SHOW GLOBAL STATUS LIKE 'Slaves_running'", "SELECT @@global.gtid_slave_pos");
    private static final String NEVER_REPLICATED = "0;";
    private static final SnapshotRound REPLICATES =
            SnapshotRound.unprovable("the server replicates and does not log what it replicates");

    @Override
    public SnapshotRound round(SnapshotGroup group, long deadline)
            throws IOException, ServerException, InterruptedException {
        String replicated = logsReplication ? "" : replication(group.first());
        if (!logsReplication && !replicated.startsWith("0;")) {
            return REPLICATES;
        }
        boolean xa = prepared.counted();
        List<String> before = xa ? List.of(LOGGED, PreparedCommits.LISTED) : List.of(LOGGED);
        List<SnapshotScript.Opened> all = new SnapshotScript(before, touches, List.of(LOGGED)).run(group);
        SnapshotRound listed = xa
                ? prepared.judge(
                        all.stream().map(opened -> opened.before().get(1)).toList())
                : SnapshotRound.VERIFIED;
        if (listed.kind() != SnapshotOutcome.SnapshotState.VERIFIED) {
            return listed;
        }
        for (SnapshotScript.Opened opened : all) {
            Optional<SnapshotRound> unread = opened.unread("the binary log's position");
            if (unread.isPresent()) {
                return unread.get();
            }
        }
        long ends = all.stream()
                .flatMap(opened ->
                        Stream.of(opened.before().get(0), opened.after().get(0)))
                .map(reply -> value(reply, 0))
                .distinct()
                .count();
        if (ends > 1) {
            return SnapshotRound.unequal("transactions were committed in between");
        }
        List<String> afterwards = new ArrayList<>(logsReplication ? List.of() : REPLICATION);
        if (!xa) {
            afterwards.add(PreparedCommits.COUNTED);
        }
        List<Reply> replies = new ArrayList<>();
        SnapshotRound round = positions.compare(group.all(), afterwards, replies, deadline);
        if (round.kind() != SnapshotOutcome.SnapshotState.VERIFIED) {
            return round;
        }
        if (!xa && !prepared.none(replies.get(replies.size() - 1))) {
            return SnapshotRound.unequal("XA COMMIT stands in the log before it shows in tables");
        }
        if (logsReplication) {
            return round;
        }
        if (!replicated.equals(replication(replies))) {
            return REPLICATES;
        }
        // what it has replicated at another time is not in the log
        return replicated.equals(NEVER_REPLICATED) ? round : SnapshotRound.VERIFIED;
    }

    /** Returns the number of running replication threads and the position they reached, in one text. */
    private static String replication(WireConnection worker) throws IOException, ServerException {
        List<List<Reply>> replies = WorkerReplies.everywhere(List.of(worker), REPLICATION);
        WorkerReplies.succeeded(replies);
        return replication(replies.get(0));
    }

    private static String replication(List<Reply> replies) {
        return value(replies.get(0), 1) + ";" + value(replies.get(1), 0);
    }
}

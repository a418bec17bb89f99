package io.fanfold.backend;

import static io.fanfold.backend.WorkerReplies.value;

import java.io.IOException;
import java.util.List;

/**
 * The proof of a MariaDB server with a binary log: all snapshots have the same position in it. On a server that does
 * not log what it replicates positions do not move with replicated commits: there, replication must not run, neither
 * before nor after; while it runs {@link SlavePosProof} may prove more.
 *
 * <p>A server that was ever asked for XA COMMIT proves nothing until it is restarted, see {@link PreparedCommits}.
 *
 * @param positions reads the positions
 * @param logsReplication whether the server logs what it replicates
 */
record BinlogProof(BinlogPositions positions, boolean logsReplication) implements SnapshotProof {
    private static final List<String> REPLICATION =
            List.of("SHOW GLOBAL STATUS LIKE 'Slaves_running'", "SELECT @@global.gtid_slave_pos");
    private static final SnapshotRound REPLICATES =
            SnapshotRound.unprovable("the server replicates and does not log what it replicates");

    @Override
    public SnapshotRound round(List<WireConnection> workers, long deadline)
            throws IOException, ServerException, InterruptedException {
        String replicated = logsReplication ? "" : replication(workers.get(0));
        if (!logsReplication && !replicated.startsWith("0;")) {
            return REPLICATES;
        }
        WorkerReplies.succeeded(WorkerReplies.everywhere(workers, SnapshotOpener.BEGIN));
        SnapshotRound round = positions.compare(workers, deadline);
        if (round.kind() != SnapshotOutcome.Kind.VERIFIED) {
            return round;
        }
        if (!PreparedCommits.none(workers.get(0))) {
            return SnapshotRound.unprovable("XA COMMIT stands in the log before it shows in tables");
        }
        return logsReplication || replicated.equals(replication(workers.get(0))) ? round : REPLICATES;
    }

    /** The number of running replication threads and the position they reached, in one text. */
    private static String replication(WireConnection worker) throws IOException, ServerException {
        List<List<Reply>> replies = WorkerReplies.everywhere(List.of(worker), REPLICATION);
        WorkerReplies.succeeded(replies);
        return value(replies.get(0).get(0), 1) + ";" + value(replies.get(0).get(1), 0);
    }
}

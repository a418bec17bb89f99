package io.fanfold.backend;

import static io.fanfold.backend.WorkerReplies.value;

import java.io.IOException;
import java.util.List;

/**
 * The proof of a MariaDB server with a binary log: all snapshots have the same position in it. On a server that does
 * not log what it replicates positions do not move with replicated commits: there, replication must not run, neither
 * before nor after; while it runs {@link SlavePosProof} may prove more.
 *
 * <p>From the first XA COMMIT on a round asks for more, see {@link PreparedCommits}.
 *
 * @param positions reads the positions
 * @param prepared tells of XA; the same one for all proofs of a server
 * @param logsReplication whether the server logs what it replicates
 */
record BinlogProof(BinlogPositions positions, PreparedCommits prepared, boolean logsReplication)
        implements SnapshotProof {
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
        boolean xa = prepared.counted();
        SnapshotRound opened = xa ? prepared.open(workers) : begun(workers);
        SnapshotRound round =
                opened.kind() == SnapshotOutcome.Kind.VERIFIED ? positions.compare(workers, deadline) : opened;
        if (round.kind() != SnapshotOutcome.Kind.VERIFIED) {
            return round;
        }
        if (!xa && !prepared.none(workers.get(0))) {
            return SnapshotRound.unequal("XA COMMIT stands in the log before it shows in tables");
        }
        return logsReplication || replicated.equals(replication(workers.get(0))) ? round : REPLICATES;
    }

    private static SnapshotRound begun(List<WireConnection> workers) throws IOException, ServerException {
        WorkerReplies.succeeded(WorkerReplies.everywhere(workers, SnapshotOpener.BEGIN));
        return SnapshotRound.VERIFIED;
    }

    /** The number of running replication threads and the position they reached, in one text. */
    private static String replication(WireConnection worker) throws IOException, ServerException {
        List<List<Reply>> replies = WorkerReplies.everywhere(List.of(worker), REPLICATION);
        WorkerReplies.succeeded(replies);
        return value(replies.get(0).get(0), 1) + ";" + value(replies.get(0).get(1), 0);
    }
}

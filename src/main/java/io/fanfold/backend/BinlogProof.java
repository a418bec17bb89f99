package io.fanfold.backend;

import static io.fanfold.backend.WorkerReplies.value;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The proof of a MariaDB server with a binary log: binlog_snapshot_file and binlog_snapshot_position name the last commit in a
 * snapshot. The server prepares both in variables that all sessions share, so they are read by one worker at a time, under a
 * lock, and twice, since other programs may read them as well. On a server that does not log what it replicates they do
 * not move with replicated commits: there, replication must not run, neither before nor after.
 *
 * @param lock held while positions are read; the same one for all proofs of a server
 * @param logsReplication whether the server logs what it replicates
 */
record BinlogProof(ReentrantLock lock, boolean logsReplication) implements SnapshotProof {
    private static final String POSITION = "SHOW STATUS LIKE 'binlog_snapshot_%'";
    private static final List<String> REPLICATION =
            List.of("SHOW GLOBAL STATUS LIKE 'Slaves_running'", "SELECT @@global.gtid_slave_pos");

    @Override
    public SnapshotRound round(List<WireConnection> workers, long deadline)
            throws IOException, ServerException, InterruptedException {
        String replicated = logsReplication ? "" : replication(workers.get(0));
        WorkerReplies.succeeded(WorkerReplies.everywhere(workers, SnapshotOpener.BEGIN));
        Set<String> positions = new HashSet<>();
        if (!lock.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
            return SnapshotRound.unequal("other queries were reading binlog positions");
        }
        try {
            for (WireConnection worker : workers) {
                List<List<Reply>> replies = WorkerReplies.everywhere(List.of(worker), List.of(POSITION, POSITION));
                WorkerReplies.succeeded(replies);
                for (Reply reply : replies.get(0)) {
                    positions.add(WorkerReplies.rows(reply).toString());
                }
            }
        } finally {
            lock.unlock();
        }
        if (positions.size() > 1) {
            return SnapshotRound.unequal("transactions were committed in between");
        }
        if (!positions.iterator().next().matches("(?i).*binlog_snapshot_file\\|[^,\\]]+.*")) {
            return SnapshotRound.unprovable("the server names no binlog position of a snapshot");
        }
        if (!logsReplication && !(replicated.startsWith("0;") && replicated.equals(replication(workers.get(0))))) {
            return SnapshotRound.unprovable("the server replicates and does not log what it replicates");
        }
        return SnapshotRound.VERIFIED;
    }

    /** The number of running replication threads and the position they reached, in one text. */
    private static String replication(WireConnection worker) throws IOException, ServerException {
        List<List<Reply>> replies = WorkerReplies.everywhere(List.of(worker), REPLICATION);
        WorkerReplies.succeeded(replies);
        return value(replies.get(0).get(0), 1) + ";" + value(replies.get(0).get(1), 0);
    }
}

package io.fanfold.backend;

import io.fanfold.catalog.TableName;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Opens consistent snapshots on several connections to one server and proves that they are the same: by what the server says of
 * commits ({@link GtidProof}, {@link BinlogProof}), and where that does not succeed and it is allowed, under a lock
 * ({@link TableLockProof}). All workers are sent their statements before any reply is awaited, so one thread suffices. Safe for
 * all threads; the connections are used by the calling thread.
 *
 * <p>The first two cannot see sessions that write with sql_log_bin=0, nor databases that the server keeps out of its binary
 * log (binlog_do_db, binlog_ignore_db): where these change tables that are split, relaxed consistency is what one gets. The lock sees them.
 */
public final class SnapshotOpener {
    static final String ISOLATION = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
    static final String START = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";

    /** The isolation level holds for the one transaction that follows, whose snapshot counts with no other level. */
    static final List<String> BEGIN = List.of(ISOLATION, START);

    private static final String ROLLBACK = "ROLLBACK AND NO CHAIN NO RELEASE";

    private final TableLockProof.Connections locking;
    private final ReentrantLock binlogPositions = new ReentrantLock(true);

    SnapshotOpener(TableLockProof.Connections locking) {
        this.locking = locking;
    }

    /**
     * Opens a snapshot on each worker, again and again until they are proven the same, or rounds or time are used up; and
     * once more under a lock, where that is allowed.
     *
     * @param workers idle connections to one server, at least one
     * @param server what is known of that server
     * @param config what is demanded, and what may be done for it
     * @param tables what the workers are going to read
     * @return whether the workers' transactions may be used; in any case they are to be rolled back by whoever gives the
     *     connections back
     * @throws ServerException when a worker may not open a snapshot
     * @throws IOException when a connection failed
     */
    public SnapshotOutcome open(
            List<WireConnection> workers, ServerFacts server, SnapshotConfig config, Collection<TableName> tables)
            throws IOException, ServerException, InterruptedException {
        long start = System.nanoTime();
        if (config.consistency() == Consistency.RELAXED) {
            WorkerReplies.succeeded(WorkerReplies.everywhere(workers, BEGIN));
            return new SnapshotOutcome(SnapshotOutcome.Kind.RELAXED, 1, System.nanoTime() - start, "");
        }
        String obstacle = obstacle(server);
        int rounds = 0;
        SnapshotRound round = SnapshotRound.unprovable(obstacle);
        if (obstacle.isEmpty()) {
            SnapshotProof proof =
                    server.mariaDb() ? new BinlogProof(binlogPositions, server.logReplicaUpdates()) : new GtidProof();
            long deadline = start + config.time().toNanos();
            do {
                rounds++;
                endLast(workers);
                round = proof.round(workers, deadline);
            } while (round.kind() == SnapshotOutcome.Kind.NOT_EQUAL
                    && rounds < config.rounds()
                    && System.nanoTime() - deadline < 0);
        }
        // a Galera node takes metadata locks away from those who hold them
        boolean lockable = config.tableLocks() == TableLocks.ALLOW && !server.galera() && !tables.isEmpty();
        if (round.kind() != SnapshotOutcome.Kind.VERIFIED && lockable) {
            rounds++;
            endLast(workers);
            String before = round.detail();
            long deadline = System.nanoTime() + config.lockTime().toNanos();
            round = new TableLockProof(locking, server, tables).round(workers, deadline);
            if (!round.detail().isEmpty()) {
                round = new SnapshotRound(round.kind(), before + "; " + round.detail());
            }
        }
        return new SnapshotOutcome(round.kind(), rounds, System.nanoTime() - start, round.detail());
    }

    /** Why a server cannot prove snapshots equal; "" when it can. */
    private static String obstacle(ServerFacts server) {
        if (!server.logBin()) {
            return "the server has no binary log";
        }
        if (server.galera()) {
            return "the server is a Galera node";
        }
        return server.mariaDb() || server.logReplicaUpdates() ? "" : "the server does not log what it replicates";
    }

    /** Ends what the last round left. */
    private static void endLast(List<WireConnection> workers) throws IOException, ServerException {
        WorkerReplies.succeeded(WorkerReplies.everywhere(
                workers.stream().filter(WireConnection::inTransaction).toList(), List.of(ROLLBACK)));
    }
}

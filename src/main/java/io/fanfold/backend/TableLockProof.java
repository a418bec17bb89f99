package io.fanfold.backend;

import io.fanfold.catalog.TableName;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The proof of any server: while a connection of its own holds {@code LOCK TABLES ... READ}, no transaction has changes of these
 * tables that are not committed, and none can begin any, so that all snapshots opened meanwhile show the same rows of them.
 * Whoever has written to a table holds its metadata lock until the end of the transaction, also a replication thread and a
 * session without a binary log. Other reads go on; writes wait until the snapshots are open.
 *
 * <p>On MariaDB the lock is released where the session goes that has prepared a transaction (XA PREPARE), and on a replica
 * always; XA COMMIT by another session takes none (seen on 10.11). Such a transaction was prepared before the tables could be
 * locked, and XA RECOVER lists it until its changes are visible: so nothing may be listed once they are locked.
 *
 * <p>A transaction that has written keeps the lock waiting; then it is given up. A lock that waits keeps nobody else waiting
 * (measured on MySQL 9.7 and MariaDB 10.11).
 *
 * @param connections where the connection comes from that locks
 * @param server the one that the workers are connected to
 * @param tables what is read, at least one table
 */
record TableLockProof(Connections connections, ServerFacts server, Collection<TableName> tables)
        implements SnapshotProof {
    /** One millisecond, in nanoseconds: a socket waits no shorter. */
    private static final long SHORTEST_WAIT = 1_000_000;

    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int QUERY_INTERRUPTED = 1317;
    private static final Set<Integer> WAITED_LONG = Set.of(LOCK_WAIT_TIMEOUT, QUERY_INTERRUPTED);

    /** Where the connection comes from that locks, and how its statement is ended. */
    interface Connections {
        /** One to that server that is free now; it is not waited for. */
        Optional<Lease> free(ServerFacts server) throws InterruptedException;

        /** Ends the statement of a connection. */
        void killQuery(Lease lease) throws IOException, ServerException;
    }

    @Override
    public SnapshotRound round(List<WireConnection> workers, long deadline)
            throws IOException, ServerException, InterruptedException {
        Optional<Lease> free = connections.free(server);
        if (free.isEmpty()) {
            return SnapshotRound.unequal("no worker connection was free to lock tables");
        }
        try (Lease lease = free.get()) {
            WireConnection locking = lease.connection();
            Reply locked = lock(lease, deadline);
            if (locked instanceof Reply.Failed failed) {
                return WAITED_LONG.contains(failed.errno())
                        ? SnapshotRound.unequal("its tables were being written to")
                        : SnapshotRound.unprovable("its tables cannot be locked: " + failed.errno() + " "
                                + failed.exception().getMessage());
            }
            try {
                // only MariaDB gives the locks of what is prepared away
                return server.mariaDb() && !nothingPrepared(locking)
                        ? SnapshotRound.unprovable("what is prepared by XA may hold no lock")
                        : opened(workers);
            } finally {
                locking.execute("UNLOCK TABLES");
            }
        }
    }

    private Reply lock(Lease lease, long deadline) throws IOException, ServerException {
        WireConnection locking = lease.connection();
        String names = tables.stream().map(table -> table.quoted() + " READ").collect(Collectors.joining(", "));
        // should the kill not get through, the server gives the lock up by itself
        locking.execute("SET SESSION lock_wait_timeout = 1");
        locking.sendTexts(List.of("LOCK TABLES " + names));
        Duration patience = Duration.ofNanos(Math.max(SHORTEST_WAIT, deadline - System.nanoTime()));
        if (!locking.answers(patience)) {
            // it may just have succeeded: then the kill finds nothing, and the lock is there
            connections.killQuery(lease);
        }
        return locking.receive();
    }

    private static boolean nothingPrepared(WireConnection locking) throws IOException {
        Reply listed = locking.pipeline(List.of(PreparedCommits.LISTED)).get(0);
        return listed instanceof Reply.Result result && result.rows().isEmpty();
    }

    private static SnapshotRound opened(List<WireConnection> workers) throws IOException, ServerException {
        List<List<Reply>> all = WorkerReplies.everywhere(workers, SnapshotOpener.BEGIN);
        WorkerReplies.succeeded(all);
        boolean warned = all.stream().anyMatch(replies -> WorkerReplies.warned(replies.get(1)));
        return warned ? SnapshotRound.unprovable("the server took no snapshot") : SnapshotRound.LOCKED;
    }
}

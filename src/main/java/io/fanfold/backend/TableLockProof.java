package io.fanfold.backend;

import io.fanfold.catalog.TableName;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The proof of any server: while a connection of its own holds {@code LOCK TABLES ... READ}, no transaction has uncommitted changes
 * of these tables, and none can begin any, so all snapshots that are opened meanwhile show the same rows of them. A transaction
 * that has written to a table holds its metadata lock until it ends. This includes replication threads and sessions without a
 * binary log. DDL has to wait too, until worker 0 has touched the tables, see {@link SnapshotScript}.
 *
 * <p><b>What other sessions notice.</b> Reads go on. Writes to the tables wait while the lock is held: until the snapshots are open,
 * and {@link #HELD_WAITS} times {@code lockWait} at the most. While the lock is waited for, nobody waits (measured on MySQL 9.7 and
 * MariaDB 10.11). On MariaDB the proxy asks with NOWAIT, up to ten times; MySQL has no such form, so there a kill ends the wait.
 *
 * <p>On MariaDB the lock is released when a session that has prepared a transaction (XA PREPARE) ends, and on a replica always; XA
 * COMMIT by another session takes none (seen on 10.11). Such a transaction was prepared before the tables could be locked, and XA
 * RECOVER lists it until its changes are visible: so nothing may be listed once they are locked.
 *
 * @param connections where the connection comes from that locks
 * @param server the one that the workers are connected to
 * @param tables what is read, at least one table
 * @param touches see {@link SnapshotScript}
 * @param lockWait how long MySQL is waited for, and MariaDB is asked if that is longer than ten times; at least 1 ms
 */
record TableLockProof(
        LockConnections connections,
        ServerFacts server,
        Collection<TableName> tables,
        List<String> touches,
        Duration lockWait)
        implements SnapshotProof {
    /** Should the kill not get through, the server gives the lock up by itself. It waits for whole seconds. */
    static final String SHORT_WAIT = "SET SESSION lock_wait_timeout = 1";

    /** How many times {@code lockWait} the lock is held at the most. */
    static final int HELD_WAITS = 4;

    /** How often MariaDB is asked at least, and the pause in between; nobody waits for these requests. */
    private static final int TRIES = 10;

    private static final long PAUSE_MILLIS = 5;

    /** One millisecond, in nanoseconds: a socket waits no shorter. */
    private static final long SHORTEST_WAIT = 1_000_000;

    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int QUERY_INTERRUPTED = 1317;
    private static final Set<Integer> WAITED_LONG = Set.of(LOCK_WAIT_TIMEOUT, QUERY_INTERRUPTED);

    @Override
    public SnapshotRound round(SnapshotGroup group, long deadline)
            throws IOException, ServerException, InterruptedException {
        return connections.with(server, holder -> round(holder, group));
    }

    private SnapshotRound round(LockConnections.Holder holder, SnapshotGroup group)
            throws IOException, ServerException, InterruptedException {
        if (lock(holder) instanceof Reply.Failed failed) {
            return WAITED_LONG.contains(failed.errno())
                    ? SnapshotRound.unequal("the tables were being written to")
                    : SnapshotRound.unprovable("the tables cannot be locked: " + failed.errno() + " "
                            + failed.exception().getMessage());
        }
        Held held = new Held(holder.connection(), System.nanoTime() + HELD_WAITS * lockWait.toNanos());
        try {
            // only MariaDB gives the locks of what is prepared away
            return server.mariaDb() && !nothingPrepared(holder.connection())
                    ? SnapshotRound.unprovable("a transaction that was prepared by XA may hold no lock")
                    : opened(group.all(), held);
        } finally {
            held.release();
        }
    }

    /** Tries to lock the tables for as long as may be waited; returns the last reply. */
    private Reply lock(LockConnections.Holder holder) throws IOException, ServerException, InterruptedException {
        WireConnection locking = holder.connection();
        String names = tables.stream().map(table -> table.quoted() + " READ").collect(Collectors.joining(", "));
        long deadline = System.nanoTime() + lockWait.toNanos();
        locking.sendTexts(List.of(SHORT_WAIT, "LOCK TABLES " + names + (server.mariaDb() ? " NOWAIT" : "")));
        WorkerReplies.succeeded(List.of(locking.receive(1)));
        if (!server.mariaDb()) {
            if (!locking.answers(left(deadline))) {
                // it may just have succeeded: then the kill finds nothing, and the lock is there
                holder.killQuery();
            }
            return locking.receive();
        }
        Reply reply = locking.receive();
        for (int tries = 1;
                (tries < TRIES || System.nanoTime() - deadline < 0)
                        && reply instanceof Reply.Failed failed
                        && failed.errno() == LOCK_WAIT_TIMEOUT;
                tries++) {
            // other transactions than those that were open the last time
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            reply = locking.pipeline(List.of("LOCK TABLES " + names + " NOWAIT"))
                    .get(0);
        }
        return reply;
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(SHORTEST_WAIT, deadline - System.nanoTime()));
    }

    private static boolean nothingPrepared(WireConnection locking) throws IOException {
        Reply listed = locking.pipeline(List.of(PreparedCommits.LISTED)).get(0);
        return listed instanceof Reply.Result result && result.rows().isEmpty();
    }

    private SnapshotRound opened(List<SnapshotConnection> all, Held held) throws IOException, ServerException {
        SnapshotScript script = new SnapshotScript(List.of(), touches, List.of());
        script.send(all);
        List<SnapshotScript.Opened> opened = script.receive(all, held::releaseIfLate);
        if (held.late) {
            return SnapshotRound.unequal("the workers opened their snapshots after the lock was released");
        }
        return opened.stream().anyMatch(SnapshotScript.Opened::warned)
                ? SnapshotRound.NO_SNAPSHOT
                : SnapshotRound.LOCKED;
    }

    /** The lock, from being there to being released. */
    private static final class Held {
        private final WireConnection locking;
        private final long deadline;
        private boolean released;
        private boolean late;

        Held(WireConnection locking, long deadline) {
            this.locking = locking;
            this.deadline = deadline;
        }

        /** Lets writers go on when a worker takes too long. */
        void releaseIfLate(SnapshotConnection connection) throws IOException, ServerException {
            if (!late && !connection.answers(left(deadline))) {
                late = true;
                release();
            }
        }

        void release() throws IOException, ServerException {
            if (!released) {
                released = true;
                locking.execute("UNLOCK TABLES");
            }
        }
    }
}

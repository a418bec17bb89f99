package io.fanfold.snapshot;

import io.fanfold.catalog.TableName;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.SnapshotConnection;
import io.fanfold.client.WireConnection;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The proof for any server. While a separate connection holds {@code LOCK TABLES ... READ}, no transaction has
 * uncommitted changes of these tables, and none can begin any. So all snapshots opened meanwhile show the same rows of
 * them.
 *
 * <p>A transaction that has written to a table holds its metadata lock until it ends. This includes replication threads
 * and sessions that do not write to the binary log. DDL waits too, until worker 0 has touched the tables, see
 * {@link SnapshotScript}.
 *
 * <p><b>Effect on other sessions.</b> Reads continue. Writes to the tables wait while the lock is held: until the
 * snapshots are open, at most {@link #HELD_WAITS} times {@code lockWait}. While the proxy waits for the lock, no other
 * session waits (measured on MySQL 9.7 and MariaDB 10.11). On MariaDB the proxy uses NOWAIT and tries at least ten
 * times; MySQL has no such form, so there a kill ends the wait.
 *
 * <p>On MariaDB the metadata lock is released when a session that has prepared a transaction (XA PREPARE) ends, and on
 * a replica always. XA COMMIT by another session then takes none (seen on 10.11). Such a transaction was prepared
 * before the tables could be locked, and XA RECOVER lists it until its changes are visible. So the list must be empty
 * once the tables are locked.
 *
 * <p>The workers may also be connected to replicas of the server that have applied, when the snapshots are opened, all that
 * it had committed to these tables when they were locked.
 *
 * @param connections supplies the connection that locks
 * @param server the server whose tables are locked
 * @param tables the tables that are read, at least one
 * @param touches see {@link SnapshotScript}
 * @param reads what each connection also reads under the lock; for tables with rows on other servers, on which the lock
 *     is then taken too. All rows must be equal: they show how these servers define the tables
 * @param lockWait how long to wait for the lock; MariaDB is asked at least ten times, even if that takes longer. At
 *     least 1 ms
 * @param first what is done before the snapshots are opened
 */
record TableLockProof(
        LockConnections connections,
        ServerFacts server,
        Collection<TableName> tables,
        List<String> touches,
        List<String> reads,
        Duration lockWait,
        WhileLocked first)
        implements SnapshotProof {
    private static final Logger LOG = LoggerFactory.getLogger(TableLockProof.class);

    /** Lets the server end the wait itself if the kill fails. The server counts whole seconds. */
    static final String SHORT_WAIT = "SET SESSION lock_wait_timeout = 1";

    /**
     * Has Spider take the lock on the other servers, whatever the global settings are. There, the wait ends after a second
     * if a kill does not end it.
     */
    private static final String LOCK_REMOTELY = ", spider_local_lock_table = 0, spider_lock_exchange = 0,"
            + " spider_semi_table_lock = 0, spider_net_read_timeout = 1";

    /**
     * InnoDB locks as with READ, here and on the other servers. With READ, the head also locks a Spider table itself, and
     * ends that lock after those on the other servers. An UPDATE that arrives between them waits on the head for the
     * statements that change the table. If one of these waits for a row that the same transaction has changed, both wait
     * until innodb_lock_wait_timeout (seen on 10.11.18 by SpiderIT with {@code -Dfanfold.it.spider.commits=50}).
     * With READ LOCAL, NOWAIT does not end the wait for a transaction of this head either, see {@link LockPauses}.
     */
    private static final String LOCAL = " READ LOCAL";

    /** The connection may run partition queries later, which may be silent for longer. */
    private static final String AS_BEFORE =
            "SET SESSION spider_local_lock_table = DEFAULT, spider_lock_exchange = DEFAULT,"
                    + " spider_semi_table_lock = DEFAULT, spider_net_read_timeout = DEFAULT";

    /** The longest time that the lock is held, as a multiple of {@code lockWait}. */
    static final int HELD_WAITS = 4;

    /** The least number of attempts on MariaDB. They make no other session wait. */
    private static final int TRIES = 10;

    private static final long PAUSE_MILLIS = 5;

    /** One millisecond in nanoseconds, the shortest socket timeout. */
    private static final long SHORTEST_WAIT = 1_000_000;

    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int QUERY_INTERRUPTED = 1317;

    /** What Spider reports if another server does not answer in time. */
    private static final int READ_TIMEOUT = 1159;

    private static final Set<Integer> WAITED_LONG = Set.of(LOCK_WAIT_TIMEOUT, QUERY_INTERRUPTED, READ_TIMEOUT);

    @Override
    public SnapshotRound round(SnapshotGroup group, long deadline)
            throws IOException, ServerException, InterruptedException {
        return connections.with(server, holder -> remote() ? remoteRound(holder, group) : round(holder, group));
    }

    private SnapshotRound remoteRound(LockConnections.Holder holder, SnapshotGroup group)
            throws IOException, ServerException, InterruptedException {
        boolean ended = false;
        try {
            SnapshotRound round = round(holder, group);
            if (!holder.connection().broken()) {
                holder.connection().execute(AS_BEFORE);
            }
            ended = true;
            return round;
        } finally {
            if (!ended) {
                holder.connection().abort();
            }
        }
    }

    private SnapshotRound round(LockConnections.Holder holder, SnapshotGroup group)
            throws IOException, ServerException, InterruptedException {
        if (lock(holder) instanceof Reply.Failed failed) {
            if (remote()) {
                // Spider has locked some of the other servers, and only the end of the connection unlocks them and ends
                // the
                // request that still waits (10.11.19): UNLOCK TABLES does neither
                holder.connection().abort();
            }
            return WAITED_LONG.contains(failed.errno())
                    ? SnapshotRound.unequal("the tables were being written to")
                    : SnapshotRound.unprovable(
                            "the tables cannot be locked: " + failed.errno() + " " + failed.message());
        }
        TableLock held = new TableLock(holder.connection(), System.nanoTime() + HELD_WAITS * lockWait.toNanos());
        try {
            // only MariaDB releases the metadata locks of prepared transactions
            if (server.flavor().isMariaDb() && !nothingPrepared(holder.connection())) {
                return SnapshotRound.unprovable("a transaction that was prepared by XA may hold no lock");
            }
            Optional<String> obstacle = first.run(holder.connection(), left(held.deadline));
            return obstacle.isPresent() ? SnapshotRound.unequal(obstacle.get()) : opened(group.all(), held);
        } finally {
            held.release();
        }
    }

    /** Tries to lock the tables until {@code lockWait} has passed; returns the last reply. */
    private Reply lock(LockConnections.Holder holder) throws IOException, ServerException, InterruptedException {
        WireConnection locking = holder.connection();
        String mode = remote() ? LOCAL : " READ";
        String names = tables.stream().map(table -> table.quoted() + mode).collect(Collectors.joining(", "));
        String lock = "LOCK TABLES " + names + (server.flavor().isMariaDb() ? " NOWAIT" : "");
        long deadline = System.nanoTime() + lockWait.toNanos();
        locking.sendTexts(List.of(remote() ? SHORT_WAIT + LOCK_REMOTELY : SHORT_WAIT, lock));
        Reply set = locking.receive();
        Reply reply = answered(holder, deadline);
        WorkerReplies.succeeded(List.of(List.of(set)));
        for (int tries = 1;
                server.flavor().isMariaDb()
                        && (tries < TRIES || System.nanoTime() - deadline < 0)
                        && reply instanceof Reply.Failed failed
                        && failed.errno() == LOCK_WAIT_TIMEOUT;
                tries++) {
            // wait for other transactions than the last attempt met
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            locking.sendTexts(List.of(lock));
            reply = answered(holder, System.nanoTime() + lockWait.toNanos());
        }
        return reply;
    }

    /**
     * Whether the lock is taken on other servers too. NOWAIT does not reach them. While the lock waits for a writer to one of
     * them, other sessions cannot write to those that are locked already.
     */
    boolean remote() {
        return !reads.isEmpty();
    }

    private Reply answered(LockConnections.Holder holder, long deadline) throws IOException, ServerException {
        boolean waits = server.flavor().isMySql() || remote();
        if (waits && !holder.connection().answers(left(deadline))) {
            // LOCK TABLES may just have succeeded: then the kill has no effect and the lock is held
            kill(holder);
        }
        return holder.connection().receive();
    }

    /** If the kill fails, the wait ends by the timeouts of the session. */
    private static void kill(LockConnections.Holder holder) {
        try {
            holder.killQuery();
        } catch (IOException | ServerException e) {
            LOG.debug("LOCK TABLES could not be killed", e);
        }
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(SHORTEST_WAIT, deadline - System.nanoTime()));
    }

    private static boolean nothingPrepared(WireConnection locking) throws IOException {
        Reply listed = locking.pipeline(List.of(PreparedCommits.LISTED)).get(0);
        return listed instanceof Reply.Result result && result.rows().isEmpty();
    }

    private SnapshotRound opened(List<SnapshotConnection> all, TableLock held) throws IOException, ServerException {
        SnapshotScript script = new SnapshotScript(List.of(), touches, reads);
        script.send(all);
        List<SnapshotScript.Opened> opened = script.receive(all, held::releaseIfLate);
        if (held.late) {
            return SnapshotRound.unequal("the workers opened their snapshots after the lock was released");
        }
        WorkerReplies.succeeded(
                opened.stream().map(SnapshotScript.Opened::after).toList());
        long definitions = opened.stream()
                .flatMap(each -> each.after().stream())
                .flatMap(reply -> WorkerReplies.rows(reply).stream())
                .map(Row::toString)
                .distinct()
                .count();
        if (definitions > 1) {
            return SnapshotRound.unprovable("the collations of a table differ on the servers with its rows");
        }
        return opened.stream().anyMatch(SnapshotScript.Opened::warned)
                ? SnapshotRound.NO_SNAPSHOT
                : SnapshotRound.LOCKED;
    }

    /** The lock, from when it is acquired until it is released. */
    private static final class TableLock {
        private final WireConnection locking;
        private final long deadline;
        private boolean released;
        private boolean late;

        TableLock(WireConnection locking, long deadline) {
            this.locking = locking;
            this.deadline = deadline;
        }

        /** Releases the lock if a worker takes too long, so that writers continue. */
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

package io.fanfold.snapshot;

import io.fanfold.catalog.TableName;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.SnapshotConnection;
import io.fanfold.client.WireConnection;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Opens consistent snapshots on several connections to one server and proves that they are equal. The proof is the
 * server's information about commits ({@link GtidProof}, {@link BinlogProof}) or about replication
 * ({@link AppliedProof}, {@link SlavePosProof}). If none of them succeeds and locks are allowed, the snapshots are
 * opened under a lock ({@link TableLockProof}). One snapshot alone needs no proof.
 *
 * <p>All workers are sent their statements before any reply is awaited, so one thread suffices. Safe for use by
 * multiple threads; the connections are used by the calling thread.
 *
 * <p>{@link GtidProof} and {@link BinlogProof} do not see sessions that write with sql_log_bin=0. Nor do they see
 * databases left out of the binary log (binlog_do_db, binlog_ignore_db). If these change tables that are split,
 * consistency is only relaxed. The lock sees them.
 */
public final class SnapshotOpener {
    /** Ends a transaction and nothing else, whatever completion_type says. */
    public static final String ROLLBACK = "ROLLBACK AND NO CHAIN NO RELEASE";

    private final LockConnections locking;
    private final LongSupplier nanoTime;
    private final LockPauses pauses;
    private final ReentrantLock binlogPositions = new ReentrantLock(true);
    private final PreparedCommits prepared = new PreparedCommits();

    public SnapshotOpener(LockConnections locking) {
        this(locking, System::nanoTime);
    }

    /** @param nanoTime see {@link System#nanoTime} */
    SnapshotOpener(LockConnections locking, LongSupplier nanoTime) {
        this.locking = locking;
        this.nanoTime = nanoTime;
        this.pauses = new LockPauses(nanoTime);
    }

    /**
     * Opens a snapshot on each worker and repeats this until the snapshots are proven equal, or rounds or time run out.
     * If that fails and it is allowed, opens them once more under a lock. Afterwards worker 0 holds the metadata locks
     * of the tables, and no DDL has changed them since the first snapshot.
     *
     * @param workers idle connections to one server, at least one
     * @param client the client's own connection, if it must read the same snapshot
     * @param queries what worker 0 runs inside its snapshot; not run by all proofs
     * @param server the facts about that server
     * @param config the required consistency and the allowed means
     * @param tables the tables that the workers will read
     * @param positioned whether the position of the snapshots is wanted; a single one then needs a proof too, and is used
     *     without its position if there is none
     * @param wanted whether the result is still wanted; checked between two rounds
     * @return whether the workers' transactions may be used; the caller rolls them back in any case
     * @throws ServerException if a worker may not open a snapshot, or worker 0 may not read a table
     * @throws IOException if a connection failed
     */
    public SnapshotOutcome open(
            List<WireConnection> workers,
            Optional<SnapshotConnection> client,
            SnapshotQueries queries,
            ServerFacts server,
            SnapshotConfig config,
            Collection<TableName> tables,
            boolean positioned,
            BooleanSupplier wanted)
            throws IOException, ServerException, InterruptedException {
        long start = System.nanoTime();
        SnapshotGroup group = new SnapshotGroup(workers, client, queries);
        List<String> touches = tables.stream().map(SnapshotConnection::touch).toList();
        boolean single = group.all().size() == 1;
        if (single && (!positioned || config.consistency() == Consistency.RELAXED)) {
            openOne(group, touches);
            return ended(SnapshotRound.VERIFIED, 1, start);
        }
        if (config.consistency() == Consistency.RELAXED) {
            new SnapshotScript(List.of(), touches, List.of()).run(group);
            return ended(SnapshotRound.RELAXED, 1, start);
        }
        List<String> refused = new ArrayList<>();
        int rounds = 0;
        SnapshotRound round = SnapshotRound.unprovable("");
        Iterator<SnapshotProof> proofs = proofs(server, touches, refused).iterator();
        long deadline = start + config.time().toNanos();
        while (round.kind() == SnapshotOutcome.SnapshotState.NOT_PROVABLE && proofs.hasNext()) {
            SnapshotProof proof = proofs.next();
            int tried = 0;
            do {
                tried++;
                endLast(group);
                round = proof.round(group, deadline);
            } while (round.kind() == SnapshotOutcome.SnapshotState.NOT_EQUAL
                    && tried < config.rounds()
                    && System.nanoTime() - deadline < 0
                    && wanted.getAsBoolean());
            rounds += tried;
            if (round.kind() == SnapshotOutcome.SnapshotState.NOT_PROVABLE) {
                refused.add(round.detail());
            }
        }
        if (round.kind() == SnapshotOutcome.SnapshotState.NOT_PROVABLE) {
            round = SnapshotRound.unprovable(String.join("; ", refused));
        }
        if (single && round.kind() != SnapshotOutcome.SnapshotState.VERIFIED) {
            endLast(group);
            openOne(group, touches);
            return ended(SnapshotRound.VERIFIED, rounds + 1, start);
        }
        if (lockable(round.kind(), config.tableLocks(), server) && !tables.isEmpty() && wanted.getAsBoolean()) {
            String before = round.detail();
            String names = server.serverKey() + " " + tables;
            Optional<SnapshotRound> paused = pauses.current(names);
            if (paused.isPresent()) {
                round = paused.get();
            } else {
                rounds++;
                endLast(group);
                round = locked(names, group, server, config, tables, List.of(), WhileLocked.NOTHING);
            }
            if (!round.detail().isEmpty()) {
                round = new SnapshotRound(round.kind(), before + "; " + round.detail(), "");
            }
        }
        return ended(round, rounds, start);
    }

    /**
     * Opens a snapshot on each worker while the tables are locked on the primary.
     *
     * @param workers connections to the primary or its replicas, without transactions, at least one
     * @param primary the facts about the primary, whose connections this supplies
     * @param config its locks are allowed
     * @param tables the tables that the workers will read, at least one
     * @param applied waits until the replicas have applied what the primary has committed
     * @return as {@link #open(List, Optional, SnapshotQueries, ServerFacts, SnapshotConfig, Collection, boolean,
     *     BooleanSupplier)}, without a position
     */
    public SnapshotOutcome openLocked(
            List<WireConnection> workers,
            ServerFacts primary,
            SnapshotConfig config,
            Collection<TableName> tables,
            WhileLocked applied)
            throws IOException, ServerException, InterruptedException {
        long start = System.nanoTime();
        SnapshotGroup group = new SnapshotGroup(workers, Optional.empty(), SnapshotQueries.NONE);
        // that replicas are awaited too long is no reason against a lock for one server
        String names = primary.serverKey() + " " + tables + " and replicas";
        Optional<SnapshotRound> paused = pauses.current(names);
        return paused.isPresent()
                ? ended(paused.get(), 0, start)
                : ended(locked(names, group, primary, config, tables, List.of(), applied), 1, start);
    }

    /**
     * Opens the snapshots under a lock.
     *
     * @param names of the server and the tables, for {@link LockPauses}
     * @param reads see {@link TableLockProof}
     * @param first see {@link TableLockProof}
     */
    private SnapshotRound locked(
            String names,
            SnapshotGroup group,
            ServerFacts server,
            SnapshotConfig config,
            Collection<TableName> tables,
            List<String> reads,
            WhileLocked first)
            throws IOException, ServerException, InterruptedException {
        List<String> touches = tables.stream().map(SnapshotConnection::touch).toList();
        long start = nanoTime.getAsLong();
        TableLockProof proof = new TableLockProof(locking, server, tables, touches, reads, config.lockWait(), first);
        SnapshotRound round =
                proof.round(group, System.nanoTime() + config.lockWait().toNanos());
        pauses.ended(names, round, proof.remote() ? Duration.ofNanos(nanoTime.getAsLong() - start) : Duration.ZERO);
        return round;
    }

    /** Tries to lock all tables again at once, also those that could not be locked a moment ago. */
    public void forget() {
        pauses.clear();
    }

    /**
     * Opens snapshots of tables whose rows are on other servers. Only the lock proves these equal, also those of a single
     * worker: it has a snapshot on each server.
     *
     * @param reads what each worker reads of these servers under the lock, see {@link TableLockProof}
     * @param wanted whether the result is still wanted
     * @return see {@link #open}
     */
    public SnapshotOutcome openRemote(
            List<WireConnection> workers,
            ServerFacts server,
            SnapshotConfig config,
            Collection<TableName> tables,
            List<String> reads,
            BooleanSupplier wanted)
            throws IOException, ServerException, InterruptedException {
        long start = System.nanoTime();
        if (server.galera() || !wanted.getAsBoolean()) {
            return ended(SnapshotRound.unprovable("the server is a Galera node"), 0, start);
        }
        String names = server.serverKey() + " " + tables;
        Optional<SnapshotRound> paused = pauses.current(names);
        if (paused.isPresent()) {
            return ended(paused.get(), 0, start);
        }
        connectRemotely(workers, reads);
        SnapshotGroup group = new SnapshotGroup(workers, Optional.empty(), SnapshotQueries.NONE);
        return ended(locked(names, group, server, config, tables, reads, WhileLocked.NOTHING), 1, start);
    }

    /**
     * Has Spider connect to the other servers before the lock. On a new connection it sets the isolation level only after
     * it has begun a transaction with a snapshot (10.11.18): on a server whose default is READ COMMITTED, that would be
     * none.
     */
    private static void connectRemotely(List<WireConnection> workers, List<String> reads)
            throws IOException, ServerException {
        List<String> statements = new ArrayList<>(List.of(SnapshotConnection.ISOLATION, "START TRANSACTION READ ONLY"));
        statements.addAll(reads);
        statements.add(ROLLBACK);
        WorkerReplies.succeeded(WorkerReplies.everywhere(workers, statements));
    }

    private static SnapshotOutcome ended(SnapshotRound round, int rounds, long start) {
        return new SnapshotOutcome(round.kind(), rounds, System.nanoTime() - start, round.detail(), round.position());
    }

    /** Opens snapshots for workers only, without the client's connection. */
    public SnapshotOutcome open(
            List<WireConnection> workers,
            ServerFacts server,
            SnapshotConfig config,
            Collection<TableName> tables,
            BooleanSupplier wanted)
            throws IOException, ServerException, InterruptedException {
        return open(workers, Optional.empty(), SnapshotQueries.NONE, server, config, tables, false, wanted);
    }

    /**
     * Opens the snapshot of a single worker, which is equal to no other and needs no proof. It is opened as that of any
     * SELECT: the touches take the metadata locks and read no row, and the first row that is read opens the snapshot.
     * So no DDL runs in between.
     */
    private static void openOne(SnapshotGroup group, List<String> touches) throws IOException, ServerException {
        List<String> statements = new ArrayList<>(List.of(SnapshotConnection.ISOLATION, "START TRANSACTION READ ONLY"));
        statements.addAll(touches);
        group.queries().forget();
        group.first().sendTexts(statements);
        group.queries().send();
        List<Reply> replies = group.first().receive(statements.size());
        group.queries().receive();
        WorkerReplies.succeeded(List.of(replies));
    }

    /** Whether tables may be locked after the other proofs have ended like this. */
    private static boolean lockable(SnapshotOutcome.SnapshotState others, TableLocks allowed, ServerFacts server) {
        // a Galera node revokes metadata locks from their holders
        return !server.galera()
                && switch (allowed) {
                    case REFUSE -> false;
                    case AUTO -> others == SnapshotOutcome.SnapshotState.NOT_PROVABLE;
                    case ALLOW -> others != SnapshotOutcome.SnapshotState.VERIFIED;
                };
    }

    /**
     * Returns the proofs that may work on a server, the most complete first. The next one is tried if one is not
     * applicable.
     *
     * @param missing receives the reasons why other proofs are left out
     */
    private List<SnapshotProof> proofs(ServerFacts server, List<String> touches, List<String> missing) {
        if (server.galera()) {
            missing.add("the server is a Galera node");
            return List.of();
        }
        return server.flavor().isMariaDb() ? mariaDb(server, touches, missing) : mySql(server, touches, missing);
    }

    private List<SnapshotProof> mySql(ServerFacts server, List<String> touches, List<String> missing) {
        List<SnapshotProof> proofs = new ArrayList<>();
        if (!server.logBin()) {
            missing.add("the server has no binary log");
        } else if (!server.logReplicaUpdates()) {
            missing.add("the server does not log what it replicates");
        } else {
            proofs.add(new GtidProof(touches));
        }
        // it sees less than GTIDs do, see AppliedProof
        if (server.readOnly() && server.appliedInTables()) {
            proofs.add(new PinnedTables(new AppliedProof(touches), locking, server, touches));
        }
        return proofs;
    }

    private List<SnapshotProof> mariaDb(ServerFacts server, List<String> touches, List<String> missing) {
        BinlogPositions positions = new BinlogPositions(binlogPositions);
        List<SnapshotProof> proofs = new ArrayList<>();
        if (server.logBin()) {
            proofs.add(new BinlogProof(positions, prepared, server.logReplicaUpdates(), touches));
        } else {
            missing.add("the server has no binary log");
        }
        if (server.logBin() ? !server.logReplicaUpdates() : server.readOnly()) {
            SnapshotProof replicated =
                    new SlavePosProof(server.logBin() ? Optional.of(positions) : Optional.empty(), touches);
            proofs.add(new PinnedTables(replicated, locking, server, touches));
        }
        return proofs;
    }

    /** Rolls back the transactions of the last round. */
    private static void endLast(SnapshotGroup group) throws IOException, ServerException {
        group.queries().forget();
        WorkerReplies.succeeded(WorkerReplies.everywhere(
                group.workers().stream().filter(WireConnection::inTransaction).toList(), List.of(ROLLBACK)));
    }
}

package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.execute.WorkerSnapshot.OpenSnapshots;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.pool.Lease;
import io.fanfold.pool.WorkerServers;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.replica.CommittedSet;
import io.fanfold.replica.PrimaryPosition;
import io.fanfold.replica.ReplicaCheck;
import io.fanfold.row.Row;
import io.fanfold.snapshot.SnapshotOutcome;
import io.fanfold.snapshot.SnapshotQueries;
import io.fanfold.variables.ResultsCharset;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Opens the snapshots of a fan-out on several servers. The snapshots of each server are proven equal at a position of its
 * log. Those of two servers are equal if the positions name the same transactions: all come from the primary, and each
 * server has applied them in the primary's order, see {@link ReplicaCheck}. If they are not equal, and locks are allowed, all
 * snapshots are opened while the tables are locked on the primary. For the coordinator thread.
 *
 * @param others the servers beside the first one
 * @param all is told whether it worked
 * @param results the character set of the workers' results
 */
record SeveralServers(
        QueryExecution query,
        FanOutTask task,
        List<ServerShare> others,
        WorkerServers all,
        ResultsCharset results,
        FanfoldMetrics metrics) {
    /** How often all snapshots are opened. A commit between two servers makes them differ. */
    private static final int ROUNDS = 4;

    /** A millisecond, the shortest time to wait for an answer. */
    private static final long SHORTEST_NANOS = 1_000_000;

    /** After this many rounds, some of the other servers are enough. */
    private static final int ROUNDS_FOR_ALL = 2;

    /**
     * Open snapshots.
     *
     * @param first those of the first server
     * @param equal the other servers with the same snapshots; connections to others are given back
     */
    record Opened(OpenSnapshots first, List<ServerShare> equal) {
        Opened {
            equal = List.copyOf(equal);
        }
    }

    /**
     * Opens the snapshots of all servers. Other servers without an equal snapshot are left out of this fan-out.
     *
     * @throws RefusedException if no other server has an equal snapshot, and as {@link FirstServer#open}
     */
    Opened open(FirstServer first) throws RefusedException, IOException, ServerException, InterruptedException {
        Opened opened = others.isEmpty() ? new Opened(first.open(), List.of()) : openSeveral(first);
        List<Lease> replicas = new ArrayList<>();
        if (!first.admission().server().primary()) {
            replicas.add(first.leases().get(0));
        }
        opened.equal().stream()
                .filter(share -> !share.server().primary())
                .forEach(share -> replicas.add(share.leases().get(0)));
        if (!replicas.isEmpty()) {
            task.replica().orElseThrow().requireStill(replicas);
        }
        return opened;
    }

    private Opened openSeveral(FirstServer first)
            throws RefusedException, IOException, ServerException, InterruptedException {
        String why = "not all of them could be read";
        try {
            Opened opened = openAll(first);
            why = "";
            all.severalWorked();
            return opened;
        } catch (RefusedException e) {
            why = e.detail();
            throw e;
        } finally {
            if (!why.isEmpty() && query.cancelled() == null) {
                all.severalFailed(why);
            }
        }
    }

    private Opened openAll(FirstServer first)
            throws RefusedException, IOException, ServerException, InterruptedException {
        boolean lockable = task.replica().orElseThrow().locks();
        int most = lockable ? ROUNDS_FOR_ALL : ROUNDS;
        List<ServerShare> asked = new ArrayList<>(others);
        OpenSnapshots opened = first.open();
        for (int round = 1; !opened.position().isEmpty() && !asked.isEmpty(); round++) {
            Optional<CommittedSet> here = ofFirst(opened, first.leases().get(0));
            List<ServerShare> equal = here.isPresent() ? equal(asked, here.get()) : List.of();
            if (query.cancelled() != null) {
                throw FailureMap.cancelled();
            }
            boolean enough = equal.size() == asked.size() || round >= ROUNDS_FOR_ALL;
            if (!equal.isEmpty() && enough) {
                asked.stream().filter(share -> !equal.contains(share)).forEach(share -> share.giveBack(query));
                return new Opened(opened, equal);
            }
            if (round == most) {
                break;
            }
            opened = first.open();
        }
        if (lockable && !asked.isEmpty()) {
            return locked(first, asked);
        }
        throw new RefusedException(
                Reason.SNAPSHOT,
                opened.position().isEmpty()
                        ? "the position of a snapshot is not known"
                        : "the servers had no equal snapshots");
    }

    /**
     * Opens all snapshots while the tables are locked on the primary, and all servers have what it had committed to them.
     *
     * @throws RefusedException if the tables cannot be locked, or a replica is not there in time
     */
    private Opened locked(FirstServer first, List<ServerShare> asked)
            throws RefusedException, IOException, ServerException, InterruptedException {
        List<Lease> workers = new ArrayList<>(first.leases());
        List<Lease> replicas = new ArrayList<>();
        if (!first.admission().server().primary()) {
            replicas.add(first.leases().get(0));
        }
        for (ServerShare share : asked) {
            workers.addAll(share.leases());
            if (!share.server().primary()) {
                replicas.add(share.leases().get(0));
            }
        }
        Lease.endTransactions(workers);
        SnapshotOutcome outcome = all.primary()
                .pool()
                .snapshots()
                .openLocked(
                        workers.stream().map(Lease::connection).toList(),
                        check().primary(),
                        task.snapshots(),
                        task.tables(),
                        (holder, left) -> awaitApplied(holder, left, replicas));
        metrics.snapshot(outcome.kind().label(), outcome.rounds(), outcome.nanos());
        if (!outcome.usable()) {
            throw new RefusedException(Reason.SNAPSHOT, outcome.kind() + ": " + outcome.detail());
        }
        return new Opened(new OpenSnapshots(outcome.kind(), outcome.position()), asked);
    }

    private ReplicaCheck check() {
        return task.replica().orElseThrow().check();
    }

    /**
     * Waits on all replicas at once until they have applied what the primary has committed.
     *
     * @param left how long the lock may be held. Half of it is left for the snapshots
     * @throws IOException if a replica does not answer: writers must not wait for it
     */
    private static Optional<String> awaitApplied(WireConnection primary, Duration left, List<Lease> replicas)
            throws IOException, ServerException {
        long deadline = System.nanoTime() + left.toNanos();
        ServerFlavor flavor = replicas.get(0).facts().flavor();
        Row row = primary.query(PrimaryPosition.query(flavor)).rows().get(0);
        String wait = ReplicaCheck.wait(PrimaryPosition.of(row).gtids(), flavor, left.dividedBy(2));
        for (Lease replica : replicas) {
            replica.connection().sendTexts(List.of(wait));
        }
        boolean applied = true;
        for (Lease replica : replicas) {
            WireConnection connection = replica.connection();
            if (!connection.answers(Duration.ofNanos(Math.max(SHORTEST_NANOS, deadline - System.nanoTime())))) {
                connection.abort();
                throw new IOException("a replica does not answer while tables are locked");
            }
            applied &= connection.receive() instanceof Reply.Result result
                    && result.rows().size() == 1
                    && "0".equals(result.rows().get(0).ascii(0));
        }
        return applied ? Optional.empty() : Optional.of("a replica had not applied the last changes in time");
    }

    /** Returns the servers with these transactions, and no others. Removes those that will not have them soon. */
    private List<ServerShare> equal(List<ServerShare> asked, CommittedSet here) throws InterruptedException {
        List<ServerShare> equal = new ArrayList<>();
        for (ServerShare share : List.copyOf(asked)) {
            if (query.cancelled() != null) {
                return List.of();
            }
            try {
                Lease.endTransactions(share.leases());
                if (!share.server().primary() && !applies(share.leases().get(0), here)) {
                    drop(share, asked);
                } else if (committed(opened(share), share.leases().get(0))
                        .filter(here::equals)
                        .isPresent()) {
                    equal.add(share);
                }
            } catch (IOException e) {
                failed(share, asked, e.toString());
            } catch (ServerException e) {
                // such as a missing privilege, without which the server can still be read alone
                if (!e.interrupted()) {
                    share.server().skip("it cannot be read beside other servers, " + e.errno() + ": " + e.getMessage());
                }
                drop(share, asked);
            } catch (RefusedException e) {
                failed(share, asked, e.reason().label() + ": " + e.detail());
            }
        }
        return equal;
    }

    private void failed(ServerShare share, List<ServerShare> asked, String why) {
        if (query.cancelled() == null) {
            if (share.leases().stream().anyMatch(lease -> lease.connection().broken())) {
                share.server().pool().renew();
            }
            share.server().leaveOut(why);
        }
        drop(share, asked);
    }

    private void drop(ServerShare share, List<ServerShare> asked) {
        asked.remove(share);
        share.giveBack(query);
    }

    /** @throws RefusedException if the worker account may not ask: then one server is read */
    private static Optional<CommittedSet> ofFirst(OpenSnapshots opened, Lease worker)
            throws IOException, RefusedException {
        try {
            return committed(opened, worker);
        } catch (ServerException e) {
            throw new RefusedException(Reason.SNAPSHOT, e.errno() + ": " + e.getMessage());
        }
    }

    private static Optional<CommittedSet> committed(OpenSnapshots opened, Lease worker)
            throws IOException, ServerException {
        return CommittedSet.of(opened.position(), worker.facts().flavor(), worker.connection());
    }

    /** Waits until a replica has applied what the first server had committed. Returns whether it has. */
    private boolean applies(Lease lease, CommittedSet here) throws IOException, ServerException {
        Duration patience = check().patience();
        WireConnection connection = lease.connection();
        List<Row> rows = connection
                .query(ReplicaCheck.wait(here.gtids(), lease.facts().flavor(), patience))
                .rows();
        return rows.size() == 1 && "0".equals(rows.get(0).ascii(0));
    }

    private OpenSnapshots opened(ServerShare share)
            throws IOException, ServerException, RefusedException, InterruptedException {
        return new WorkerSnapshot(query, task, share.server().pool(), Optional.empty(), task.tables(), true, metrics)
                .open(share.leases(), SnapshotQueries.NONE, results);
    }
}

package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.execute.WorkerSnapshot.OpenSnapshots;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.pool.Lease;
import io.fanfold.reason.RefusedException;
import io.fanfold.replica.CommittedSet;
import io.fanfold.replica.ReplicaCheck;
import io.fanfold.snapshot.SnapshotQueries;
import io.fanfold.variables.ResultsCharset;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Opens the snapshots of a fan-out on several servers. Those of one server are proven equal as ever, at a position. The
 * snapshots of two servers are equal if their positions name the same transactions: all come from the primary, and each
 * server has applied them in the primary's order, see {@link ReplicaCheck}. A server with other transactions is left out
 * of this fan-out. For the coordinator thread.
 *
 * @param others the servers beside the first one
 * @param results the character set of the workers' results
 */
record SeveralServers(
        QueryExecution query,
        FanOutTask task,
        List<ServerShare> others,
        ResultsCharset results,
        FanfoldMetrics metrics) {
    /** How often all snapshots are opened. A commit between two servers makes them differ. */
    private static final int ROUNDS = 4;

    /**
     * Open snapshots.
     *
     * @param first those of the first server
     * @param equal the other servers with the same snapshots; connections to others are given back
     */
    record Opened(OpenSnapshots first, List<ServerShare> equal) {}

    /**
     * Opens the snapshots. If the servers differ in every round, those of the first server remain.
     *
     * @throws RefusedException as {@link WorkerSnapshot#open}, for the first server
     */
    Opened open(FirstServer first) throws RefusedException, IOException, ServerException, InterruptedException {
        List<ServerShare> asked = new ArrayList<>(others);
        OpenSnapshots opened = first.open();
        List<ServerShare> equal = List.of();
        int round = 1;
        while (!asked.isEmpty() && !opened.position().isEmpty() && query.cancelled() == null) {
            try {
                Optional<CommittedSet> here = committed(opened, first.leases().get(0));
                equal = here.isPresent() ? equal(asked, here.get()) : List.of();
            } catch (ServerException e) {
                asked.forEach(share -> share.server().skip("its snapshots cannot be compared: " + e.getMessage()));
                break;
            }
            if (equal.size() == asked.size() || round == ROUNDS) {
                break;
            }
            round++;
            equal = List.of();
            opened = first.open();
        }
        for (ServerShare share : asked) {
            if (!equal.contains(share)) {
                share.server().notTried();
                share.giveBack(query);
            }
        }
        return new Opened(opened, List.copyOf(equal));
    }

    /** Returns the servers with these transactions, and no others. Servers that cannot be asked are left out for a while. */
    private List<ServerShare> equal(List<ServerShare> asked, CommittedSet here) throws InterruptedException {
        List<ServerShare> equal = new ArrayList<>();
        for (ServerShare share : List.copyOf(asked)) {
            try {
                if (committed(opened(share, here), share.leases().get(0))
                        .filter(here::equals)
                        .isPresent()) {
                    equal.add(share);
                }
            } catch (IOException | ServerException | RefusedException e) {
                share.server().leaveOut(e.toString());
                asked.remove(share);
                share.giveBack(query);
            }
        }
        return equal;
    }

    private static Optional<CommittedSet> committed(OpenSnapshots opened, Lease worker)
            throws IOException, ServerException {
        return CommittedSet.of(opened.position(), worker.facts().flavor(), worker.connection());
    }

    private OpenSnapshots opened(ServerShare share, CommittedSet here)
            throws IOException, ServerException, RefusedException, InterruptedException {
        Lease.endTransactions(share.leases());
        if (!share.server().primary()) {
            // it may not have applied what the first server had
            Lease first = share.leases().get(0);
            Duration patience = task.replica().orElseThrow().check().patience();
            first.connection()
                    .query(ReplicaCheck.wait(here.gtids(), first.facts().flavor(), patience));
        }
        return new WorkerSnapshot(query, task, share.server().pool(), Optional.empty(), task.tables(), true, metrics)
                .open(share.leases(), SnapshotQueries.NONE, results);
    }
}

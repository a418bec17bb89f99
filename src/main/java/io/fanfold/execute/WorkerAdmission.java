package io.fanfold.execute;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.pool.Admission;
import io.fanfold.pool.Lease;
import io.fanfold.pool.RetainedSnapshots.RetainedWorkers;
import io.fanfold.pool.WorkerPool;
import io.fanfold.pool.WorkerRequest;
import io.fanfold.pool.WorkerServer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Takes the worker connections of one fan-out. For the coordinator thread.
 *
 * @param task for a replica {@link FanOutTask#onReplica}
 * @param server the server that is read
 * @param most the maximum number of workers on the server
 * @param verified whether one worker more is taken, if one is free, because the transaction and a verification both keep
 *     snapshots
 */
record WorkerAdmission(
        QueryExecution query, FanOutTask task, WorkerServer server, FanfoldConfig config, int most, boolean verified) {
    /** The maximum number of workers that run partition queries. */
    int atMost() {
        return Math.min(most, mostParts(task));
    }

    /** The most partition queries that run at once if there are enough workers. */
    static int mostParts(FanOutTask task) {
        return task.blocks().stream().mapToInt(BlockPlanning::mostParts).max().orElse(0);
    }

    /**
     * Takes worker connections; fewer than wanted if fewer are free. Cancelling the query ends the wait.
     *
     * @throws RefusedException if fewer than two become free in time; one suffices for a table of one partition
     */
    List<Lease> admit() throws RefusedException, InterruptedException {
        Admission admission = ask(config.workers().queueWait());
        List<Lease> leases = admission.leases();
        if (leases.isEmpty()) {
            String detail = admission.outcome().sentence();
            if (admission.outcome() == WorkerRequest.AdmissionOutcome.OTHER_SERVER) {
                throw new RefusedException(Reason.OTHER_SERVER, detail);
            }
            throw new RefusedException(
                    Reason.POOL_BUSY,
                    pool().failure().map(why -> detail + ": " + why).orElse(detail));
        }
        leases.forEach(query::takeOn);
        return leases;
    }

    WorkerPool pool() {
        return server.pool();
    }

    /** Asks the pool for connections, and waits for them at most that long. */
    Admission ask(Duration patience) throws InterruptedException {
        int atMost = atMost();
        int atLeast = Math.min(2, atMost);
        WorkerRequest request = new WorkerRequest(
                task.settings().user(),
                server.primary() ? task.settings().server() : null,
                verified ? atMost + 1 : atMost,
                atLeast,
                patience);
        query.onCancel(() -> pool().withdraw(request));
        return pool().admit(request);
    }

    /**
     * Takes the workers whose snapshots the transaction's first statement has read. A refusal here says nothing about
     * the statement, so it is made before the statement counts as begun.
     *
     * @param held the retained snapshots; empty if they were released
     */
    List<Lease> takeRetained(Optional<RetainedWorkers> held) throws RefusedException {
        List<Lease> leases = held.flatMap(RetainedWorkers::take)
                .orElseThrow(() -> new RefusedException(Reason.IN_TRANSACTION, "its snapshots were given back"));
        boolean few = leases.size() < Math.min(2, task.degree());
        if (few || !held.get().covers(task.tables())) {
            Lease.closeAll(leases);
            throw new RefusedException(
                    Reason.IN_TRANSACTION,
                    few
                            ? "one worker is left of its snapshots"
                            : "its snapshots are " + held.get().proof().label() + " for other tables");
        }
        leases.forEach(query::takeOn);
        return leases;
    }
}

package io.fanfold.execute;

import io.fanfold.catalog.TableName;
import io.fanfold.client.ServerException;
import io.fanfold.client.SnapshotConnection;
import io.fanfold.client.WireConnection;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.pool.Lease;
import io.fanfold.pool.RetainedSnapshots.RetainedWorkers;
import io.fanfold.pool.WorkerPool;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.snapshot.SnapshotOutcome;
import io.fanfold.snapshot.SnapshotOutcome.SnapshotState;
import io.fanfold.snapshot.SnapshotQueries;
import io.fanfold.variables.ResultsCharset;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Opens the snapshots of a fan-out. Each worker gets its settings, the start of its snapshot and the queries of the
 * proof before any reply is awaited. For the coordinator thread.
 *
 * @param retained the snapshots of earlier statements of the transaction, if there are any
 * @param tables the tables that the statement reads
 * @param positioned whether the position of the snapshots is wanted
 */
record WorkerSnapshot(
        QueryExecution query,
        FanOutTask task,
        WorkerPool pool,
        Optional<RetainedWorkers> retained,
        Set<TableName> tables,
        boolean positioned,
        FanfoldMetrics metrics) {
    /**
     * The snapshots of the workers.
     *
     * @param proof how they were proven equal
     * @param position see {@link SnapshotOutcome#position}; "" also for those of earlier statements
     */
    record OpenSnapshots(SnapshotState proof, String position) {}

    /**
     * Opens the snapshots, or touches the tables of retained ones.
     *
     * @param leases idle workers, worker 0 first
     * @param queries what worker 0 runs inside its snapshot, if the proof of the snapshots allows it
     * @param results the character set of the workers' results
     * @return how they were proven equal, and their position
     * @throws RefusedException if the snapshots cannot be proven equal
     * @throws ServerException if a worker refuses a setting, a snapshot or a table
     */
    OpenSnapshots open(List<Lease> leases, SnapshotQueries queries, ResultsCharset results)
            throws RefusedException, IOException, ServerException, InterruptedException {
        Lease.send(leases, task.settings(), results);
        try {
            OpenSnapshots opened = retained.isPresent() ? touch(leases, retained.get()) : prove(leases, queries);
            Lease.settle(leases);
            return opened;
        } catch (RefusedException | ServerException e) {
            // a refused setting may be the cause; and workers with all settings can be used again
            Lease.settle(leases);
            throw e;
        }
    }

    private OpenSnapshots prove(List<Lease> leases, SnapshotQueries queries)
            throws RefusedException, IOException, ServerException, InterruptedException {
        long start = System.nanoTime();
        boolean ended = false;
        try {
            Optional<SnapshotConnection> client = task.transaction().isPresent()
                    ? task.transaction().get().client().begin(tables)
                    : Optional.empty();
            List<WireConnection> workers =
                    leases.stream().map(Lease::connection).toList();
            BooleanSupplier wanted = () -> query.cancelled() == null;
            SnapshotOutcome outcome = task.spider().isPresent()
                    ? pool.snapshots()
                            .openRemote(
                                    workers,
                                    leases.get(0).facts(),
                                    task.snapshots(),
                                    tables,
                                    task.spider().get().reads(),
                                    wanted)
                    : pool.snapshots()
                            .open(
                                    workers,
                                    client,
                                    queries,
                                    leases.get(0).facts(),
                                    task.snapshots(),
                                    tables,
                                    positioned,
                                    wanted);
            ended = true;
            int rounds = Math.max(1, outcome.rounds());
            metrics.snapshot(outcome.kind().label(), rounds, outcome.nanos());
            query.progress().opened(new FanOutProgress.SnapshotRounds(rounds, outcome.nanos()));
            if (!outcome.usable()) {
                throw new RefusedException(Reason.SNAPSHOT, outcome.kind() + ": " + outcome.detail());
            }
            return new OpenSnapshots(outcome.kind(), outcome.position());
        } finally {
            if (!ended) {
                metrics.snapshot("broken_off", 1, System.nanoTime() - start);
            }
        }
    }

    /**
     * Takes the tables' metadata locks for retained snapshots. The client's connection locks first, so that no DDL runs
     * between what the client's own SELECT would see and what worker 0 sees.
     */
    private OpenSnapshots touch(List<Lease> leases, RetainedWorkers held) throws IOException, ServerException {
        task.transaction().orElseThrow().client().begin(tables);
        List<String> touches = tables.stream().map(SnapshotConnection::touch).toList();
        for (Reply reply : leases.get(0).connection().pipeline(touches)) {
            if (reply instanceof Reply.Failed failed) {
                throw new ServerException(failed);
            }
        }
        return new OpenSnapshots(held.proof(), "");
    }
}

package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.discovery.CatalogService;
import io.fanfold.execute.WorkerSnapshot.OpenSnapshots;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.pool.Lease;
import io.fanfold.pool.RetainedSnapshots.RetainedWorkers;
import io.fanfold.pool.WorkerServer;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.variables.ResultsCharset;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Opens the snapshots on the server of worker 0. For the coordinator thread.
 *
 * @param retained the snapshots of earlier statements of the transaction, if there are any
 * @param leases the connections, worker 0 first; dead ones are replaced in this list
 * @param outside the tables that the statement reads outside its blocks
 * @param results the character set of the workers' results
 * @param positioned whether the position of the snapshots is wanted
 */
record FirstServer(
        WorkerAdmission admission,
        CatalogService catalog,
        Optional<RetainedWorkers> retained,
        List<Lease> leases,
        List<TableRef> outside,
        ResultsCharset results,
        boolean positioned,
        FanfoldMetrics metrics) {
    /**
     * Opens the snapshots. A second call ends them and opens new ones. The pool lends connections without asking the server
     * whether they live, so dead ones are replaced here, once.
     */
    OpenSnapshots open() throws RefusedException, IOException, ServerException, InterruptedException {
        QueryExecution query = admission.query();
        FanOutTask task = admission.task();
        WorkerServer server = admission.server();
        WorkerSnapshot snapshot =
                new WorkerSnapshot(query, task, server.pool(), retained, task.tables(), positioned, metrics);
        try {
            return snapshot.open(leases, inquiries().get(0), results);
        } catch (IOException e) {
            boolean dead = leases.stream().anyMatch(lease -> lease.connection().broken());
            if (!dead || !server.primary() || task.transaction().isPresent() || query.cancelled() != null) {
                throw e;
            }
            new ServerShare(server, leases).giveBack(query);
            leases.clear();
            server.pool().renew();
            leases.addAll(admission.admit());
            return snapshot.open(leases, inquiries().get(0), results);
        }
    }

    /** What worker 0 is asked about each block. The first block's also has the tables outside the blocks. */
    private List<Lease.Inquiry> inquiries() {
        List<Lease.Inquiry> inquiries = new ArrayList<>();
        List<TableRef> checked = outside;
        for (BlockPlanning block : admission.task().blocks()) {
            inquiries.add(
                    block.inquire(leases.get(0), checked, admission.task().settings(), results, catalog.flavor()));
            checked = List.of();
        }
        return inquiries;
    }
}

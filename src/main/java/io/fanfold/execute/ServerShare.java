package io.fanfold.execute;

import io.fanfold.pool.Lease;
import io.fanfold.pool.WorkerServer;
import java.util.List;

/**
 * The connections of a fan-out to one server.
 *
 * @param leases at least one
 */
record ServerShare(WorkerServer server, List<Lease> leases) {
    ServerShare {
        leases = List.copyOf(leases);
    }

    /** Gives the connections back, so that the fan-out does not read the server. */
    void giveBack(QueryExecution query) {
        leases.forEach(query::letGo);
        Lease.closeAll(leases);
    }
}

package io.fanfold.execute;

import io.fanfold.pool.Lease;
import io.fanfold.pool.WorkerServer;
import java.util.ArrayList;
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

    /** Returns the connections of several servers in turns, so that the last ones are spread over all servers. */
    static List<Lease> inTurns(List<ServerShare> shares) {
        List<Lease> all = new ArrayList<>();
        int most =
                shares.stream().mapToInt(share -> share.leases().size()).max().orElse(0);
        for (int i = 0; i < most; i++) {
            for (ServerShare share : shares) {
                if (i < share.leases().size()) {
                    all.add(share.leases().get(i));
                }
            }
        }
        return all;
    }

    /** Gives the connections back, so that the fan-out does not read the server. */
    void giveBack(QueryExecution query) {
        leases.forEach(query::letGo);
        Lease.closeAll(leases);
    }
}

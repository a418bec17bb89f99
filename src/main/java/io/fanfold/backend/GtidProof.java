package io.fanfold.backend;

import static io.fanfold.backend.WorkerReplies.value;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The proof of a MySQL server with gtid_mode=ON: each worker reads gtid_executed, opens its snapshot, then reads gtid_owned, then
 * gtid_executed again. A transaction's GTID is owned before its changes become visible, and goes over into executed after that in
 * one step. So where all executed sets are equal and no GTID was owned, no commit became visible in one snapshot and not in
 * another. Without state.
 */
final class GtidProof implements SnapshotProof {
    private static final String EXECUTED = "SELECT @@global.gtid_mode, @@global.gtid_executed";
    private static final String OWNED = "SELECT @@global.gtid_owned";
    private static final List<String> ROUND =
            List.of(EXECUTED, SnapshotOpener.ISOLATION, SnapshotOpener.START, OWNED, EXECUTED);

    @Override
    public SnapshotRound round(List<WireConnection> workers, long deadline) throws IOException, ServerException {
        List<List<Reply>> all = WorkerReplies.everywhere(workers, ROUND);
        WorkerReplies.succeeded(all);
        Set<String> executed = new HashSet<>();
        for (List<Reply> replies : all) {
            if (WorkerReplies.warned(replies.get(2))) {
                return SnapshotRound.unprovable("the server took no snapshot");
            }
            // gtid_mode can be changed while the server runs: every round reads it
            for (Reply reply : List.of(replies.get(0), replies.get(4))) {
                if (!"ON".equals(value(reply, 0))) {
                    return SnapshotRound.unprovable("gtid_mode is not ON");
                }
                executed.add(value(reply, 1));
            }
            if (!value(replies.get(3), 0).isEmpty()) {
                return SnapshotRound.unequal("a transaction was being committed");
            }
        }
        return executed.size() == 1
                ? SnapshotRound.VERIFIED
                : SnapshotRound.unequal("transactions were committed in between");
    }
}

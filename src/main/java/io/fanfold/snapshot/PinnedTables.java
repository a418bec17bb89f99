package io.fanfold.snapshot;

import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Blocks DDL while another proof opens snapshots, for proofs that do not see DDL. A separate connection takes the
 * tables' metadata locks before the first snapshot and keeps them until worker 0 has them, see {@link SnapshotScript}.
 *
 * @param proof opens the snapshots
 * @param connections supplies the separate connection
 * @param server the workers' server
 * @param touches see {@link SnapshotScript}
 */
record PinnedTables(SnapshotProof proof, LockConnections connections, ServerFacts server, List<String> touches)
        implements SnapshotProof {
    @Override
    public SnapshotRound round(SnapshotGroup group, long deadline)
            throws IOException, ServerException, InterruptedException {
        return connections.with(server, pin -> {
            List<String> statements =
                    new ArrayList<>(List.of(TableLockProof.SHORT_WAIT, "START TRANSACTION READ ONLY"));
            statements.addAll(touches);
            WorkerReplies.succeeded(List.of(pin.connection().pipeline(statements)));
            try {
                return proof.round(group, deadline);
            } finally {
                pin.connection().execute(SnapshotOpener.ROLLBACK);
            }
        });
    }
}

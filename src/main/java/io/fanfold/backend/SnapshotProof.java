package io.fanfold.backend;

import java.io.IOException;
import java.util.List;

/** A way to open snapshots on several connections to one server and to prove that they are the same. */
interface SnapshotProof {
    /**
     * Opens a snapshot on each worker, none of which has a transaction open.
     *
     * @param deadline when waiting ends, in the time of {@link System#nanoTime}
     * @return what was proven; every reply of the workers has been read
     * @throws ServerException when a worker may not open a snapshot
     * @throws IOException when a connection failed
     */
    SnapshotRound round(List<WireConnection> workers, long deadline)
            throws IOException, ServerException, InterruptedException;
}

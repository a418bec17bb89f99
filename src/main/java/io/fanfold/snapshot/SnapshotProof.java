package io.fanfold.snapshot;

import io.fanfold.client.ServerException;
import java.io.IOException;

/** Opens snapshots on several connections to one server and proves that they are equal. */
interface SnapshotProof {
    /**
     * Opens a snapshot on each connection of a group; no worker has a transaction open.
     *
     * @param deadline when waiting ends, in the time of {@link System#nanoTime}
     * @return the result of the proof; every reply of the group has been read
     * @throws ServerException if a connection may not open a snapshot
     * @throws IOException if a connection failed
     */
    SnapshotRound round(SnapshotGroup group, long deadline) throws IOException, ServerException, InterruptedException;
}

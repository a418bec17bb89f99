package io.fanfold.backend;

import java.io.IOException;

/** A way to open snapshots on several connections to one server and to prove that they are the same. */
interface SnapshotProof {
    /**
     * Opens a snapshot on each connection of a group; no worker has a transaction open.
     *
     * @param deadline when waiting ends, in the time of {@link System#nanoTime}
     * @return what was proven; every reply of the group has been read
     * @throws ServerException when a connection may not open a snapshot
     * @throws IOException when a connection failed
     */
    SnapshotRound round(SnapshotGroup group, long deadline) throws IOException, ServerException, InterruptedException;
}

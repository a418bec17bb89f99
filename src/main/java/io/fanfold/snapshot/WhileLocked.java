package io.fanfold.snapshot;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** What is done while tables are locked, before the snapshots are opened. */
@FunctionalInterface
public interface WhileLocked {
    /** Does nothing. */
    WhileLocked NOTHING = (holder, left) -> Optional.empty();

    /**
     * Prepares the servers of the workers.
     *
     * @param holder the connection that holds the lock
     * @param left how much longer it may hold it
     * @return why the snapshots cannot be opened, as a clause; empty if they can
     */
    Optional<String> run(WireConnection holder, Duration left) throws IOException, ServerException;
}

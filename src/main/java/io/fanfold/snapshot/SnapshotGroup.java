package io.fanfold.snapshot;

import io.fanfold.client.SnapshotConnection;
import io.fanfold.client.WireConnection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The connections to one server whose snapshots must be equal.
 *
 * @param workers at least one
 * @param client the client's own connection, if the statement is the first of a transaction
 * @param queries what worker 0 runs inside its snapshot
 */
record SnapshotGroup(List<WireConnection> workers, Optional<SnapshotConnection> client, SnapshotQueries queries) {
    SnapshotGroup {
        workers = List.copyOf(workers);
    }

    /** Returns worker 0. */
    WireConnection first() {
        return workers.get(0);
    }

    /** Returns all connections, worker 0 first and the client's last. */
    List<SnapshotConnection> all() {
        return Stream.concat(workers.stream(), client.stream()).toList();
    }
}

package io.fanfold.snapshot;

import java.io.IOException;

/**
 * Queries that worker 0 runs inside its snapshot, right after the statements that open it. They go out before any reply
 * is awaited, so they cost no round trip of their own. Each further round asks them again.
 */
public interface SnapshotQueries {
    SnapshotQueries NONE = new SnapshotQueries() {
        @Override
        public void forget() {}

        @Override
        public void send() {}

        @Override
        public void receive() {}
    };

    /** Forgets the replies of an earlier round. */
    void forget();

    /** Sends the queries on worker 0's connection. */
    void send() throws IOException;

    /** Reads all their replies. An error of a query is kept for later. */
    void receive() throws IOException;
}

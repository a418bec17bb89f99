package io.fanfold.execute;

import io.fanfold.pool.WorkerServer;
import java.util.Optional;

/**
 * Why a statement does not read a replica.
 *
 * @param why a clause
 * @param ofServer whether it concerns all statements, and not only those with the same tables
 */
record ReplicaObstacle(String why, boolean ofServer) {
    static Optional<ReplicaObstacle> ofServer(String why) {
        return Optional.of(new ReplicaObstacle(why, true));
    }

    /** Leaves the server out for a while, or remembers why this statement does not read it. */
    void tell(WorkerServer server) {
        if (ofServer) {
            server.leaveOut(why);
        } else {
            server.notTried();
            server.skip(why);
        }
    }
}

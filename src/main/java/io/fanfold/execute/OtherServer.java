package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.pool.WorkerServer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.Optional;

/** Reads the primary if a replica gives no snapshot, or is lost before it is read. For the coordinator thread. */
final class OtherServer {
    private OtherServer() {}

    /** The steps of a fan-out from the preflight on. */
    @FunctionalInterface
    interface Steps<T> {
        T run() throws RefusedException, InterruptedException;
    }

    /**
     * Runs the steps, and runs them again for the primary if the replica is the cause of a refusal. The replica is left
     * out for a while then.
     */
    static <T> T ifNeeded(FanOutScope scope, QueryExecution query, Steps<T> steps)
            throws RefusedException, InterruptedException {
        try {
            return steps.run();
        } catch (RefusedException e) {
            Optional<WorkerServer> replica = scope.replica();
            if (replica.isEmpty() || !aboutTheServer(e) || query.endedFromOutside()) {
                throw e;
            }
            // the server whose connection broke is left out already
            if (e.reason() != Reason.WORKER_ERROR) {
                replica.get().leaveOut(e.reason().label() + ": " + e.detail());
            }
            if (query.cancelled() != null) {
                throw e;
            }
            scope.avoidReplicas();
            return steps.run();
        }
    }

    /** Whether another server may do. An error of the statement itself would come there too. */
    private static boolean aboutTheServer(RefusedException e) {
        return switch (e.reason()) {
            case SNAPSHOT, OTHER_SERVER -> true;
            case WORKER_ERROR -> !(e.getCause() instanceof ServerException);
            default -> false;
        };
    }
}

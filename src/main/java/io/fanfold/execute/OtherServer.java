package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.pool.WorkerServer;
import io.fanfold.reason.RefusedException;
import java.util.Optional;

/**
 * Begins a fan-out again with fewer servers: with one if several have no equal snapshots, and with the primary if a replica
 * gives no snapshot. So too if a server is lost before partition queries run. For the coordinator thread.
 */
final class OtherServer {
    private OtherServer() {}

    /** The steps of a fan-out from the preflight on. */
    @FunctionalInterface
    interface Steps<T> {
        T run() throws RefusedException, InterruptedException;
    }

    /**
     * Runs the steps, and runs them again for fewer servers if these are the cause of a refusal. A single replica is left
     * out for a while then.
     */
    static <T> T ifNeeded(FanOutScope scope, QueryExecution query, Steps<T> steps)
            throws RefusedException, InterruptedException {
        try {
            return steps.run();
        } catch (RefusedException e) {
            Optional<WorkerServer> replica = scope.replica();
            if (replica.isEmpty() || !aboutTheServer(e) || query.cancelledWithoutFailure()) {
                throw e;
            }
            boolean several = scope.readsSeveral();
            if (!several) {
                replica.get().leaveOut(e.reason().label() + ": " + e.detail());
            }
            if (query.cancelled() != null) {
                throw e;
            }
            if (several) {
                scope.avoidSeveral();
                return ifNeeded(scope, query, steps);
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

package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.pool.Admission;
import io.fanfold.pool.Lease;
import io.fanfold.pool.WorkerPool;
import io.fanfold.pool.WorkerRequest.AdmissionOutcome;
import io.fanfold.pool.WorkerServer;
import io.fanfold.reason.RefusedException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The server that a fan-out reads, with connections to it: the least busy replica that has what the statement needs, or
 * else the primary. For the coordinator thread.
 *
 * @param admission the request, whose task holds for that server
 * @param leases the connections; cancelling the query kills what they run
 */
record ServerChoice(WorkerAdmission admission, List<Lease> leases) {
    ServerChoice {
        leases = List.copyOf(leases);
    }

    /**
     * Chooses a server and takes connections to it.
     *
     * @param verified see {@link WorkerAdmission}
     * @throws RefusedException if no replica may be read and too few connections to the primary are free in time
     */
    static ServerChoice take(
            QueryExecution query, FanOutTask task, FanfoldConfig config, FanOutResources shared, boolean verified)
            throws RefusedException, InterruptedException {
        for (WorkerServer replica : replicas(task, config, shared)) {
            if (replica.mayTry()) {
                WorkerAdmission admission = new WorkerAdmission(query, task.onReplica(), replica, config, verified);
                List<Lease> leases = replica(admission);
                if (!leases.isEmpty()) {
                    return new ServerChoice(admission, leases);
                }
            }
        }
        WorkerAdmission admission = onPrimary(query, task, config, shared, verified);
        return new ServerChoice(admission, admission.admit());
    }

    /** The replicas to try before the primary, in order. */
    private static List<WorkerServer> replicas(FanOutTask task, FanfoldConfig config, FanOutResources shared)
            throws InterruptedException {
        if (task.replica().isEmpty()) {
            return List.of();
        }
        List<WorkerServer> replicas = shared.servers()
                .before(task.replica().get().from(), config.workers().connections());
        Optional<String> incomplete =
                replicas.isEmpty() ? Optional.empty() : shared.primaryLog().obstacle();
        incomplete.ifPresent(why -> replicas.forEach(replica -> replica.skip(why)));
        return incomplete.isPresent() ? List.of() : replicas;
    }

    static WorkerAdmission onPrimary(
            QueryExecution query, FanOutTask task, FanfoldConfig config, FanOutResources shared, boolean verified) {
        return new WorkerAdmission(query, task.onPrimary(), shared.servers().primary(), config, verified);
    }

    /** Takes connections to a replica; none if it is busy or may not be read now. */
    private static List<Lease> replica(WorkerAdmission admission) throws RefusedException, InterruptedException {
        QueryExecution query = admission.query();
        WorkerServer server = admission.server();
        Admission answer = admission.ask();
        List<Lease> leases = answer.leases();
        leases.forEach(query::takeOn);
        boolean kept = false;
        try {
            Optional<ReplicaObstacle> obstacle = obstacle(admission, answer);
            kept = obstacle.isEmpty() && !leases.isEmpty();
            if (query.endedFromOutside()) {
                kept = false;
                server.notTried();
                throw FailureMap.cancelled();
            }
            obstacle.ifPresentOrElse(found -> found.tell(server), leases.isEmpty() ? server::notTried : () -> {});
            return kept ? leases : List.of();
        } finally {
            if (!kept) {
                leases.forEach(query::letGo);
                Lease.closeAll(leases);
            }
        }
    }

    private static Optional<ReplicaObstacle> obstacle(WorkerAdmission admission, Admission answer) {
        WorkerPool pool = admission.pool();
        if (answer.outcome() == AdmissionOutcome.UNREACHABLE) {
            String sentence = answer.outcome().sentence();
            return ReplicaObstacle.ofServer(
                    pool.failure().map(why -> sentence + ": " + why).orElse(sentence));
        }
        if (answer.leases().isEmpty()) {
            return Optional.empty();
        }
        try {
            return admission
                    .task()
                    .replica()
                    .orElseThrow()
                    .obstacle(answer.leases().get(0), admission.task().settings());
        } catch (IOException e) {
            pool.renew();
            return ReplicaObstacle.ofServer(e.toString());
        } catch (ServerException e) {
            return ReplicaObstacle.ofServer(e.errno() + ": " + e.getMessage());
        }
    }
}

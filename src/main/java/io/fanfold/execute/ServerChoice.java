package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ReplicaReads.ReadFrom;
import io.fanfold.pool.Admission;
import io.fanfold.pool.Lease;
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
        ReadFrom from = task.replica().map(replica -> replica.from()).orElse(ReadFrom.PRIMARY);
        for (WorkerServer server :
                shared.servers().inOrder(from, config.workers().connections())) {
            if (!server.primary() && server.mayTry()) {
                WorkerAdmission admission = new WorkerAdmission(query, task.onReplica(), server, config, verified);
                List<Lease> leases = replica(admission);
                if (!leases.isEmpty()) {
                    return new ServerChoice(admission, leases);
                }
            }
        }
        WorkerAdmission admission = onPrimary(query, task, config, shared, verified);
        return new ServerChoice(admission, admission.admit());
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
        Optional<String> obstacle = Optional.empty();
        try {
            if (answer.outcome() == AdmissionOutcome.UNREACHABLE) {
                String sentence = answer.outcome().sentence();
                obstacle = Optional.of(server.pool()
                        .failure()
                        .map(why -> sentence + ": " + why)
                        .orElse(sentence));
            } else if (!leases.isEmpty()) {
                obstacle = admission
                        .task()
                        .replica()
                        .orElseThrow()
                        .obstacle(leases.get(0), admission.task().settings());
            }
        } catch (IOException e) {
            server.pool().renew();
            obstacle = Optional.of(e.toString());
        } catch (ServerException e) {
            obstacle = Optional.of(e.errno() + ": " + e.getMessage());
        }
        if (obstacle.isEmpty()) {
            return leases;
        }
        leases.forEach(query::letGo);
        Lease.closeAll(leases);
        if (query.endedFromOutside()) {
            throw FailureMap.cancelled();
        }
        server.leaveOut(obstacle.get());
        return List.of();
    }
}

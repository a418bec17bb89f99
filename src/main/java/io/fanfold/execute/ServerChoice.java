package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.pool.Admission;
import io.fanfold.pool.Lease;
import io.fanfold.pool.WorkerPool;
import io.fanfold.pool.WorkerRequest.AdmissionOutcome;
import io.fanfold.pool.WorkerServer;
import io.fanfold.reason.RefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The server that a fan-out reads, with connections to it: the least busy replica that has what the statement needs, or
 * else the primary. Or several servers, if the settings allow it and they are free. For the coordinator thread.
 *
 * @param admission the request to the first server, whose task holds for that server
 * @param leases its connections; cancelling the query kills what they run
 * @param others the connections to further servers
 */
record ServerChoice(WorkerAdmission admission, List<Lease> leases, List<ServerShare> others) {
    /** Beside the work of such a statement, it takes little time to find that servers differ. */
    private static final long LONG_NANOS = 1_000_000_000;

    /** With fewer workers on each server, one server does as well. */
    private static final int LEAST_WORKERS = 2;

    ServerChoice {
        leases = List.copyOf(leases);
        others = List.copyOf(others);
    }

    /**
     * Chooses servers and takes connections to them.
     *
     * @param verified see {@link WorkerAdmission}
     * @throws RefusedException if no replica may be read and too few connections to the primary are free in time
     */
    static ServerChoice take(
            QueryExecution query, FanOutTask task, FanfoldConfig config, FanOutResources shared, boolean verified)
            throws RefusedException, InterruptedException {
        Optional<ServerChoice> replicas = task.replica().isEmpty() || incomplete(shared)
                ? Optional.empty()
                : onReplicas(query, task.onReplica(), config, shared, verified);
        if (replicas.isPresent()) {
            return replicas.get();
        }
        WorkerAdmission admission = onPrimary(query, task, config, shared, verified);
        return new ServerChoice(admission, admission.admit(), List.of());
    }

    /** Whether replicas may lack changes of the primary. */
    private static boolean incomplete(FanOutResources shared) throws InterruptedException {
        List<WorkerServer> replicas = shared.servers().replicas();
        Optional<String> why =
                replicas.isEmpty() ? Optional.empty() : shared.primaryLog().obstacle();
        why.ifPresent(clause -> replicas.forEach(replica -> replica.skip(clause)));
        return replicas.isEmpty() || why.isPresent();
    }

    private static Optional<ServerChoice> onReplicas(
            QueryExecution query, FanOutTask task, FanfoldConfig config, FanOutResources shared, boolean verified)
            throws RefusedException, InterruptedException {
        ReplicaRead read = task.replica().orElseThrow();
        int connections = config.workers().connections();
        List<WorkerServer> all = shared.servers().inOrder(read.from(), connections).stream()
                .filter(server -> server.leftOut().isEmpty())
                .toList();
        int workers = Math.min(task.degree(), WorkerAdmission.mostParts(task));
        int count = Math.min(Math.min(read.servers(), all.size()), workers / LEAST_WORKERS);
        if (count > 1
                && task.snapshots().consistency() != Consistency.RELAXED
                && (task.scanNanos() > LONG_NANOS || shared.servers().mayTrySeveral())) {
            Optional<ServerChoice> several = several(query, task, config, all, count, workers);
            if (several.isPresent()) {
                return several;
            }
        }
        for (WorkerServer replica : shared.servers().before(read.from(), connections)) {
            if (replica.mayTry()) {
                WorkerAdmission admission = new WorkerAdmission(query, task, replica, config, task.degree(), verified);
                List<Lease> leases = free(admission);
                if (!leases.isEmpty()) {
                    return Optional.of(new ServerChoice(admission, leases, List.of()));
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Takes connections to several servers, about the same number to each. The primary is the first, if it is among them:
     * the others can wait for what it has committed.
     *
     * @param servers to be tried, in order
     * @param count the number of servers, 2 or more
     * @param workers the number of all connections
     * @return empty if connections to fewer than two servers are free
     */
    private static Optional<ServerChoice> several(
            QueryExecution query,
            FanOutTask task,
            FanfoldConfig config,
            List<WorkerServer> servers,
            int count,
            int workers)
            throws RefusedException, InterruptedException {
        List<WorkerAdmission> admissions = new ArrayList<>();
        List<ServerShare> shares = new ArrayList<>();
        boolean taken = false;
        try {
            for (WorkerServer server : servers) {
                if (shares.size() < count) {
                    int each = (workers + count - 1) / count;
                    WorkerAdmission admission = new WorkerAdmission(query, task, server, config, each, false);
                    List<Lease> leases = free(admission);
                    if (!leases.isEmpty()) {
                        int place = server.primary() ? 0 : shares.size();
                        admissions.add(place, admission);
                        shares.add(place, new ServerShare(server, leases));
                    }
                }
            }
            taken = shares.size() > 1;
        } finally {
            if (!taken) {
                shares.forEach(share -> share.giveBack(query));
            }
        }
        return taken
                ? Optional.of(
                        new ServerChoice(admissions.get(0), shares.get(0).leases(), shares.subList(1, shares.size())))
                : Optional.empty();
    }

    static WorkerAdmission onPrimary(
            QueryExecution query, FanOutTask task, FanfoldConfig config, FanOutResources shared, boolean verified) {
        return new WorkerAdmission(
                query, task.onPrimary(), shared.servers().primary(), config, task.degree(), verified);
    }

    /** Takes connections that are free to a server; none if it is busy or may not be read now. */
    private static List<Lease> free(WorkerAdmission admission) throws RefusedException, InterruptedException {
        QueryExecution query = admission.query();
        WorkerServer server = admission.server();
        Admission answer = admission.ask(Duration.ZERO);
        List<Lease> leases = answer.leases();
        leases.forEach(query::takeOn);
        boolean kept = false;
        try {
            Optional<ReplicaObstacle> obstacle = obstacle(admission, answer);
            kept = obstacle.isEmpty() && !leases.isEmpty();
            if (query.cancelledWithoutFailure()) {
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
        if (answer.leases().isEmpty() || admission.server().primary()) {
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

package io.fanfold.pool;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ReplicaConfig;
import io.fanfold.config.ReplicaReads.ReadFrom;
import io.fanfold.config.RunningSettings;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.tls.BackendTls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The servers that fan-outs may read: the primary, which is the server of the clients, and its replicas. Thread-safe. */
public final class WorkerServers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerServers.class);

    private final WorkerServer primary;
    private final List<WorkerServer> replicas;
    private final Optional<PrimaryChoice> choice;
    private final LeftOut several = new LeftOut(System::nanoTime, Duration.ofMillis(50));

    private WorkerServers(WorkerServer primary, List<WorkerServer> replicas, Optional<PrimaryChoice> choice) {
        this.primary = primary;
        this.choice = choice;
        this.replicas = List.copyOf(replicas);
    }

    /**
     * Starts connecting to the replicas in the background.
     *
     * @param primary the pool of the primary; closed with the others
     * @param tls encrypts the connections; null for no encryption
     */
    public static WorkerServers of(
            WorkerPool primary, RunningSettings settings, @Nullable BackendTls tls, FanfoldMetrics metrics) {
        FanfoldConfig config = settings.get();
        BackendConfig backend = config.backend();
        ReplicaConfig place = new ReplicaConfig(backend.host(), backend.port(), 1);
        List<WorkerServer> replicas = new ArrayList<>();
        for (ReplicaConfig replica : config.workers().servers()) {
            WorkerPool pool =
                    new WorkerPool(backend.at(replica.host(), replica.port()), tls, config.workers(), metrics);
            replicas.add(new WorkerServer(replica, pool, false, System::nanoTime));
        }
        Optional<PrimaryChoice> choice =
                backend.hosts().isEmpty() ? Optional.empty() : Optional.of(new PrimaryChoice(settings, primary::login));
        return new WorkerServers(new WorkerServer(place, primary, true, System::nanoTime), replicas, choice);
    }

    public WorkerServer primary() {
        return primary;
    }

    /** What chooses the primary; empty if there is no choice. */
    public Optional<PrimaryChoice> choice() {
        return choice;
    }

    /** The replicas, in the order of the settings. */
    public List<WorkerServer> replicas() {
        return replicas;
    }

    /** The primary and all replicas. */
    public List<WorkerServer> all() {
        List<WorkerServer> all = new ArrayList<>(List.of(primary));
        all.addAll(replicas);
        return all;
    }

    /**
     * Returns the replicas that a fan-out tries before the primary, the least busy one first. The caller asks each whether
     * it may be tried.
     *
     * @param connections the most worker connections to each server
     */
    public List<WorkerServer> before(ReadFrom from, int connections) {
        return inOrder(from, connections).stream()
                .takeWhile(server -> !server.primary())
                .toList();
    }

    /**
     * Returns the servers that a fan-out may read, the least busy one first.
     *
     * @param connections the most worker connections to each server
     */
    public List<WorkerServer> inOrder(ReadFrom from, int connections) {
        List<WorkerServer> readable = switch (from) {
            case PRIMARY -> List.of(primary);
            case REPLICA -> replicas;
            case ANY -> all();
        };
        return readable.stream()
                .map(server -> server.load(connections))
                .sorted()
                .map(WorkerServer.Load::server)
                .toList();
    }

    /** Whether the caller may read several servers at once. They are not tried for a while after a failure. */
    public boolean mayTrySeveral() {
        return several.mayTry();
    }

    /** Several servers had equal snapshots. */
    public void severalWorked() {
        several.worked();
    }

    /**
     * Several servers had no equal snapshots.
     *
     * @param why a clause
     */
    public void severalFailed(String why) {
        if (several.failed(why)) {
            LOG.info("fan-outs read one server each for a while: {}", why);
        }
    }

    @Override
    public void close() {
        choice.ifPresent(PrimaryChoice::close);
        all().forEach(server -> server.pool().close());
    }
}

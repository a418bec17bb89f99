package io.fanfold.pool;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fanfold.config.HostPort;
import io.fanfold.config.ReplicaConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server that fan-outs may read, with the worker connections to it. Safe for use by multiple threads. */
public final class WorkerServer {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerServer.class);

    private volatile ReplicaConfig place;
    private final WorkerPool pool;
    private final boolean primary;
    private final LeftOut leftOut;
    private final LongAdder fanOuts = new LongAdder();
    private final Map<String, LongAdder> fanOutsByName = new ConcurrentHashMap<>();
    private volatile @Nullable String skipped;

    /** Why statements did not read it in the last hour. */
    private final Cache<String, Boolean> skips = Caffeine.newBuilder()
            .maximumSize(100)
            .expireAfterWrite(Duration.ofHours(1))
            .build();

    /** @param place its address and its weight */
    WorkerServer(ReplicaConfig place, WorkerPool pool, boolean primary, LongSupplier nanoTime) {
        this.place = place;
        this.pool = pool;
        this.primary = primary;
        this.leftOut = new LeftOut(nanoTime, Duration.ofSeconds(1));
    }

    /** The name that operators see, {@code host:port}. */
    public String name() {
        return place.name();
    }

    public String host() {
        return place.host();
    }

    public int port() {
        return place.port();
    }

    public WorkerPool pool() {
        return pool;
    }

    /** Returns {@code primary} or {@code replica}. */
    public String role() {
        return primary ? "primary" : "replica";
    }

    /** Whether it is the server of the clients. */
    public boolean primary() {
        return primary;
    }

    /** How many fan-outs have taken connections to it. */
    public long fanOuts() {
        return fanOuts.sum();
    }

    /** How many of these it had while its name was this one, see {@link #moveTo}. */
    public long fanOuts(String name) {
        LongAdder count = fanOutsByName.get(name);
        return count == null ? 0 : count.sum();
    }

    /** The server of the clients is another one from now on. */
    public void moveTo(HostPort server) {
        place = new ReplicaConfig(server.host(), server.port(), place.weight());
        pool.moveTo(server);
    }

    /** Why it is left out; empty if it is not, or if it is the primary. */
    public Optional<String> leftOut() {
        return leftOut.why();
    }

    /** Whether the caller may read it now. A replica that failed is left out for a while, and is then tried by one caller. */
    public boolean mayTry() {
        return leftOut.mayTry();
    }

    /**
     * How busy it is now, relative to its weight.
     *
     * @param connections the most worker connections
     */
    Load load(int connections) {
        double weight = place.weight();
        return new Load(this, (connections - pool.free() + 1) / weight, fanOuts() / weight);
    }

    /** Of equally busy servers, the one with fewer fan-outs comes first. */
    record Load(WorkerServer server, double busy, double served) implements Comparable<Load> {
        @Override
        public int compareTo(Load other) {
            int byConnections = Double.compare(busy, other.busy);
            return byConnections != 0 ? byConnections : Double.compare(served, other.served);
        }
    }

    /** A fan-out has taken connections, and may use them. */
    public void serves() {
        fanOuts.increment();
        fanOutsByName.computeIfAbsent(name(), first -> new LongAdder()).increment();
    }

    /** A fan-out has read its snapshots to their end. */
    public void worked() {
        skipped = null;
        if (leftOut.worked()) {
            LOG.info("replica {} is read again", name());
        }
    }

    /** See {@link #mayTry}: the caller did not read the server. */
    public void notTried() {
        leftOut.notTried();
    }

    /** A fan-out with these connections has ended. A replica that broke one of them is left out for a while. */
    public void ended(List<Lease> leases) {
        if (!primary && leases.stream().anyMatch(lease -> lease.connection().broken())) {
            pool.renew();
            leaveOut("a connection to it was lost");
        }
    }

    /** Why the last statement that was to read the replica did not, although others may; empty if a later one has. */
    public Optional<String> skipped() {
        return Optional.ofNullable(skipped);
    }

    /** A statement does not read the replica, because of its tables. The log has each cause once an hour. */
    public void skip(String why) {
        skipped = why;
        if (skips.asMap().putIfAbsent(why, true) == null) {
            LOG.warn("a statement does not read replica {}: {} (logged at most once an hour)", name(), why);
        }
    }

    /**
     * The server could not be read, so others are read for a while. Does nothing for the primary.
     *
     * @param why a clause
     */
    public void leaveOut(String why) {
        if (!primary && leftOut.failed(why)) {
            LOG.warn("replica {} is not read for a while: {}", name(), why);
        }
    }
}

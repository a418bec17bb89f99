package io.fanfold.metrics;

import io.fanfold.reason.Reason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of one proxy, in a registry of its own. Thread-safe; events never block, and allocate nothing except for
 * the first snapshot with a new outcome.
 *
 * <p>The registry derives the names that Prometheus shows: {@code fanfold.statements.attempted} is
 * {@code fanfold_statements_attempted_total}. docs/operations.md has the list.
 */
public final class Meters implements FanfoldMetrics, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Meters.class);

    /** The attempts to open equal snapshots that had one outcome. */
    private record SnapshotMeters(Timer time, Counter rounds) {}

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ExpositionFormats formats = ExpositionFormats.init();

    private final Counter attempted = counter("statements.attempted", "Statements considered for splitting");
    private final Map<Reason, Counter> passes = new EnumMap<>(Reason.class);
    private final Counter cancelled = counter(
            "statements.cancelled",
            "Fan-outs that ended because the client left or was killed, a time limit was reached, or Fanfold stops");
    private final Counter brokenOff =
            counter("statements.broken.off", "Fan-outs that failed after the first rows of the answer");
    private final Timer split =
            histogram("split.statement", "Time of statements answered by a fan-out, from arrival to end of answer");
    private final Timer relayed =
            histogram("relayed.statement", "Time of statements answered by the server, from arrival to end of answer");
    private final Counter partitionQueries =
            counter("partition.queries", "Partition queries of all fan-outs, also those whose rows were used again");
    private final Counter filters = counter("dynamic.filters", "Dynamic filters added to partition queries");
    private final Counter firstInTransaction = inTransaction("first");
    private final Counter laterInTransaction = inTransaction("later");
    private final Map<String, SnapshotMeters> snapshots = new ConcurrentHashMap<>();
    private final Counter queued =
            counter("admission.queued", "Requests for worker connections that had to wait in the queue");
    private final Timer admitted = wait("admitted");
    private final Timer waitedInVain = wait("in_vain");
    private final Counter queueFull =
            counter("admission.queue.full", "Queries that found no place in the queue, or lost it to another user");
    private final Counter revoked = counter(
            "admission.revoked", "Worker connections that a running fan-out released early because others waited");
    private final Counter connected = counter("clients.connected", "Clients that have connected");
    private final Counter refused = counter(
            "clients.refused", "Clients that were refused: too many were connected, or no file handle was free");
    private final LongAdder disconnected = new LongAdder();
    private final Counter serverOpened = serverConnections("opened");
    private final Counter serverFailed = serverConnections("failed");

    /** Whether the last attempt to connect to the server for a client succeeded; null if there was none. */
    private volatile @Nullable Boolean serverReached;

    private final VerifyMeters verifications = new VerifyMeters(registry);
    private final ReuseMeters reuse = new ReuseMeters(registry);

    private final RuntimeMeters runtime = new RuntimeMeters(registry);

    public Meters() {
        for (Reason reason : Reason.values()) {
            passes.put(
                    reason,
                    Counter.builder("fanfold.statements.not.chosen")
                            .description("Statements passed through after they were considered, by reason")
                            .tag("reason", reason.label())
                            .register(registry));
        }
        FunctionCounter.builder("fanfold.statements.executed", split, Timer::count)
                .description("Statements answered by a fan-out")
                .register(registry);
        gauge("clients", "Clients that are connected", this::clientsNow);
        gauge("admission.waiting", "Requests that wait for worker connections", this::queuedNow);
    }

    private Counter counter(String name, String help) {
        return Counter.builder("fanfold." + name).description(help).register(registry);
    }

    private Timer histogram(String name, String help) {
        return StatementTimes.timer(registry, name, help);
    }

    private Counter inTransaction(String place) {
        return Counter.builder("fanfold.transaction.statements")
                .description("Fan-outs inside transactions: of the transaction's first statement, or of later ones")
                .tag("place", place)
                .register(registry);
    }

    private Timer wait(String outcome) {
        return Timer.builder("fanfold.admission.wait")
                .description("Time that requests for worker connections waited in the queue, by outcome")
                .tag("outcome", outcome)
                .register(registry);
    }

    private Counter serverConnections(String outcome) {
        return Counter.builder("fanfold.server.connections")
                .description("Attempts to connect to the server for a client, by outcome")
                .tag("outcome", outcome)
                .register(registry);
    }

    private void gauge(String name, String help, LongSupplier value) {
        Gauge.builder("fanfold." + name, value::getAsLong).description(help).register(registry);
    }

    // ---- what is there at the moment ----

    /** Shows the version of this proxy. */
    public void version(String version) {
        Gauge.builder("fanfold.build.info", () -> 1)
                .description("The version of Fanfold")
                .tag("version", version)
                .register(registry);
    }

    /**
     * Shows the heap that merges hold.
     *
     * @param held bytes; called at each scrape, returns at once
     * @param limit bytes
     */
    public void memory(LongSupplier held, LongSupplier limit) {
        bytes("merge.memory", "Heap that the merges of all running fan-outs hold", held);
        bytes("merge.memory.limit", "Heap that the merges of all fan-outs may hold", limit);
    }

    /**
     * Shows what is kept for reuse.
     *
     * @param held bytes; called at each scrape, returns at once
     * @param reading whether the server's binary log is read
     */
    public void reuse(LongSupplier held, BooleanSupplier reading) {
        bytes("reuse.memory", "Heap of rows that may be used again", held);
        gauge(
                "reuse.log.connected",
                "1 if the server's binary log is read, for reuse",
                () -> reading.getAsBoolean() ? 1 : 0);
    }

    private void bytes(String name, String help, LongSupplier value) {
        Gauge.builder("fanfold." + name, value::getAsLong)
                .description(help)
                .baseUnit("bytes")
                .register(registry);
    }

    /**
     * Shows whether the server works.
     *
     * @param up called at each scrape, may wait for the server
     */
    public void backend(BooleanSupplier up) {
        gauge(
                "backend.up",
                "1 if the worker account can log in to the server; without a worker account, 1 if the server accepts"
                        + " connections",
                () -> up.getAsBoolean() ? 1 : 0);
    }

    /** The meters of the process and its libraries. */
    public RuntimeMeters runtime() {
        return runtime;
    }

    /** The registry, for meters of libraries. */
    public MeterRegistry registry() {
        return registry;
    }

    /** Whether the last attempt to connect to the server for a client succeeded; null if there was none. */
    public @Nullable Boolean serverReached() {
        return serverReached;
    }

    // ---- events ----

    @Override
    public void attempted() {
        attempted.increment();
    }

    @Override
    public void passedThrough(Reason reason) {
        Objects.requireNonNull(passes.get(reason)).increment();
    }

    @Override
    public void fannedOut(int partitions, int degree, String snapshot, List<Integer> filterKeys, long nanos) {
        split.record(nanos, TimeUnit.NANOSECONDS);
        partitionQueries.increment(partitions);
        filters.increment(filterKeys.size());
    }

    @Override
    public void inTransaction(boolean first) {
        (first ? firstInTransaction : laterInTransaction).increment();
    }

    @Override
    public void relayed(long nanos) {
        relayed.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void serverConnection(boolean opened) {
        serverReached = opened;
        (opened ? serverOpened : serverFailed).increment();
    }

    @Override
    public void snapshot(String outcome, int rounds, long nanos) {
        SnapshotMeters meters = snapshots.computeIfAbsent(outcome, this::snapshotMeters);
        meters.time().record(nanos, TimeUnit.NANOSECONDS);
        meters.rounds().increment(rounds);
    }

    private SnapshotMeters snapshotMeters(String outcome) {
        return new SnapshotMeters(
                Timer.builder("fanfold.snapshot")
                        .description("Time of the attempts to open equal snapshots, by outcome")
                        .tag("outcome", outcome)
                        .register(registry),
                Counter.builder("fanfold.snapshot.rounds")
                        .description("Rounds of the attempts to open equal snapshots, by outcome of the attempt")
                        .tag("outcome", outcome)
                        .register(registry));
    }

    @Override
    public void queued() {
        queued.increment();
    }

    @Override
    public void leftQueue(boolean served, long nanos) {
        (served ? admitted : waitedInVain).record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void queueFull() {
        queueFull.increment();
    }

    @Override
    public void revoked() {
        revoked.increment();
    }

    @Override
    public void cancelled() {
        cancelled.increment();
    }

    @Override
    public void brokeOff(Reason reason) {
        brokenOff.increment();
    }

    @Override
    public void verified(VerifyReport report) {
        verifications.count(report.result());
    }

    @Override
    public void reuse(ReuseOutcome outcome, long savedNanos) {
        reuse.count(outcome, savedNanos);
    }

    @Override
    public void clientRefused() {
        refused.increment();
    }

    @Override
    public void clientConnected() {
        connected.increment();
    }

    @Override
    public void clientDisconnected() {
        disconnected.increment();
    }

    // ---- reading ----

    /**
     * Returns all meters. May wait for the server, see {@link #backend}.
     *
     * @param accept the formats that the reader knows, as in an HTTP header; null for the Prometheus text format
     */
    public Exposition scrape(@Nullable String accept) {
        ExpositionFormatWriter writer = formats.findWriter(accept);
        ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
        try {
            writer.write(out, registry.getPrometheusRegistry().scrape());
        } catch (IOException e) {
            throw new UncheckedIOException("never thrown by a buffer", e);
        }
        return new Exposition(writer.getContentType(), out.toByteArray());
    }

    private long clientsNow() {
        long gone = disconnected.sum();
        return whole(connected) - gone;
    }

    private long queuedNow() {
        long left = admitted.count() + waitedInVain.count();
        return whole(queued) - left;
    }

    private static long whole(Counter counter) {
        return Math.round(counter.count());
    }

    private static long nanos(Timer timer) {
        return Math.round(timer.totalTime(TimeUnit.NANOSECONDS));
    }

    /** Returns the counters as they are now. */
    public Counts counts() {
        Map<Reason, Long> met = new EnumMap<>(Reason.class);
        passes.forEach((reason, counter) -> {
            if (whole(counter) != 0) {
                met.put(reason, whole(counter));
            }
        });
        Map<String, Long> tried = new TreeMap<>();
        snapshots.forEach((outcome, meters) -> tried.put(outcome, meters.time().count()));
        return new Counts(
                whole(attempted),
                met,
                split.count(),
                whole(partitionQueries),
                nanos(split),
                whole(filters),
                whole(firstInTransaction),
                whole(laterInTransaction),
                tried,
                snapshots.values().stream()
                        .mapToLong(meters -> whole(meters.rounds()))
                        .sum(),
                snapshots.values().stream()
                        .mapToLong(meters -> nanos(meters.time()))
                        .sum(),
                whole(queued),
                queuedNow(),
                waitedInVain.count(),
                nanos(admitted) + nanos(waitedInVain),
                whole(queueFull),
                whole(revoked),
                whole(cancelled),
                whole(brokenOff),
                whole(connected),
                clientsNow());
    }

    /** Writes the counters as one INFO line; to be called once, after the proxy has stopped. */
    public void logSummary() {
        LOG.info("{}", counts().summary());
    }

    /** Ends the meters of the runtime and of the registry. */
    @Override
    public void close() {
        runtime.close();
        registry.close();
    }
}

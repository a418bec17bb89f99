package io.fanfold.metrics;

import io.fanfold.reason.Reason;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts in memory. Thread-safe; no method blocks. */
public final class CountingMetrics implements FanfoldMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(CountingMetrics.class);

    private final Map<Reason, LongAdder> passes = new EnumMap<>(Reason.class);
    private final LongAdder fanOuts = new LongAdder();
    private final LongAdder partitionQueries = new LongAdder();
    private final LongAdder fanOutNanos = new LongAdder();
    private final LongAdder filters = new LongAdder();
    private final LongAdder firstInTransaction = new LongAdder();
    private final LongAdder laterInTransaction = new LongAdder();
    private final Map<String, LongAdder> snapshots = new ConcurrentSkipListMap<>();
    private final LongAdder snapshotRounds = new LongAdder();
    private final LongAdder snapshotNanos = new LongAdder();
    private final LongAdder queued = new LongAdder();
    private final LongAdder admitted = new LongAdder();
    private final LongAdder waitedInVain = new LongAdder();
    private final LongAdder queueNanos = new LongAdder();
    private final LongAdder queueFull = new LongAdder();
    private final LongAdder revoked = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder brokenOff = new LongAdder();
    private final LongAdder connected = new LongAdder();
    private final LongAdder disconnected = new LongAdder();

    /**
     * The counters at one moment. While statements run, counters of the same statement may differ by one.
     *
     * @param passedThrough statements passed through after they were considered, by reason; reasons that did not occur
     *     are absent
     * @param fanOuts statements answered by a fan-out
     * @param partitionQueries partition queries of all fan-outs
     * @param fanOutNanos total time of all fan-outs, nanoseconds
     * @param filters dynamic filters of all fan-outs
     * @param firstInTransaction fan-outs of the first statements of transactions
     * @param laterInTransaction fan-outs of later statements of transactions
     * @param snapshots attempts to open equal snapshots, by outcome; outcomes that did not occur are absent
     * @param snapshotRounds rounds of all attempts
     * @param snapshotNanos total time of all attempts, nanoseconds
     * @param queued requests for worker connections that had to wait
     * @param queuedNow requests that wait at the moment
     * @param waitedInVain requests that waited and got none
     * @param queueNanos total time that requests waited, nanoseconds; only of those that no longer wait
     * @param queueFull queries that found no place in the queue, or lost it
     * @param revoked worker connections revoked early because others waited
     * @param cancelled fan-outs cancelled
     * @param brokenOff fan-outs that failed after their answers had begun
     * @param clientsSeen clients that ever connected
     * @param clientsNow clients connected at the moment
     */
    public record Counts(
            Map<Reason, Long> passedThrough,
            long fanOuts,
            long partitionQueries,
            long fanOutNanos,
            long filters,
            long firstInTransaction,
            long laterInTransaction,
            Map<String, Long> snapshots,
            long snapshotRounds,
            long snapshotNanos,
            long queued,
            long queuedNow,
            long waitedInVain,
            long queueNanos,
            long queueFull,
            long revoked,
            long cancelled,
            long brokenOff,
            long clientsSeen,
            long clientsNow) {

        /** Orders the reasons as they are declared, and the outcomes alphabetically. */
        public Counts {
            Map<Reason, Long> ordered = new EnumMap<>(Reason.class);
            ordered.putAll(passedThrough);
            passedThrough = Collections.unmodifiableMap(ordered);
            snapshots = Collections.unmodifiableMap(new TreeMap<>(snapshots));
        }

        /** The number of statements passed through after they were considered. */
        public long passes() {
            return passedThrough.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    public CountingMetrics() {
        for (Reason reason : Reason.values()) {
            passes.put(reason, new LongAdder());
        }
    }

    @Override
    public void passedThrough(Reason reason) {
        adder(reason).increment();
    }

    @Override
    public void fannedOut(int partitions, int degree, String snapshot, List<Integer> filterKeys, long nanos) {
        fanOuts.increment();
        partitionQueries.add(partitions);
        fanOutNanos.add(nanos);
        filters.add(filterKeys.size());
    }

    @Override
    public void inTransaction(boolean first) {
        (first ? firstInTransaction : laterInTransaction).increment();
    }

    @Override
    public void snapshot(String outcome, int rounds, long nanos) {
        snapshots.computeIfAbsent(outcome, key -> new LongAdder()).increment();
        snapshotRounds.add(rounds);
        snapshotNanos.add(nanos);
    }

    @Override
    public void queued() {
        queued.increment();
    }

    @Override
    public void leftQueue(boolean served, long nanos) {
        (served ? admitted : waitedInVain).increment();
        queueNanos.add(nanos);
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
    public void clientConnected() {
        connected.increment();
    }

    @Override
    public void clientDisconnected() {
        disconnected.increment();
    }

    /** Returns the counters as they are now. */
    public Counts snapshot() {
        Map<Reason, Long> met = new EnumMap<>(Reason.class);
        passes.forEach((reason, count) -> {
            if (count.sum() != 0) {
                met.put(reason, count.sum());
            }
        });
        Map<String, Long> tried = new TreeMap<>();
        snapshots.forEach((outcome, count) -> tried.put(outcome, count.sum()));
        long gone = disconnected.sum();
        long seen = connected.sum();
        long inVain = waitedInVain.sum();
        long served = admitted.sum();
        long waited = queued.sum();
        return new Counts(
                met,
                fanOuts.sum(),
                partitionQueries.sum(),
                fanOutNanos.sum(),
                filters.sum(),
                firstInTransaction.sum(),
                laterInTransaction.sum(),
                tried,
                snapshotRounds.sum(),
                snapshotNanos.sum(),
                waited,
                waited - served - inVain,
                inVain,
                queueNanos.sum(),
                queueFull.sum(),
                revoked.sum(),
                cancelled.sum(),
                brokenOff.sum(),
                seen,
                seen - gone);
    }

    /** Writes the counters as one INFO line; to be called once, after the proxy has stopped. */
    public void logSummary() {
        LOG.info("{}", summary());
    }

    /** The text that {@link #logSummary()} writes. */
    String summary() {
        Counts counts = snapshot();
        Map<String, Long> reasons = new LinkedHashMap<>();
        counts.passedThrough().forEach((reason, count) -> reasons.put(reason.label(), count));
        long tried =
                counts.snapshots().values().stream().mapToLong(Long::longValue).sum();
        return "stopped: clients=" + counts.clientsSeen()
                + " fan_outs=" + counts.fanOuts()
                + " partition_queries=" + counts.partitionQueries()
                + " fan_out_millis=" + TimeUnit.NANOSECONDS.toMillis(counts.fanOutNanos())
                + " filters=" + counts.filters()
                + " first_in_transaction=" + counts.firstInTransaction()
                + " later_in_transaction=" + counts.laterInTransaction()
                + " snapshots=" + tried + list(counts.snapshots())
                + " snapshot_rounds=" + counts.snapshotRounds()
                + " snapshot_millis=" + TimeUnit.NANOSECONDS.toMillis(counts.snapshotNanos())
                + " queued=" + counts.queued()
                + " queue_millis=" + TimeUnit.NANOSECONDS.toMillis(counts.queueNanos())
                + " waited_in_vain=" + counts.waitedInVain()
                + " queue_full=" + counts.queueFull()
                + " asked_back=" + counts.revoked()
                + " cancelled=" + counts.cancelled()
                + " broken_off=" + counts.brokenOff()
                + " passed_through=" + counts.passes() + list(reasons);
    }

    /** Returns " (name=count ...)", or "" if there are none. */
    private static String list(Map<String, Long> counts) {
        return counts.isEmpty()
                ? ""
                : counts.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining(" ", " (", ")"));
    }

    private LongAdder adder(Reason reason) {
        LongAdder adder = passes.get(reason);
        if (adder == null) {
            throw new IllegalStateException("no counter for " + reason);
        }
        return adder;
    }
}

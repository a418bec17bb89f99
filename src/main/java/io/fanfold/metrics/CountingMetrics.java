package io.fanfold.metrics;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts in memory. Safe for use by any number of threads; no method blocks. */
public final class CountingMetrics implements FanfoldMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(CountingMetrics.class);

    private final Map<Reason, LongAdder> passes = new EnumMap<>(Reason.class);
    private final LongAdder fanOuts = new LongAdder();
    private final LongAdder partitionQueries = new LongAdder();
    private final LongAdder fanOutNanos = new LongAdder();
    private final LongAdder snapshotsProven = new LongAdder();
    private final LongAdder snapshotsUnproven = new LongAdder();
    private final LongAdder snapshotRounds = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder brokenOff = new LongAdder();
    private final LongAdder connected = new LongAdder();
    private final LongAdder disconnected = new LongAdder();

    /**
     * The counters at one moment. While statements run, counters of the same statement may differ by one.
     *
     * @param passedThrough statements passed through after they were looked at, by reason; reasons never met are absent
     * @param fanOuts statements answered by a fan-out
     * @param partitionQueries partition queries of all fan-outs
     * @param fanOutNanos time of all fan-outs together, nanoseconds
     * @param snapshotsProven attempts that ended with equal snapshots
     * @param snapshotsUnproven attempts that gave up
     * @param snapshotRounds rounds of all attempts
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
            long snapshotsProven,
            long snapshotsUnproven,
            long snapshotRounds,
            long cancelled,
            long brokenOff,
            long clientsSeen,
            long clientsNow) {

        /** Keeps the reasons in the order of their declaration. */
        public Counts {
            Map<Reason, Long> ordered = new EnumMap<>(Reason.class);
            ordered.putAll(passedThrough);
            passedThrough = Collections.unmodifiableMap(ordered);
        }

        /** All statements passed through after they were looked at. */
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
    public void fannedOut(int partitions, int degree, String snapshot, long nanos) {
        fanOuts.increment();
        partitionQueries.add(partitions);
        fanOutNanos.add(nanos);
    }

    @Override
    public void snapshot(boolean proven, int rounds, long nanos) {
        (proven ? snapshotsProven : snapshotsUnproven).increment();
        snapshotRounds.add(rounds);
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

    /** The counters as they are now. */
    public Counts snapshot() {
        Map<Reason, Long> met = new EnumMap<>(Reason.class);
        passes.forEach((reason, count) -> {
            if (count.sum() != 0) {
                met.put(reason, count.sum());
            }
        });
        long gone = disconnected.sum();
        long seen = connected.sum();
        return new Counts(
                met,
                fanOuts.sum(),
                partitionQueries.sum(),
                fanOutNanos.sum(),
                snapshotsProven.sum(),
                snapshotsUnproven.sum(),
                snapshotRounds.sum(),
                cancelled.sum(),
                brokenOff.sum(),
                seen,
                seen - gone);
    }

    /** Writes the counters as one INFO line; to be called once, when the proxy has stopped. */
    public void logSummary() {
        LOG.info("{}", summary());
    }

    /** What {@link #logSummary()} writes. */
    String summary() {
        Counts counts = snapshot();
        String reasons = counts.passedThrough().entrySet().stream()
                .map(entry -> entry.getKey().label() + "=" + entry.getValue())
                .collect(Collectors.joining(" ", "", ""));
        return "stopped: clients=" + counts.clientsSeen()
                + " fan_outs=" + counts.fanOuts()
                + " partition_queries=" + counts.partitionQueries()
                + " fan_out_millis=" + TimeUnit.NANOSECONDS.toMillis(counts.fanOutNanos())
                + " snapshots_proven=" + counts.snapshotsProven()
                + " snapshots_unproven=" + counts.snapshotsUnproven()
                + " snapshot_rounds=" + counts.snapshotRounds()
                + " cancelled=" + counts.cancelled()
                + " broken_off=" + counts.brokenOff()
                + " passed_through=" + counts.passes()
                + (reasons.isEmpty() ? "" : " (" + reasons + ")");
    }

    private LongAdder adder(Reason reason) {
        LongAdder adder = passes.get(reason);
        if (adder == null) {
            throw new IllegalStateException("no counter for " + reason);
        }
        return adder;
    }
}

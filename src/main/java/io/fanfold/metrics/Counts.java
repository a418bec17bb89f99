package io.fanfold.metrics;

import io.fanfold.reason.Reason;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The counters of {@link Meters} at one moment. While statements run, counters of the same statement may differ by one.
 *
 * @param attempted statements considered for splitting
 * @param passedThrough statements passed through after they were considered, by reason; reasons that did not occur are
 *     absent
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
        long attempted,
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

    /** The counters in one line, for the log. */
    String summary() {
        Map<String, Long> reasons = new LinkedHashMap<>();
        passedThrough.forEach((reason, count) -> reasons.put(reason.label(), count));
        long tried = snapshots.values().stream().mapToLong(Long::longValue).sum();
        return "stopped: clients=" + clientsSeen
                + " fan_outs=" + fanOuts
                + " partition_queries=" + partitionQueries
                + " fan_out_millis=" + TimeUnit.NANOSECONDS.toMillis(fanOutNanos)
                + " filters=" + filters
                + " first_in_transaction=" + firstInTransaction
                + " later_in_transaction=" + laterInTransaction
                + " snapshots=" + tried + list(snapshots)
                + " snapshot_rounds=" + snapshotRounds
                + " snapshot_millis=" + TimeUnit.NANOSECONDS.toMillis(snapshotNanos)
                + " queued=" + queued
                + " queue_millis=" + TimeUnit.NANOSECONDS.toMillis(queueNanos)
                + " waited_in_vain=" + waitedInVain
                + " queue_full=" + queueFull
                + " asked_back=" + revoked
                + " cancelled=" + cancelled
                + " broken_off=" + brokenOff
                + " passed_through=" + passes() + list(reasons);
    }

    /** Returns " (name=count ...)", or "" if there are none. */
    private static String list(Map<String, Long> counts) {
        return counts.isEmpty()
                ? ""
                : counts.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining(" ", " (", ")"));
    }
}

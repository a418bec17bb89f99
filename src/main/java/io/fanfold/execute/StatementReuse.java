package io.fanfold.execute;

import io.fanfold.binlog.LogPosition;
import io.fanfold.binlog.LoggedChanges;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.metrics.FanfoldMetrics.ReuseOutcome;
import io.fanfold.plan.Part;
import io.fanfold.reuse.PartialResult;
import io.fanfold.reuse.PartialResults;
import io.fanfold.reuse.ResultKey;
import io.fanfold.reuse.Source;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds rows of earlier partition queries that a statement's snapshots would show too, and keeps the rows that it reads.
 * {@link #part} and {@link #knows} are for the coordinator thread.
 */
final class StatementReuse {
    private final PartialResults results;
    private final LoggedChanges changes;
    private final LogPosition position;
    private final Duration patience;
    private final long leastNanos;
    private final byte[] settings;
    private final FanfoldMetrics metrics;

    /** Whether the log has been read up to the snapshots; null until that is asked. A statement waits for it once. */
    private @Nullable Boolean reached;

    /**
     * Reuse for one statement.
     *
     * @param changes what is known from the log's connection; rows that were kept during another one are not used
     * @param position the commits that the snapshots show
     * @param patience how long the statement waits until the log has been read up to there
     * @param leastNanos rows that were read faster are not kept
     * @param settings the session settings of the workers, and the connection that reads the log
     */
    StatementReuse(
            PartialResults results,
            LoggedChanges changes,
            LogPosition position,
            Duration patience,
            long leastNanos,
            byte[] settings,
            FanfoldMetrics metrics) {
        this.results = results;
        this.changes = changes;
        this.position = position;
        this.patience = patience;
        this.leastNanos = leastNanos;
        this.settings = settings.clone();
        this.metrics = metrics;
    }

    /**
     * A partition query whose rows are known, or are to be kept.
     *
     * @param known the rows that it would return; null if it must be run
     */
    record PartReuse(
            StatementReuse statement,
            ResultKey key,
            List<Source> sources,
            @Nullable PartialResult known) {
        /**
         * Starts to record the query's rows. For the worker's thread.
         *
         * @param startNanos {@link System#nanoTime} when the query was sent
         */
        PartialResults.Recorder record(int columns, long startNanos) {
            return statement.results.record(key, columns, startNanos);
        }

        /** Keeps the recorded rows, if it took long enough to read them. Returns whether they are kept. */
        boolean keep(PartialResults.Recorder recorder, long nanos) {
            return nanos >= statement.leastNanos
                    && recorder.keep(
                            nanos,
                            rows -> new PartialResult(rows, statement.position, sources, nanos, System.nanoTime()));
        }
    }

    /**
     * Looks for the rows of a partition query.
     *
     * @param query its exact bytes, without a comment
     * @param read what the block reads
     */
    PartReuse part(byte[] query, PartSources read, Part part) throws InterruptedException {
        ResultKey key = key(query, read);
        Optional<PartialResult> kept = results.find(key);
        ReuseOutcome outcome = judge(key, kept);
        boolean usable = outcome == ReuseOutcome.REUSED;
        metrics.reuse(outcome, usable ? kept.orElseThrow().nanos() : 0);
        return new PartReuse(this, key, read.of(part), usable ? kept.orElseThrow() : null);
    }

    /** Whether the rows of a partition query are known, see {@link #part}. Counts nothing. */
    boolean knows(byte[] query, PartSources read) throws InterruptedException {
        ResultKey key = key(query, read);
        return judge(key, results.find(key)) == ReuseOutcome.REUSED;
    }

    private ResultKey key(byte[] query, PartSources read) {
        return ResultKey.of(List.of(settings, read.definitions(), query));
    }

    /** Judges the rows that were found, and drops them if they have changed. */
    private ReuseOutcome judge(ResultKey key, Optional<PartialResult> found) throws InterruptedException {
        if (found.isEmpty()) {
            return ReuseOutcome.ABSENT;
        }
        PartialResult kept = found.get();
        if (reached == null) {
            reached = changes.reached(position, patience);
        }
        if (!reached) {
            return ReuseOutcome.BEHIND;
        }
        boolean unchanged = kept.sources().stream()
                .allMatch(source -> changes.unchanged(
                        kept.position(), position, source.table(), source.partition(), source.foreignKeys()));
        if (!unchanged) {
            results.drop(key, kept);
        }
        return unchanged ? ReuseOutcome.REUSED : ReuseOutcome.CHANGED;
    }
}

package io.fanfold.execute;

import io.fanfold.discovery.SplitObserver;
import io.fanfold.execute.FailureMap.StatementEnd;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.reason.Reason;
import io.fanfold.sql.StatementDigest;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs how an answer ended.
 *
 * @param session the session's name in the log
 * @param shown the statement without its literals, for the log
 * @param counts of statements like this one
 * @param digest identifies executions of similar statements
 * @param transaction the statement's place in its transaction; empty outside transactions
 * @param arrivalNanos when the statement arrived
 */
record AnswerCount(
        String session,
        String shown,
        StatementStatistics.StatementCounts counts,
        String digest,
        Optional<TransactionPlace> transaction,
        long arrivalNanos,
        ExecutionHistory history,
        FailedAttempts attempts,
        FanfoldMetrics metrics,
        SplitObserver observer,
        SlowStatements slow,
        Phases phases) {
    private static final Logger LOG = LoggerFactory.getLogger(AnswerCount.class);

    /** Records the time for later decisions. A time with known rows would make a long statement look short. */
    private void learn(FilterUse filters, long nanos) {
        history.split(digest, nanos);
        if (filters.avoided()) {
            history.unfiltered(digest, nanos);
        } else if (!filters.keys().isEmpty()) {
            history.filtered(digest, nanos, filters.left());
        }
    }

    /**
     * Counts a complete answer. Called before the end of the answer is sent, so that a client that has the answer finds
     * it counted.
     */
    void fannedOut(PartCount partitions, int degree, String snapshot, FilterUse filters) {
        long nanos = System.nanoTime() - arrivalNanos;
        counts.split(nanos, history.directNanos(digest));
        if (partitions.reused() > 0) {
            history.reused(digest, nanos);
        } else {
            learn(filters, nanos);
            history.readAll(digest, partitions.kept());
        }
        attempts.worked(digest);
        metrics.fannedOut(partitions.count(), degree, snapshot, filters.keys(), nanos);
        transaction.ifPresent(place -> metrics.inTransaction(place.first()));
        observer.fannedOut();
        String how = partitions + ", degree " + degree + ", snapshot " + snapshot
                + (transaction.isPresent() ? ", in transaction" : "")
                + (filters.keys().isEmpty() ? "" : ", filter keys " + filters.keys());
        LOG.info("{} fanned out: {}, {} ms: {}", session, how, nanos / 1_000_000, StatementDigest.shortened(shown));
        slow.ended(session, nanos, () -> "split: " + how + ": " + shown);
        LOG.debug("{}: {}", session, phases);
    }

    /** Counts and ends an answer that has begun and cannot be completed. */
    void failed(StatementEnd end, ClientConnection.Answer answer) {
        if (end instanceof StatementEnd.BrokenOff broken) {
            brokeOff(broken.reason(), broken.detail());
            broken.error().end(answer);
        } else if (end instanceof StatementEnd.Cancelled cancelled) {
            cancelled(cancelled.why());
            // harmless if the client has disconnected
            cancelled.error().end(answer);
        } else if (end instanceof StatementEnd.ClientLeft left) {
            cancelled(left.why());
        }
    }

    /** Counts an answer that the client no longer wants, or that the stopping proxy gives up. */
    void cancelled(String why) {
        LOG.debug("{} cancelled: {}: {}", session, why, StatementDigest.shortened(shown));
        counts.cancelled();
        slow.ended(session, System.nanoTime() - arrivalNanos, () -> "cancelled: " + why + ": " + shown);
        metrics.cancelled();
    }

    /** Counts an answer that ends with an error after its first rows. */
    private void brokeOff(Reason reason, String detail) {
        LOG.warn(
                "{}: an answer broke off: {} ({}): {}",
                session,
                reason.label(),
                detail,
                StatementDigest.shortened(shown));
        counts.cancelled();
        slow.ended(session, System.nanoTime() - arrivalNanos, () -> "broken off: " + reason.label() + ": " + shown);
        metrics.brokeOff(reason);
    }
}

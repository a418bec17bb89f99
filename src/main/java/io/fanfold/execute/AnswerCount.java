package io.fanfold.execute;

import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.metrics.Reason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs how an answer ended, and knows what is told of an end that is none.
 *
 * @param thread the id of the client's backend connection
 * @param digest the statement without its literals
 * @param arrivalNanos when the statement came
 */
record AnswerCount(
        long thread, String digest, long arrivalNanos, Experience experience, FanfoldMetrics metrics, Phases phases) {
    static final int UNKNOWN_ERROR = 1105;

    private static final Logger LOG = LoggerFactory.getLogger(AnswerCount.class);

    /** All rows are written. To be called before the end of the answer is, so that whoever has the answer finds it counted. */
    void fannedOut(int partitions, int degree, String snapshot) {
        long nanos = System.nanoTime() - arrivalNanos;
        experience.split(digest, nanos);
        metrics.fannedOut(partitions, degree, snapshot, nanos);
        LOG.info(
                "session {} fanned out: {} partitions, degree {}, snapshot {}, {} ms",
                thread,
                partitions,
                degree,
                snapshot,
                nanos / 1_000_000);
        LOG.debug("session {}: {}", thread, phases);
    }

    /** Nobody wants the answer, or the proxy stops. */
    void cancelled(String why) {
        LOG.debug("session {} cancelled: {}", thread, why);
        metrics.cancelled();
    }

    /** The answer ends with an error behind its first rows. */
    void brokeOff(Reason reason, String detail) {
        LOG.warn("session {}: an answer broke off: {} ({})", thread, reason.label(), detail);
        metrics.brokeOff(reason);
    }
}

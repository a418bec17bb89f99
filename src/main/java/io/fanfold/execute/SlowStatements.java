package io.fanfold.execute;

import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs statements that took longer than a limit, and what became of them. Thread-safe. */
final class SlowStatements {
    private static final Logger LOG = LoggerFactory.getLogger(SlowStatements.class);

    /** 0 for none. */
    private volatile long limitNanos;

    SlowStatements(Duration limit) {
        limit(limit);
    }

    /** Sets the limit; zero switches the log off. */
    void limit(Duration limit) {
        limitNanos = limit.toNanos();
    }

    boolean on() {
        return limitNanos > 0;
    }

    /**
     * Logs a statement that has ended, if it was slow.
     *
     * @param session its session's name in the log
     * @param nanos its time since it arrived
     * @param became returns what became of it, and its text without literals
     */
    void ended(String session, long nanos, Supplier<String> became) {
        if (on() && nanos > limitNanos) {
            LOG.warn("{} slow: {} ms, {}", session, nanos / 1_000_000, became.get());
        }
    }
}

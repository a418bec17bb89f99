package io.fanfold.discovery;

import java.time.Duration;

/**
 * How often the catalog is read, so that most of the time the server is not busy with readings. {@link #took} is called by
 * one thread at a time; the other methods are safe for all threads.
 */
final class ReadingPace {
    /**
     * The minimum pause, as a multiple of the last reading's time. MariaDB opens every table of the server for a
     * reading, which takes seconds with thousands of tables.
     */
    private static final int PAUSE_FACTOR = 20;

    /** The minimum pause, as a multiple of the last reading's time, if the catalog is known to be stale. */
    private static final int STALE_PAUSE_FACTOR = 3;

    /** The pause between attempts until the server can be asked. */
    private static final Duration RETRY = Duration.ofMillis(500);

    /** The longest pause after readings that failed. */
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);

    private volatile long typicalNanos;
    private volatile Duration retry = RETRY;
    private long lastNanos;

    /** The pause after a reading: the configured one, or longer if readings take long. */
    Duration pause(Duration configured) {
        Duration rest = Duration.ofNanos(typicalNanos).multipliedBy(PAUSE_FACTOR);
        return rest.compareTo(configured) > 0 ? rest : configured;
    }

    /** The pause before a reading if the catalog is known to be stale. */
    Duration pauseIfStale() {
        return Duration.ofNanos(typicalNanos).multipliedBy(STALE_PAUSE_FACTOR);
    }

    /**
     * The pause after an attempt without a reading. It grows with each reading that failed in a row: the server's time limit
     * for a statement may be too short for it, and it would do nothing else.
     */
    Duration pauseToRetry() {
        return retry;
    }

    /** Notes a reading that failed after this time. */
    void failed(long nanos) {
        Duration next = retry.multipliedBy(2);
        Duration least = Duration.ofNanos(nanos).multipliedBy(PAUSE_FACTOR);
        Duration wished = next.compareTo(least) > 0 ? next : least;
        retry = wished.compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : wished;
    }

    /** Notes the time of a reading. The shorter of the last two counts: one may have waited for a table that was being altered. */
    void took(long nanos) {
        retry = RETRY;
        typicalNanos = lastNanos == 0 ? nanos : Math.min(lastNanos, nanos);
        lastNanos = nanos;
    }
}

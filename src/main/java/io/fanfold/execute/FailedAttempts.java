package io.fanfold.execute;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fanfold.config.HeapShares;
import io.fanfold.reason.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Statements whose split was started and then given up, by digest. The cost of such an attempt is added to the
 * statement's own time. So the next attempt waits until that cost is at most a fiftieth of the time since, and twice as
 * long after each further failure. Safe for all threads.
 */
final class FailedAttempts {
    private static final int PAUSE_FACTOR = 50;
    private static final int MOST_DOUBLINGS = 10;
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final long MAX_BYTES = HeapShares.ofThisProcess().cache();

    /**
     * @param failures the number of failures in a row
     * @param untilNanos when the next attempt may start
     */
    private record Backoff(Reason reason, int failures, long untilNanos) {}

    private final LongSupplier nanoTime;
    private final Cache<String, Backoff> pauses = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((String digest, Backoff pause) -> 96 + 2 * digest.length())
            .expireAfterWrite(LONGEST.multipliedBy(2))
            .build();

    /** @param nanoTime the clock, such as {@link System#nanoTime} */
    FailedAttempts(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Records an attempt that was given up.
     *
     * @param costNanos nanoseconds since the statement's arrival
     */
    void failed(String digest, Reason reason, long costNanos) {
        long now = nanoTime.getAsLong();
        pauses.asMap().compute(digest, (key, known) -> {
            int failures = known == null ? 1 : known.failures() + 1;
            long first = Math.min(Math.max(0, costNanos), LONGEST.toNanos() / PAUSE_FACTOR) * PAUSE_FACTOR;
            long pause = Math.min(LONGEST.toNanos(), first << Math.min(failures - 1, MOST_DOUBLINGS));
            return new Backoff(reason, failures, now + pause);
        });
    }

    /** Records a split that was answered: the next failure counts as the first again. */
    void worked(String digest) {
        pauses.invalidate(digest);
    }

    /** The reason of the last failure if the next attempt still has to wait; else empty. */
    Optional<Reason> paused(String digest) {
        Backoff pause = pauses.getIfPresent(digest);
        return pause != null && nanoTime.getAsLong() - pause.untilNanos() < 0
                ? Optional.of(pause.reason())
                : Optional.empty();
    }

    /** Forgets everything: the tables have changed. */
    void clear() {
        pauses.invalidateAll();
    }
}

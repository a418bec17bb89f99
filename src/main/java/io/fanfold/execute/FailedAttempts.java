package io.fanfold.execute;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fanfold.config.HeapShares;
import io.fanfold.metrics.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Statements of which a split was begun and given up, by their text without literals. What the attempt cost came on top of the
 * statement's own time. So the next one waits until it is a fiftieth of the time since at most, and twice as long after each further
 * failure. Safe for all threads.
 */
final class FailedAttempts {
    private static final int PAUSE_FACTOR = 50;
    private static final int MOST_DOUBLINGS = 10;
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final long MAX_BYTES = HeapShares.ofThisProcess().cache();

    /**
     * @param failures how many in a row
     * @param untilNanos when the next attempt may begin
     */
    private record Pause(Reason reason, int failures, long untilNanos) {}

    private final LongSupplier nanoTime;
    private final Cache<String, Pause> pauses = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((String digest, Pause pause) -> 96 + 2 * digest.length())
            .expireAfterWrite(LONGEST.multipliedBy(2))
            .build();

    /** @param nanoTime the clock, as {@link System#nanoTime} */
    FailedAttempts(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * An attempt was given up.
     *
     * @param costNanos nanoseconds from the statement's arrival until then
     */
    void failed(String digest, Reason reason, long costNanos) {
        long now = nanoTime.getAsLong();
        pauses.asMap().compute(digest, (key, known) -> {
            int failures = known == null ? 1 : known.failures() + 1;
            long first = Math.min(Math.max(0, costNanos), LONGEST.toNanos() / PAUSE_FACTOR) * PAUSE_FACTOR;
            long pause = Math.min(LONGEST.toNanos(), first << Math.min(failures - 1, MOST_DOUBLINGS));
            return new Pause(reason, failures, now + pause);
        });
    }

    /** A split was answered: the next failure is a first one again. */
    void worked(String digest) {
        pauses.invalidate(digest);
    }

    /** Why the last attempt was given up, if the next has to wait. */
    Optional<Reason> paused(String digest) {
        Pause pause = pauses.getIfPresent(digest);
        return pause != null && nanoTime.getAsLong() - pause.untilNanos() < 0
                ? Optional.of(pause.reason())
                : Optional.empty();
    }

    /** Forgets everything: the tables have changed. */
    void clear() {
        pauses.invalidateAll();
    }
}

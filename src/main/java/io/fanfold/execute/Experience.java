package io.fanfold.execute;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fanfold.config.HeapShares;
import java.time.Duration;

/**
 * How long statements took when they were split and when they were not, by their text without literals. Estimates ignore
 * most conditions of a statement, so where a split is doubtful both ways are tried once, and the faster one is kept for
 * some minutes. Safe for all threads.
 */
final class Experience {
    private static final long MAX_BYTES = HeapShares.ofThisProcess().cache();
    private static final Duration LIFE = Duration.ofMinutes(5);

    /** A statement this quick gains little by a split whose plan is in doubt. */
    private static final long WORTH_A_TRY_NANOS = Duration.ofMillis(100).toNanos();

    /** A split this quick may be slower than the statement itself. */
    private static final long SHORT_SPLIT_NANOS = Duration.ofMillis(50).toNanos();

    /** @param directNanos without a split, 0 when unknown
     *  @param splitNanos with a split, 0 when unknown */
    private record Times(long directNanos, long splitNanos) {
        static final Times UNKNOWN = new Times(0, 0);
    }

    private final Cache<String, Times> times = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((String digest, Times known) -> 96 + 2 * digest.length())
            .expireAfterWrite(LIFE)
            .build();

    private Times of(String digest) {
        Times known = times.getIfPresent(digest);
        return known == null ? Times.UNKNOWN : known;
    }

    /** The statement was passed through and took so long. */
    void direct(String digest, long nanos) {
        times.asMap().compute(digest, (key, known) -> new Times(nanos, known == null ? 0 : known.splitNanos()));
    }

    /** The statement was split and took so long. */
    void split(String digest, long nanos) {
        Times known = of(digest);
        // a first run warms caches for the second: the better of two times is the fair one
        long fair = known.splitNanos() == 0 ? nanos : Math.min(nanos, known.splitNanos());
        if (fair != known.splitNanos()) {
            times.put(digest, new Times(known.directNanos(), fair));
        }
    }

    /** How long the statement took without a split, in nanoseconds; 0 when that is not known. */
    long directNanos(String digest) {
        return of(digest).directNanos();
    }

    /** Whether both ways are known and the split is not the faster one. */
    boolean prefersDirect(String digest) {
        Times known = of(digest);
        return known.directNanos() > 0 && known.splitNanos() > 0 && known.directNanos() <= known.splitNanos();
    }

    /**
     * Whether the split was so quick that the statement by itself has to be tried.
     *
     * @param leastDirectNanos what the statement takes at least; one that takes longer than its split is not tried
     * @param manyRows whether many rows are answered with or finished, whose way may take longer than their computing: then
     *     it has to be tried however long the split took
     */
    boolean shouldTryDirect(String digest, long leastDirectNanos, boolean manyRows) {
        Times known = of(digest);
        return known.directNanos() == 0
                && known.splitNanos() > Math.max(0, leastDirectNanos)
                && (manyRows || known.splitNanos() < SHORT_SPLIT_NANOS);
    }

    /** Whether a doubtful split has to wait until the statement by itself has been tried. */
    boolean directUnknown(String digest) {
        return of(digest).directNanos() == 0;
    }

    /** Whether the statement by itself takes long enough that even a doubtful split is worth a try. */
    boolean worthATry(String digest) {
        return of(digest).directNanos() >= WORTH_A_TRY_NANOS;
    }
}

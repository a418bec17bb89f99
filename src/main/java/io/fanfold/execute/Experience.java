package io.fanfold.execute;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fanfold.config.HeapShares;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long statements took when they were split and when they were not, by their text without literals, and what a split costs by
 * itself on this server. Estimates ignore most conditions of a statement, so where a split is doubtful both ways are tried, and the
 * faster one is kept for some minutes. Safe for all threads.
 */
final class Experience {
    private static final long MAX_BYTES = HeapShares.ofThisProcess().cache();
    private static final Duration LIFE = Duration.ofMinutes(5);

    /** A statement this quick gains little by a split whose plan is in doubt. */
    private static final long WORTH_A_TRY_NANOS = Duration.ofMillis(100).toNanos();

    /** A split this quick may be slower than the statement itself. */
    private static final long SHORT_SPLIT_NANOS = Duration.ofMillis(250).toNanos();

    /** Two workers halve a statement at best, so one that takes less than two fixed costs gains nothing. */
    private static final int LEAST_FIXED_COSTS = 2;

    /** How often the statement by itself is timed if both ways take about as long: one time may be off by that much. */
    private static final int CLOSE_TRIES = 3;

    /** Two times are close if they differ by less than a quarter of the longer one: a further try costs a slower execution. */
    private static final int CLOSE_GAIN = 4;

    /** A filter that leaves a smaller part of the rows than this is faster than none; else both ways are tried. */
    private static final double FEW_LEFT = 0.1;

    /** The parts of a fixed cost that one split changes it by. */
    private static final int FIXED_COST_INERTIA = 8;

    /**
     * The best times of a statement.
     *
     * @param directNanos without a split, 0 when unknown
     * @param directTries how often that was timed
     * @param splitNanos with a split, 0 when unknown
     * @param filteredNanos with a split and dynamic filters, 0 when unknown
     * @param left the part of the rows that these filters left, by the server's estimate
     * @param unfilteredNanos with a split and without the dynamic filters that it may have, 0 when unknown
     */
    private record Times(
            long directNanos, int directTries, long splitNanos, long filteredNanos, double left, long unfilteredNanos) {
        static final Times UNKNOWN = new Times(0, 0, 0, 0, 0, 0);

        /** The better of two times counts: the first execution warms caches for the second. */
        private static long best(long known, long now) {
            return known == 0 ? now : Math.min(known, now);
        }

        Times direct(long nanos) {
            return new Times(
                    best(directNanos, nanos), directTries + 1, splitNanos, filteredNanos, left, unfilteredNanos);
        }

        Times split(long nanos) {
            return new Times(directNanos, directTries, best(splitNanos, nanos), filteredNanos, left, unfilteredNanos);
        }

        Times filtered(long nanos, double part) {
            return new Times(directNanos, directTries, splitNanos, best(filteredNanos, nanos), part, unfilteredNanos);
        }

        Times unfiltered(long nanos) {
            return new Times(directNanos, directTries, splitNanos, filteredNanos, left, best(unfilteredNanos, nanos));
        }

        /** Whether the split is the faster way by so little that another direct execution may turn out to be faster. */
        boolean close() {
            return directNanos > splitNanos
                    && directNanos - directNanos / CLOSE_GAIN < splitNanos
                    && directTries < CLOSE_TRIES;
        }
    }

    private final Cache<String, Times> times = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((String digest, Times known) -> 96 + 2 * digest.length())
            .expireAfterWrite(LIFE)
            .build();

    /** From a statement's arrival to the first partition query, a moving mean; 0 before the first split. */
    private final AtomicLong fixedNanos = new AtomicLong();

    private Times of(String digest) {
        Times known = times.getIfPresent(digest);
        return known == null ? Times.UNKNOWN : known;
    }

    /** The partition queries of a split began so long after the statement's arrival. */
    void began(long nanos) {
        fixedNanos.accumulateAndGet(
                nanos, (known, now) -> known == 0 ? now : known + (now - known) / FIXED_COST_INERTIA);
    }

    /** The statement was passed through and took so long. */
    void direct(String digest, long nanos) {
        times.asMap().compute(digest, (key, known) -> (known == null ? Times.UNKNOWN : known).direct(nanos));
    }

    /** The statement was split and took so long. */
    void split(String digest, long nanos) {
        Times known = of(digest);
        if (known.splitNanos() == 0 || nanos < known.splitNanos()) {
            times.asMap().compute(digest, (key, now) -> (now == null ? Times.UNKNOWN : now).split(nanos));
        }
    }

    /**
     * The statement was split with dynamic filters and took so long.
     *
     * @param left the part of the rows that these left, by the server's estimate
     */
    void filtered(String digest, long nanos, double left) {
        times.asMap().compute(digest, (key, known) -> (known == null ? Times.UNKNOWN : known).filtered(nanos, left));
    }

    /** The statement was split without the dynamic filters that it may have, and took so long. */
    void unfiltered(String digest, long nanos) {
        times.asMap().compute(digest, (key, known) -> (known == null ? Times.UNKNOWN : known).unfiltered(nanos));
    }

    /** Whether a split is to have dynamic filters: unless it was shorter without, or that has to be tried. */
    boolean prefersFilters(String digest) {
        Times known = of(digest);
        if (known.filteredNanos() == 0) {
            return true;
        }
        return known.unfilteredNanos() == 0
                ? known.left() < FEW_LEFT
                : known.filteredNanos() <= known.unfilteredNanos();
    }

    /** How long the statement took without a split, in nanoseconds; 0 when that is not known. */
    long directNanos(String digest) {
        return of(digest).directNanos();
    }

    /** Whether the statement by itself is known to be no slower: than its split, or than what a split saves at best. */
    boolean prefersDirect(String digest) {
        Times known = of(digest);
        if (known.splitNanos() == 0) {
            return known.directNanos() > 0 && costsMore(known.directNanos());
        }
        return known.directNanos() > 0 && known.directNanos() <= known.splitNanos();
    }

    private boolean costsMore(long directNanos) {
        return directNanos < LEAST_FIXED_COSTS * fixedNanos.get();
    }

    /**
     * Whether the statement is so short that it has to be tried by itself.
     *
     * @param leastDirectNanos what it takes at least; one that takes longer than its split is not tried
     * @param likelyDirectNanos what it takes by estimate; asked before the first split
     * @param manyRows whether many rows are answered with or finished, whose way may take longer than their computing: then
     *     it has to be tried however long the split took
     */
    boolean shouldTryDirect(String digest, long leastDirectNanos, long likelyDirectNanos, boolean manyRows) {
        Times known = of(digest);
        if (known.splitNanos() == 0) {
            return known.directNanos() == 0 && costsMore(likelyDirectNanos);
        }
        if (known.directNanos() > 0) {
            return known.close();
        }
        return known.splitNanos() > Math.max(0, leastDirectNanos)
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

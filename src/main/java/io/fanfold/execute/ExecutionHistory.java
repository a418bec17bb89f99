package io.fanfold.execute;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fanfold.config.HeapShares;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The times of recent statements with and without a split, by digest, and the fixed cost of a split on this server.
 * Estimates ignore most conditions of a statement. So if a split is doubtful, both ways are tried, and the faster one
 * is kept for some minutes. Safe for all threads.
 */
final class ExecutionHistory {
    private static final long MAX_BYTES = HeapShares.ofThisProcess().cache();
    private static final Duration LIFE = Duration.ofMinutes(5);

    /** A split faster than this may be slower than the unsplit statement. */
    private static final long SHORT_NANOS = Duration.ofMillis(250).toNanos();

    /**
     * Two workers halve a statement's time at best, so a statement that takes less than two fixed costs gains nothing.
     */
    private static final int LEAST_FIXED_COSTS = 2;

    /**
     * A filter that leaves a smaller fraction of the rows than this is assumed to be faster than none; otherwise both
     * ways are tried.
     */
    private static final double FEW_LEFT = 0.1;

    /** Stands for the time of an unsplit statement that is being timed. */
    private static final long BEING_TIMED = Long.MAX_VALUE;

    /** A fixed cost above the mean moves it by the difference divided by this; one below, by half. */
    private static final int FIXED_COST_INERTIA = 8;

    /**
     * How long the mean of fixed costs holds without a new split. While it is high, few statements are split, so only
     * time can show that it has become less: the first splits after a start are slow.
     */
    private static final Duration FIXED_COST_LIFE = Duration.ofMinutes(1);

    private final Cache<String, StatementTimes> times = cache();

    private final Cache<String, PartitionQueryTimes> partitionQueryTimes = cache();

    /** The time of unsplit statements on a core that does nothing else, or {@link #BEING_TIMED}. */
    private final Cache<String, Long> unsplitWork = cache();

    private volatile FixedCost fixedCost = new FixedCost(0, 0);
    private final LongSupplier clock;

    /**
     * The time from a statement's arrival to its first partition query.
     *
     * @param nanos a moving mean; 0 before the first split
     * @param at when it was measured last, by the clock
     */
    private record FixedCost(long nanos, long at) {
        FixedCost with(long more, long now) {
            if (nanos == 0 || now - at > FIXED_COST_LIFE.toNanos()) {
                return new FixedCost(more, now);
            }
            return new FixedCost(nanos + (more - nanos) / (more < nanos ? 2 : FIXED_COST_INERTIA), now);
        }

        long known(long now) {
            return now - at > FIXED_COST_LIFE.toNanos() ? 0 : nanos;
        }
    }

    ExecutionHistory() {
        this(System::nanoTime);
    }

    /** @param clock nanoseconds, as {@link System#nanoTime} */
    ExecutionHistory(LongSupplier clock) {
        this.clock = clock;
    }

    private static <V> Cache<String, V> cache() {
        return Caffeine.newBuilder()
                .maximumWeight(MAX_BYTES)
                .weigher((String digest, V known) -> 96 + 2 * digest.length())
                .expireAfterWrite(LIFE)
                .build();
    }

    /**
     * Forgets which way was faster, because the settings have changed. What the server needs for a row and for a split
     * stays known.
     */
    void clearTimes() {
        times.invalidateAll();
    }

    /**
     * Records the time of all partition queries of a statement together. A longer time counts at once, a shorter one
     * by half: with other literals the same statement may have more work, and too few workers cost more than too many.
     *
     * @param rows the server's estimate for this execution
     * @param coreNanos that time on a core that does nothing else
     * @param received the rows that they returned
     */
    void scanned(String digest, long rows, long nanos, long coreNanos, long received) {
        partitionQueryTimes
                .asMap()
                .merge(digest, PartitionQueryTimes.of(rows, nanos, coreNanos, received), PartitionQueryTimes::then);
    }

    /**
     * Records the groups of a split that has been {@link #scanned}.
     *
     * @param most the most rows that one partition query has returned
     * @param merged the number of groups
     */
    void grouped(String digest, long most, long merged) {
        partitionQueryTimes.asMap().computeIfPresent(digest, (key, known) -> known.grouped(most, merged));
    }

    /** See {@link PartitionQueryTimes#mostGroups}; 0 when unknown. */
    long mostGroups(String digest) {
        PartitionQueryTimes known = partitionQueryTimes.getIfPresent(digest);
        return known == null ? 0 : known.mostGroups();
    }

    /** How long one worker would take for all partition queries; empty when unknown. */
    OptionalLong scanNanos(String digest, long rows) {
        PartitionQueryTimes known = partitionQueryTimes.getIfPresent(digest);
        return known == null ? OptionalLong.empty() : OptionalLong.of(known.nanosOf(rows));
    }

    private StatementTimes of(String digest) {
        return orUnknown(times.getIfPresent(digest));
    }

    private static StatementTimes orUnknown(@Nullable StatementTimes known) {
        return known == null ? StatementTimes.UNKNOWN : known;
    }

    /** Records the time from the statement's arrival to its first partition query. */
    synchronized void began(long nanos) {
        fixedCost = fixedCost.with(nanos, clock.getAsLong());
    }

    /**
     * How long a statement would take with a split: its work divided among the workers, and the fixed cost. A model: it
     * knows nothing of the server's cores, and of the time for merging.
     *
     * @param directNanos its time without a split
     * @param workers 1 or more
     */
    long expectedNanos(long directNanos, int workers) {
        long fixed = fixedNanos();
        return directNanos / workers + (fixed == 0 ? SplitCost.fixedNanos(workers) : fixed);
    }

    /** Records the time of a statement that was passed through. */
    void direct(String digest, long nanos) {
        partitionQueryTimes.asMap().computeIfPresent(digest, (key, known) -> known.withSpentNanos(0));
        times.asMap().compute(digest, (key, known) -> orUnknown(known).direct(nanos));
    }

    /**
     * Records how much of the server's cores the unsplit statement needs.
     *
     * @param coreNanos its time on a core that does nothing else
     */
    void unsplit(String digest, long coreNanos) {
        // not renewed by each execution: the first may have been an exception
        unsplitWork.asMap().merge(digest, coreNanos, (known, now) -> known == BEING_TIMED ? now : known);
    }

    /**
     * Records that the workers of a split begin. So the second split after a slower one is begun once, also if it does not
     * end by itself.
     */
    void splitBegins(String digest) {
        if (of(digest).splitsOnceMore()) {
            times.asMap().computeIfPresent(digest, (key, known) -> known.withSplitAgain(true));
        }
    }

    /**
     * Whether the unsplit statement is known to be faster than its split, or may be, so that a split may not take much
     * longer.
     */
    boolean limitsSplit(String digest) {
        StatementTimes known = of(digest);
        boolean slower = !known.expectsReuse() && known.directNanos() <= known.splitNanos();
        return known.directNanos() > 0 && (known.splitNanos() == 0 || slower);
    }

    /** Records the time of a split statement. */
    void split(String digest, long nanos) {
        partitionQueryTimes
                .asMap()
                .computeIfPresent(digest, (key, known) -> known.withSpentNanos(known.spentNanos() + nanos));
        if (of(digest).learnsFrom(nanos)) {
            times.asMap().compute(digest, (key, now) -> orUnknown(now).split(nanos));
        }
    }

    /**
     * Records the time of a statement that was split with dynamic filters.
     *
     * @param left the fraction of the rows that these left, by the server's estimate
     */
    void filtered(String digest, long nanos, double left) {
        times.asMap().compute(digest, (key, known) -> orUnknown(known).filtered(nanos, left));
    }

    /** Records the time of a statement that was split without its available dynamic filters. */
    void unfiltered(String digest, long nanos) {
        times.asMap().compute(digest, (key, known) -> orUnknown(known).unfiltered(nanos));
    }

    /** Records the time of a statement that was split and had known rows. */
    void reused(String digest, long nanos) {
        times.asMap().compute(digest, (key, known) -> orUnknown(known).reused(Math.max(1, nanos), 0));
    }

    /**
     * Records that a split had no known rows.
     *
     * @param kept whether it kept rows for the next one
     */
    void readAll(String digest, boolean kept) {
        StatementTimes known = of(digest);
        if (kept || known.expectsReuse()) {
            times.asMap().compute(digest, (key, now) -> orUnknown(now).reused(0, kept ? known.keptInVain() + 1 : 0));
        }
    }

    /** Whether a split should use dynamic filters: yes, unless it was faster without, or that still has to be tried. */
    boolean prefersFilters(String digest) {
        StatementTimes known = of(digest);
        if (known.filteredNanos() == 0) {
            return true;
        }
        return known.unfilteredNanos() == 0
                ? known.left() < FEW_LEFT
                : known.filteredNanos() <= known.unfilteredNanos();
    }

    /** The statement's time without a split, in nanoseconds; 0 when unknown. */
    long directNanos(String digest) {
        return of(digest).directNanos();
    }

    /** Whether the statement is known to take little time without a split. */
    boolean isShort(String digest) {
        long direct = directNanos(digest);
        return direct > 0 && direct < SHORT_NANOS;
    }

    /** The statement's time with a split, in nanoseconds; 0 when unknown. */
    long splitNanos(String digest) {
        return of(digest).splitNanos();
    }

    /**
     * Whether the unsplit statement is known to be at least as fast as its split, with known rows if the next split
     * probably has some. Before the first split: whether it is so short that a split cannot gain. After a first split that
     * was not much slower: no, it is split once more.
     */
    boolean prefersDirect(String digest) {
        StatementTimes known = of(digest);
        if (known.expectsReuse()) {
            return known.directNanos() > 0 && known.directNanos() <= known.reusedNanos();
        }
        if (known.splitNanos() == 0) {
            return known.directNanos() > 0 && costsMore(known.directNanos());
        }
        return known.directNanos() > 0 && known.directNanos() <= known.splitNanos() && !known.splitsOnceMore();
    }

    /**
     * Whether a split may need less of the server's cores than the unsplit statement: it does, or probably has known rows,
     * or the statement was not split yet. If the unsplit statement was not timed in the last minutes, one caller gets false.
     * It times that statement. Until then, others get true.
     */
    boolean maySaveWork(String digest) {
        PartitionQueryTimes work = partitionQueryTimes.getIfPresent(digest);
        if (work == null || of(digest).expectsReuse()) {
            return true;
        }
        Long unsplit = unsplitWork.asMap().putIfAbsent(digest, BEING_TIMED);
        return unsplit != null && work.savesWork(unsplit);
    }

    private boolean costsMore(long directNanos) {
        return directNanos < LEAST_FIXED_COSTS * fixedNanos();
    }

    private long fixedNanos() {
        return fixedCost.known(clock.getAsLong());
    }

    /**
     * Whether the statement has to be tried without a split: because it is short, because its partition queries return
     * many rows, or because it was split often.
     *
     * @param leastDirectNanos a lower bound of its time; if that exceeds the split's time, it is not tried
     * @param likelyDirectNanos its estimated time; used before the first split
     * @param manyRows whether it returns many rows, or merges many in a final query. Transferring these may take longer
     *     than computing them, so it is tried however long the split took
     */
    boolean shouldTryDirect(String digest, long leastDirectNanos, long likelyDirectNanos, boolean manyRows) {
        StatementTimes known = of(digest);
        if (known.expectsReuse()) {
            return known.directNanos() == 0 && known.reusedNanos() > Math.max(0, leastDirectNanos);
        }
        if (known.splitNanos() == 0) {
            return known.directNanos() == 0 && costsMore(likelyDirectNanos);
        }
        if (known.directNanos() > 0) {
            return known.triesDirectAgain();
        }
        return known.splitNanos() > Math.max(0, leastDirectNanos)
                && (manyRows || known.splitNanos() < SHORT_NANOS || mayBeSlower(digest, known.splitNanos()));
    }

    private boolean mayBeSlower(String digest, long splitNanos) {
        PartitionQueryTimes work = partitionQueryTimes.getIfPresent(digest);
        return work != null && work.mayExceedUnsplit(splitNanos);
    }

    /** Whether a doubtful split has to wait until the unsplit statement has been timed. */
    boolean directUnknown(String digest) {
        return of(digest).directNanos() == 0;
    }

    /**
     * Whether the unsplit statement takes long enough that even a doubtful split is worth a try.
     *
     * @param likelyNanos how long the split is likely to take
     */
    boolean worthATry(String digest, long likelyNanos) {
        return of(digest).directNanos() >= Math.max(SplitCost.WORTH_A_TRY_NANOS, likelyNanos);
    }
}

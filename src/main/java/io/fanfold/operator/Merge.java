package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Merges the partial rows of one query. Each thread that runs partition queries feeds its own partial merge. When all
 * are done, one thread combines them:
 *
 * <pre>
 *   try (Fold merge = Fold.of(node, budget)) {
 *       PartialMerge partial = merge.newPartial();           // in each thread
 *       partial.partitionStarts(3);
 *       partial.add(row);
 *       ...
 *       MergedRows rows = merge.combine(partials);          // in one thread
 *       for (Row row = rows.next(); row != null; row = rows.next()) ...
 *   }
 * </pre>
 *
 * <p>The same rows give the same result in the same order, however partitions are distributed to threads. Groups are in
 * the order of their first rows, partition after partition.
 *
 * <p>{@link #newPartial} and {@link #close} may be called from any thread, at any time.
 */
public final class Merge implements AutoCloseable {
    /**
     * The maximum bytes of groups in a partial merge; above this it merges them into the shared groups. If the same
     * groups are in many partitions, each thread would otherwise hold all of them.
     */
    private static final long HANDED_OVER_BYTES = 2L << 20;

    /** A thread that has finished merges its own groups if they take at least the above limit divided by this. */
    private static final long JOINED_PART = 16;

    private final MergeNode node;
    private final MemoryBudget budget;
    private final long mostRows;
    private final long sharedBytes;
    private final long seed = new SplittableRandom().nextLong();
    private final AtomicBoolean combined = new AtomicBoolean();
    private final ReentrantLock commonLock = new ReentrantLock();

    /** The groups that threads have merged before the merge is combined; guarded by the lock while threads run. */
    private @Nullable AggregatePartial common;

    /** The error of a failed merge into the shared groups; guarded by the lock while threads run. */
    private @Nullable Exception failure;

    private Merge(MergeNode node, MemoryBudget budget, long mostRows, long sharedBytes) {
        this.node = node;
        this.budget = budget;
        this.mostRows = mostRows;
        this.sharedBytes = sharedBytes;
    }

    /**
     * Creates an empty merge.
     *
     * @param node how partial rows are merged
     * @param budget the query's budget, not closed by the merge; counts the merge's memory until the merge is closed
     * @throws IllegalArgumentException if a key or accumulator of the node is contradictory
     */
    public static Merge of(MergeNode node, MemoryBudget budget) {
        return of(node, budget, Long.MAX_VALUE);
    }

    /**
     * Creates an empty merge with a limit on merged rows. With more groups or materialized rows, adding to a partial
     * merge fails as soon as that is known. The rows of several partial accumulators are not added up.
     */
    public static Merge of(MergeNode node, MemoryBudget budget, long mostRows) {
        return of(node, budget, mostRows, HANDED_OVER_BYTES);
    }

    static Merge of(MergeNode node, MemoryBudget budget, long mostRows, long sharedBytes) {
        Merge merge = new Merge(node, budget.child("fold", budget.limitBytes()), mostRows, sharedBytes);
        merge.newPartial();
        return merge;
    }

    private static void requireSortable(MergeNode.Aggregate aggregate) {
        int keys = aggregate.keys().size();
        for (MergeNode.SortColumn sorted : aggregate.order().by()) {
            int accumulator = sorted.column() - keys;
            if (sorted.column() >= aggregate.columns()
                    || accumulator >= 0
                            && accumulator < aggregate.accumulators().size()
                            && !AccumulatorLayout.compares(
                                    aggregate.accumulators().get(accumulator))) {
                throw new IllegalArgumentException("column " + sorted.column() + " is not sorted by");
            }
        }
    }

    /** Creates a partial merge for one thread. */
    public PartialMerge newPartial() {
        if (node instanceof MergeNode.Aggregate aggregate) {
            requireSortable(aggregate);
            return newAggregate(aggregate);
        }
        if (node instanceof MergeNode.TopRows top) {
            return new TopRowsPartial(this, budget, top);
        }
        if (node instanceof MergeNode.Concatenate concatenated) {
            return new TopRowsPartial(this, budget, allRows(concatenated));
        }
        throw new IllegalArgumentException("streamed rows are not merged, see Exchange");
    }

    private AggregatePartial newAggregate(MergeNode.Aggregate aggregate) {
        return new AggregatePartial(this, budget, aggregate, new AccumulatorLayout(aggregate.accumulators()), seed);
    }

    /**
     * Combines the partial accumulators. Called only once; the partial accumulators must not be used after it.
     *
     * @param partials all partial accumulators that received rows, in any order; may be empty
     * @return the merged rows; closing them closes this merge
     * @throws MergeException if the result cannot be exact
     * @throws BudgetExceededException if combining needs more memory than available
     * @throws IllegalStateException if it was called before, or two partial accumulators have the same partition
     */
    public MergedRows combine(List<? extends PartialMerge> partials) throws MergeException, BudgetExceededException {
        List<RankedPartial> ranked = partials.stream().map(this::own).toList();
        if (!combined.compareAndSet(false, true)) {
            throw new IllegalStateException("a fold is combined once");
        }
        checkTogether(ranked);
        if (node instanceof MergeNode.Aggregate aggregate) {
            return combine(aggregate, only(ranked, AggregatePartial.class));
        }
        MergeNode.TopRows top =
                node instanceof MergeNode.Concatenate concatenated ? allRows(concatenated) : (MergeNode.TopRows) node;
        return new TopRowsMerge(this, top, only(ranked, TopRowsPartial.class));
    }

    /** Without sort keys, rows are in partition order. */
    private static MergeNode.TopRows allRows(MergeNode.Concatenate concatenated) {
        return new MergeNode.TopRows(List.of(), 0, Long.MAX_VALUE, concatenated.columns());
    }

    private MergedRows combine(MergeNode.Aggregate aggregate, List<AggregatePartial> partials)
            throws MergeException, BudgetExceededException {
        if (failure instanceof MergeException e) {
            throw e;
        }
        if (failure instanceof BudgetExceededException e) {
            throw e;
        }
        AggregatePartial shared = common;
        AggregatePartial all = shared != null
                ? shared
                : partials.stream()
                        .max(Comparator.comparingInt(AggregatePartial::groupCount))
                        .orElseGet(() -> newAggregate(aggregate));
        for (AggregatePartial partial : partials) {
            if (partial != all) {
                all.merge(partial, false);
            }
        }
        return all.rows();
    }

    private RankedPartial own(PartialMerge partial) {
        RankedPartial ranked = (RankedPartial) partial;
        if (ranked.owner != this) {
            throw new IllegalArgumentException("a partial fold belongs to another fold");
        }
        return ranked;
    }

    private static <T> List<T> only(List<RankedPartial> partials, Class<T> type) {
        return partials.stream().map(type::cast).toList();
    }

    private static void checkTogether(List<RankedPartial> partials) throws MergeException {
        BitSet seen = new BitSet();
        int columns = -1;
        for (RankedPartial partial : partials) {
            if (seen.intersects(partial.partitions())) {
                throw new IllegalStateException("a partition is merged twice: " + partial.partitions());
            }
            seen.or(partial.partitions());
            if (partial.columns() >= 0) {
                if (columns >= 0 && columns != partial.columns()) {
                    throw new MergeException(
                            MergeException.MergeFailure.ROW_SHAPE,
                            "rows have " + columns + " and " + partial.columns() + " columns");
                }
                columns = partial.columns();
            }
        }
    }

    long sharedBytes() {
        return sharedBytes;
    }

    /** Merges the groups of a partial merge into the shared ones. Called by its thread. */
    void mergeShared(AggregatePartial partial) throws MergeException, BudgetExceededException {
        commonLock.lock();
        try {
            AggregatePartial all = common;
            if (all == null) {
                all = newAggregate((MergeNode.Aggregate) node);
                common = all;
            }
            all.merge(partial, true);
        } finally {
            commonLock.unlock();
        }
    }

    long joinedBytes() {
        return sharedBytes / JOINED_PART;
    }

    /** Merges the groups of a partial merge that takes no more rows into the shared ones. Called by its thread. */
    void join(AggregatePartial partial) {
        commonLock.lock();
        try {
            if (common == null) {
                common = partial;
            } else if (failure == null) {
                common.merge(partial, false);
            }
        } catch (MergeException | BudgetExceededException e) {
            failure = e;
        } finally {
            commonLock.unlock();
        }
    }

    /** Fails if one partial merge has more groups or rows than the merge may have. */
    void requireWanted(long rows) throws MergeException {
        if (rows > mostRows) {
            throw new MergeException(MergeException.MergeFailure.TOO_MANY_ROWS, "more than " + mostRows + " rows");
        }
    }

    /** The bytes that the merge has reserved now; 0 when closed. */
    public long heldBytes() {
        return budget.heldBytes();
    }

    /**
     * Releases all bytes to the budget, in any state of the merge. Threads that still add rows fail soon after with a
     * {@link java.util.concurrent.CancellationException}. Closing again does nothing.
     */
    @Override
    public void close() {
        budget.close();
    }
}

package io.fanfold.merge;

import io.fanfold.plan.MergeNode;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Merges the partial rows of one query. Each thread that runs partition queries feeds its own partial fold. When all
 * are done, one thread combines them:
 *
 * <pre>
 *   try (Fold fold = Fold.of(node, budget)) {
 *       PartialFold partial = fold.newPartial();           // in each thread
 *       partial.partitionStarts(3);
 *       partial.add(row);
 *       ...
 *       FoldedRows rows = fold.combine(partials);          // in one thread
 *       for (Row row = rows.next(); row != null; row = rows.next()) ...
 *   }
 * </pre>
 *
 * <p>The same rows give the same result in the same order, however partitions are distributed to threads. Groups are in
 * the order of their first rows, partition after partition.
 *
 * <p>{@link #newPartial} and {@link #close} may be called from any thread, at any time.
 */
public final class Fold implements AutoCloseable {
    /**
     * The maximum bytes of groups in a partial fold; above this it merges them into the shared groups. If the same
     * groups are in many partitions, each thread would otherwise hold all of them.
     */
    private static final long HANDED_OVER_BYTES = 2L << 20;

    /** A thread that has finished merges its own groups if they take at least the above limit divided by this. */
    private static final long JOINED_PART = 16;

    private final MergeNode node;
    private final MemoryBudget budget;
    private final long mostRows;
    private final long handedOverBytes;
    private final long seed = new SplittableRandom().nextLong();
    private final AtomicBoolean combined = new AtomicBoolean();
    private final ReentrantLock commonLock = new ReentrantLock();

    /** The groups that threads have merged before the fold is combined; guarded by the lock while threads run. */
    private @Nullable AggregatePartial common;

    /** The error of a failed merge into the shared groups; guarded by the lock while threads run. */
    private @Nullable Exception failure;

    private Fold(MergeNode node, MemoryBudget budget, long mostRows, long handedOverBytes) {
        this.node = node;
        this.budget = budget;
        this.mostRows = mostRows;
        this.handedOverBytes = handedOverBytes;
    }

    /**
     * Creates an empty fold.
     *
     * @param node how partial rows are merged
     * @param budget the query's budget, not closed by the fold; counts the fold's memory until the fold is closed
     * @throws IllegalArgumentException if a key or accumulator of the node is contradictory
     */
    public static Fold of(MergeNode node, MemoryBudget budget) {
        return of(node, budget, Long.MAX_VALUE);
    }

    /**
     * Creates an empty fold with a limit on merged rows. With more groups or materialized rows, adding to a partial
     * fold fails as soon as that is known. The rows of several partial folds are not added up.
     */
    public static Fold of(MergeNode node, MemoryBudget budget, long mostRows) {
        return of(node, budget, mostRows, HANDED_OVER_BYTES);
    }

    static Fold of(MergeNode node, MemoryBudget budget, long mostRows, long handedOverBytes) {
        Fold fold = new Fold(node, budget.child("fold", budget.limitBytes()), mostRows, handedOverBytes);
        fold.newPartial();
        return fold;
    }

    private static void requireSortable(MergeNode.Aggregate aggregate) {
        int keys = aggregate.keys().size();
        for (MergeNode.SortColumn sorted : aggregate.order().by()) {
            int slot = sorted.column() - keys;
            if (sorted.column() >= aggregate.columns()
                    || slot >= 0
                            && slot < aggregate.slots().size()
                            && !SlotLayout.compares(aggregate.slots().get(slot))) {
                throw new IllegalArgumentException("column " + sorted.column() + " is not sorted by");
            }
        }
    }

    /** Creates a partial fold for one thread. */
    public PartialFold newPartial() {
        if (node instanceof MergeNode.Aggregate aggregate) {
            requireSortable(aggregate);
            return newAggregate(aggregate);
        }
        if (node instanceof MergeNode.TopRows top) {
            return new TopRowsPartial(this, budget, top);
        }
        if (node instanceof MergeNode.Gathered gathered) {
            return new TopRowsPartial(this, budget, allRows(gathered));
        }
        throw new IllegalArgumentException("rows that flow are not folded, see RowFlow");
    }

    private AggregatePartial newAggregate(MergeNode.Aggregate aggregate) {
        return new AggregatePartial(this, budget, aggregate, new SlotLayout(aggregate.slots()), seed);
    }

    /**
     * Combines the partial folds. Called only once; the partial folds must not be used after it.
     *
     * @param partials all partial folds that received rows, in any order; may be empty
     * @return the merged rows; closing them closes this fold
     * @throws FoldException if the result cannot be exact
     * @throws BudgetExceededException if combining needs more memory than available
     * @throws IllegalStateException if it was called before, or two partial folds have the same partition
     */
    public FoldedRows combine(List<? extends PartialFold> partials) throws FoldException, BudgetExceededException {
        List<RankedPartial> ranked = partials.stream().map(this::own).toList();
        if (!combined.compareAndSet(false, true)) {
            throw new IllegalStateException("a fold is combined once");
        }
        checkTogether(ranked);
        if (node instanceof MergeNode.Aggregate aggregate) {
            return combine(aggregate, only(ranked, AggregatePartial.class));
        }
        MergeNode.TopRows top =
                node instanceof MergeNode.Gathered gathered ? allRows(gathered) : (MergeNode.TopRows) node;
        return new TopRowsMerge(this, top, only(ranked, TopRowsPartial.class));
    }

    /** Without sort keys, rows are in partition order. */
    private static MergeNode.TopRows allRows(MergeNode.Gathered gathered) {
        return new MergeNode.TopRows(List.of(), 0, Long.MAX_VALUE, gathered.columns());
    }

    private FoldedRows combine(MergeNode.Aggregate aggregate, List<AggregatePartial> partials)
            throws FoldException, BudgetExceededException {
        if (failure instanceof FoldException e) {
            throw e;
        }
        if (failure instanceof BudgetExceededException e) {
            throw e;
        }
        AggregatePartial handedOver = common;
        AggregatePartial all = handedOver != null
                ? handedOver
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

    private RankedPartial own(PartialFold partial) {
        RankedPartial ranked = (RankedPartial) partial;
        if (ranked.owner != this) {
            throw new IllegalArgumentException("a partial fold belongs to another fold");
        }
        return ranked;
    }

    private static <T> List<T> only(List<RankedPartial> partials, Class<T> type) {
        return partials.stream().map(type::cast).toList();
    }

    private static void checkTogether(List<RankedPartial> partials) throws FoldException {
        BitSet seen = new BitSet();
        int columns = -1;
        for (RankedPartial partial : partials) {
            if (seen.intersects(partial.partitions())) {
                throw new IllegalStateException("a partition is folded twice: " + partial.partitions());
            }
            seen.or(partial.partitions());
            if (partial.columns() >= 0) {
                if (columns >= 0 && columns != partial.columns()) {
                    throw new FoldException(
                            FoldException.Kind.ROW_SHAPE,
                            "rows have " + columns + " and " + partial.columns() + " columns");
                }
                columns = partial.columns();
            }
        }
    }

    long handedOverBytes() {
        return handedOverBytes;
    }

    /** Merges the groups of a partial fold into the shared ones. Called by its thread. */
    void takeOver(AggregatePartial partial) throws FoldException, BudgetExceededException {
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
        return handedOverBytes / JOINED_PART;
    }

    /** Merges the groups of a partial fold that takes no more rows into the shared ones. Called by its thread. */
    void join(AggregatePartial partial) {
        commonLock.lock();
        try {
            if (common == null) {
                common = partial;
            } else if (failure == null) {
                common.merge(partial, false);
            }
        } catch (FoldException | BudgetExceededException e) {
            failure = e;
        } finally {
            commonLock.unlock();
        }
    }

    /** Fails if one partial fold has more groups or rows than the fold may have. */
    void requireWanted(long rows) throws FoldException {
        if (rows > mostRows) {
            throw new FoldException(FoldException.Kind.TOO_MANY_ROWS, "more than " + mostRows + " rows");
        }
    }

    /** The bytes that the fold has reserved now; 0 when closed. */
    public long heldBytes() {
        return budget.heldBytes();
    }

    /**
     * Releases all bytes to the budget, in any state of the fold. Threads that still add rows fail soon after with a
     * {@link java.util.concurrent.CancellationException}. Closing again does nothing.
     */
    @Override
    public void close() {
        budget.close();
    }
}

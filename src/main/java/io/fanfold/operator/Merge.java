package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Merges the partial rows of one query. Each thread that runs partition queries feeds its own partial merge. When all
 * are done, one thread combines them:
 *
 * <pre>
 *   try (Merge merge = Merge.of(node, budget)) {
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

    private final MergeNode node;
    private final MemoryBudget budget;
    private final long mostRows;
    private final AtomicBoolean combined = new AtomicBoolean();

    /** Null unless the node aggregates. */
    private final @Nullable SharedGroups groups;

    private Merge(MergeNode node, MemoryBudget budget, long mostRows, long sharedBytes) {
        this.node = node;
        this.budget = budget;
        this.mostRows = mostRows;
        this.groups = node instanceof MergeNode.Aggregate aggregate
                ? new SharedGroups(aggregate, budget, mostRows, sharedBytes)
                : null;
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
     * merge fails as soon as that is known. The rows of several partial merges are not added up.
     */
    public static Merge of(MergeNode node, MemoryBudget budget, long mostRows) {
        return of(node, budget, mostRows, HANDED_OVER_BYTES);
    }

    static Merge of(MergeNode node, MemoryBudget budget, long mostRows, long sharedBytes) {
        Merge merge = new Merge(node, budget.child("merge", budget.limitBytes()), mostRows, sharedBytes);
        // throws now, not in a thread, if the node is contradictory
        merge.newPartial();
        return merge;
    }

    /** Creates a partial merge for one thread. */
    public PartialMerge newPartial() {
        return groups == null ? new TopRowsPartial(budget, mostRows, topRows()) : groups.newPartial();
    }

    private MergeNode.TopRows topRows() {
        if (node instanceof MergeNode.TopRows top) {
            return top;
        }
        if (node instanceof MergeNode.Concatenate concatenated) {
            // without sort keys, rows are in partition order
            return new MergeNode.TopRows(List.of(), 0, Long.MAX_VALUE, concatenated.columns());
        }
        throw new IllegalArgumentException("streamed rows are not merged, see Exchange");
    }

    /**
     * Combines the partial merges. Called only once; the partial merges must not be used after it.
     *
     * @param partials all partial merges that received rows, in any order; may be empty
     * @return the merged rows; closing them closes this merge
     * @throws MergeException if the result cannot be exact
     * @throws BudgetExceededException if combining needs more memory than available
     * @throws IllegalStateException if it was called before, or two partial merges have the same partition
     */
    public MergedRows combine(List<? extends PartialMerge> partials) throws MergeException, BudgetExceededException {
        List<RankedPartial> ranked = partials.stream().map(this::own).toList();
        if (!combined.compareAndSet(false, true)) {
            throw new IllegalStateException("a merge is combined once");
        }
        checkTogether(ranked);
        return groups == null
                ? new TopRowsMerge(budget, topRows(), only(ranked, TopRowsPartial.class))
                : groups.combine(only(ranked, AggregatePartial.class));
    }

    /** The number of groups that {@link #combine} has merged; 0 before, and if the node does not aggregate. For its thread. */
    public long mergedGroups() {
        return groups == null ? 0 : groups.merged();
    }

    private RankedPartial own(PartialMerge partial) {
        RankedPartial ranked = (RankedPartial) partial;
        if (ranked.budget != budget) {
            throw new IllegalArgumentException("a partial merge belongs to another merge");
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

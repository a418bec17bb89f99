package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The groups that the threads of one merge have merged before it is combined. They belong to one of the partial merges
 * that are created here. Safe for use by multiple threads, except {@link #combine}.
 */
final class SharedGroups {
    /** A thread that has finished merges its own groups if they take at least the limit divided by this. */
    private static final long JOINED_PART = 16;

    private final MergeNode.Aggregate node;
    private final MemoryBudget budget;
    private final long mostRows;
    private final long sharedBytes;
    private final long seed = new SplittableRandom().nextLong();
    private final ReentrantLock lock = new ReentrantLock();

    /** Null until a thread merges; guarded by the lock while threads run. */
    private @Nullable AggregatePartial common;

    /**
     * The error of a failed merge, after which {@link #common} must not be used any more; guarded by the lock while
     * threads run.
     */
    private @Nullable Exception failure;

    private int merged;

    /**
     * @param mostRows the maximum number of groups
     * @param sharedBytes see {@link #sharedBytes()}
     */
    SharedGroups(MergeNode.Aggregate node, MemoryBudget budget, long mostRows, long sharedBytes) {
        this.node = node;
        this.budget = budget;
        this.mostRows = mostRows;
        this.sharedBytes = sharedBytes;
    }

    /**
     * Creates a partial merge for one thread.
     *
     * @throws IllegalArgumentException if a key, an accumulator or the order of the node is contradictory
     */
    AggregatePartial newPartial() {
        requireSortable();
        return new AggregatePartial(this, budget, mostRows, node, new AccumulatorLayout(node.functions()), seed);
    }

    private void requireSortable() {
        int keys = node.keys().size();
        for (MergeNode.SortColumn sorted : node.order().by()) {
            int accumulator = sorted.column() - keys;
            if (sorted.column() >= node.columns()
                    || accumulator >= 0
                            && accumulator < node.functions().size()
                            && !AccumulatorLayout.compares(node.functions().get(accumulator))) {
                throw new IllegalArgumentException("column " + sorted.column() + " is not sorted by");
            }
        }
    }

    /** The maximum bytes of groups in a partial merge; above this it calls {@link #merge}. */
    long sharedBytes() {
        return sharedBytes;
    }

    /**
     * Merges the groups of a partial merge, which may then take more rows. Called by its thread. Fails also if the merge
     * of another thread has failed.
     */
    void merge(AggregatePartial partial) throws MergeException, BudgetExceededException {
        lock.lock();
        try {
            requireSound();
            AggregatePartial all = common;
            if (all == null) {
                all = newPartial();
                common = all;
            }
            all.merge(partial, true);
        } catch (MergeException | BudgetExceededException e) {
            failure = e;
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** The minimum bytes of groups with which a partial merge that has ended calls {@link #join}. */
    long joinedBytes() {
        return sharedBytes / JOINED_PART;
    }

    /** Merges the groups of a partial merge that takes no more rows. Called by its thread. */
    void join(AggregatePartial partial) {
        lock.lock();
        try {
            if (common == null) {
                common = partial;
            } else if (failure == null) {
                common.merge(partial, false);
            }
        } catch (MergeException | BudgetExceededException e) {
            failure = e;
        } finally {
            lock.unlock();
        }
    }

    /** Merges the groups of all partial merges. Called once, by one thread, after the others have ended. */
    MergedRows combine(List<AggregatePartial> partials) throws MergeException, BudgetExceededException {
        requireSound();
        AggregatePartial shared = common;
        AggregatePartial all = shared != null
                ? shared
                : partials.stream()
                        .max(Comparator.comparingInt(AggregatePartial::groupCount))
                        .orElseGet(this::newPartial);
        for (AggregatePartial partial : partials) {
            if (partial != all) {
                all.merge(partial, false);
            }
        }
        merged = all.groupCount();
        return all.rows();
    }

    /** The number of groups that {@link #combine} has merged; 0 before. */
    int merged() {
        return merged;
    }

    private void requireSound() throws MergeException, BudgetExceededException {
        if (failure instanceof MergeException e) {
            throw e;
        }
        if (failure instanceof BudgetExceededException e) {
            throw e;
        }
    }
}

package io.fanfold.operator;

/**
 * The memory that one thread of a merge has reserved. It reserves in steps, so that a row seldom touches the shared
 * budget. For one thread.
 */
final class BudgetShare {
    private static final long STEP_BYTES = 32 * 1024;

    private final MemoryBudget budget;
    private long reserved;
    private long used;

    BudgetShare(MemoryBudget budget) {
        this.budget = budget;
    }

    /**
     * Counts bytes that are held in addition; fewer if negative.
     *
     * @throws BudgetExceededException if they do not fit; they are then not counted
     */
    void use(long bytes) throws BudgetExceededException {
        if (used + bytes > reserved) {
            reserve(used + bytes - reserved);
        }
        used += bytes;
        if (reserved - used > 2 * STEP_BYTES) {
            budget.release(reserved - used - STEP_BYTES);
            reserved = used + STEP_BYTES;
        }
    }

    private void reserve(long missing) throws BudgetExceededException {
        try {
            budget.reserve(missing + STEP_BYTES);
            reserved += missing + STEP_BYTES;
        } catch (BudgetExceededException e) {
            // Close to a limit, reserve exact amounts instead of steps.
            budget.reserve(missing);
            reserved += missing;
        }
    }

    /** The bytes counted now. */
    long usedBytes() {
        return used;
    }

    /** Takes over the reservation of another share of the same budget; the other is then empty. */
    void absorb(BudgetShare other) {
        reserved += other.reserved;
        used += other.used;
        other.reserved = 0;
        other.used = 0;
    }
}

package io.fanfold.merge;

/**
 * What one thread's part of a merge has reserved. Takes from the budget in steps, so that a row seldom touches what
 * threads share. For one thread.
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
     * Counts bytes that are held now in addition; fewer when negative.
     *
     * @throws BudgetExceededException when they do not fit; they are not counted then
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
            // The last step before a limit is taken byte by byte.
            budget.reserve(missing);
            reserved += missing;
        }
    }

    /** How many bytes are counted now. */
    long usedBytes() {
        return used;
    }

    /** Takes over all that another share of the same budget has; the other is empty then. */
    void absorb(BudgetShare other) {
        reserved += other.reserved;
        used += other.used;
        other.reserved = 0;
        other.used = 0;
    }
}

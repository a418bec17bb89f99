package io.fanfold.operator;

import io.fanfold.row.HeapRoom;
import io.fanfold.row.Row;
import java.util.BitSet;

/** The common part of partial merges: assigns ranks to rows, checks their shape, and records their partitions. */
abstract non-sealed class RankedPartial implements PartialMerge {
    private static final int ROW_BITS = 42;
    private static final int MAX_PARTITION = (1 << 63 - ROW_BITS) - 1;

    final MemoryBudget budget;
    final BudgetShare share;
    private final long mostRows;
    private final BitSet partitions = new BitSet();
    private final int columnsNeeded;
    private int columns = -1;

    /** Partition index and number of the row in it; -1 before the first partition. */
    private long nextRank = -1;

    /**
     * @param budget the budget of the merge, which no other merge shares
     * @param mostRows the maximum number of its groups or rows
     */
    RankedPartial(MemoryBudget budget, long mostRows, int columnsNeeded) {
        this.budget = budget;
        this.mostRows = mostRows;
        this.share = new BudgetShare(budget);
        this.columnsNeeded = columnsNeeded;
    }

    @Override
    public final HeapRoom room() {
        return budget;
    }

    @Override
    public final void partitionStarts(int number) {
        if (number < 0 || number > MAX_PARTITION) {
            throw new IllegalArgumentException(
                    "the number of a partition query is " + number + " (expected: 0.." + MAX_PARTITION);
        }
        if (partitions.get(number)) {
            throw new IllegalStateException("partition " + number + " is merged twice");
        }
        partitions.set(number);
        nextRank = (long) number << ROW_BITS;
        runStarts();
    }

    @Override
    public final void add(Row row) throws MergeException, BudgetExceededException {
        if (nextRank < 0) {
            throw new IllegalStateException("a row came before its partition was announced");
        }
        if (row.columns() != columns) {
            checkShape(row.columns());
        }
        add(row, nextRank++);
    }

    private void checkShape(int found) throws MergeException {
        if (columns >= 0 || found < columnsNeeded) {
            throw new MergeException(
                    MergeException.MergeFailure.ROW_SHAPE,
                    "a row has " + found + " columns, expected "
                            + (columns >= 0 ? columns + " as before" : "at least " + columnsNeeded));
        }
        columns = found;
    }

    /** Called when a new sorted run starts. */
    void runStarts() {}

    /**
     * Adds one row of the right shape.
     *
     * @param rank orders all rows of all partial merges: by partition, then by arrival
     */
    abstract void add(Row row, long rank) throws MergeException, BudgetExceededException;

    /** Fails if there are more groups or rows than the merge may have. */
    final void requireWanted(long rows) throws MergeException {
        if (rows > mostRows) {
            throw new MergeException(MergeException.MergeFailure.TOO_MANY_ROWS, "more than " + mostRows + " rows");
        }
    }

    /** The partitions that were started; not to be changed. */
    final BitSet partitions() {
        return partitions;
    }

    /** The number of columns of the rows; -1 if there was none. */
    final int columns() {
        return columns;
    }
}

package io.fanfold.operator;

import io.fanfold.row.HeapRoom;
import io.fanfold.row.Row;

/**
 * Receives the partial rows that one thread reads from its partition queries, one query after another. For that thread.
 */
public interface RowSink {
    /** The budget in which a large row is reserved while it is read. */
    HeapRoom room();

    /**
     * Starts the rows of another partition query.
     *
     * @param number orders equal rows and the groups of a merge, from 0, with or without gaps; each number is started
     *     once, over all sinks. In an {@link Exchange} it is the query's index, without gaps.
     */
    void partitionStarts(int number);

    /**
     * Adds one row. The row object is not retained, but its bytes may be.
     *
     * @param row a row of the current partition query
     * @throws MergeException if the row cannot be merged exactly; the sink must then not be used any more
     * @throws BudgetExceededException if the row does not fit; the sink must then not be used any more
     * @throws java.util.concurrent.CancellationException if rows are no longer wanted
     */
    void add(Row row) throws MergeException, BudgetExceededException;

    /**
     * Ends the current partition query, after all its rows were read without an error.
     *
     * @throws BudgetExceededException as {@link #add}
     * @throws java.util.concurrent.CancellationException as {@link #add}
     */
    default void partitionEnds() throws BudgetExceededException {}

    /** Marks that no further partition follows, after success or failure. */
    default void ends() {}
}

package io.fanfold.merge;

import io.fanfold.row.HeapRoom;
import io.fanfold.row.Row;

/**
 * Takes the partial rows that one thread reads: those of some partition queries, one query after the other. For that one
 * thread.
 */
public interface RowSink {
    /** Where the heap of a large row is counted while it is read. */
    HeapRoom room();

    /**
     * Says that the rows to come are those of another partition query.
     *
     * @param partitionIndex where the partition stands in the query's list, from 0; every partition once in all sinks
     *     together
     */
    void partitionStarts(int partitionIndex);

    /**
     * Takes in one row. The row is not kept, its bytes may be.
     *
     * @param row of the partition query that was announced last
     * @throws FoldException when the row cannot be merged exactly; the sink is then of no further use
     * @throws BudgetExceededException when the row does not fit; the sink is then of no further use
     * @throws java.util.concurrent.CancellationException when nobody wants rows any more
     */
    void add(Row row) throws FoldException, BudgetExceededException;

    /**
     * Says that the partition query announced last delivered all its rows, and that nothing is wrong with it.
     *
     * @throws BudgetExceededException as {@link #add}
     * @throws java.util.concurrent.CancellationException as {@link #add}
     */
    default void partitionEnds() throws BudgetExceededException {}

    /** Says that no further partition follows, whether all went well or not. */
    default void ends() {}
}

package io.fanfold.merge;

import io.fanfold.row.Row;

/**
 * The fold of what one thread reads: the partial rows of some partition queries, one query after the other. Shares
 * nothing with other partial folds but the budget. For one thread at a time; handing it to the thread that calls
 * {@link Fold#combine} needs a happens-before edge, such as a future's result.
 *
 * <p>It holds nothing but heap: one that is dropped gives its bytes back to the budget when its {@link Fold} is closed.
 */
public sealed interface PartialFold permits RankedPartial {

    /**
     * Says that the rows to come are those of another partition query.
     *
     * @param partitionIndex where the partition stands in the query's list, from 0; every partition once in all
     *     partial folds together. The order of equal rows and groups follows it, so that the result does not depend on
     *     which thread was first.
     */
    void partitionStarts(int partitionIndex);

    /**
     * Takes in one row. The row is not kept, parts of its bytes may be.
     *
     * @param row of the partition query that was announced last; for {@link io.fanfold.plan.MergeNode.TopRows} not
     *     smaller than the row before
     * @throws FoldException when the row cannot be folded exactly; the fold is then of no further use
     * @throws BudgetExceededException when the row does not fit; the fold is then of no further use
     * @throws java.util.concurrent.CancellationException when the fold was closed meanwhile; not noticed at once
     */
    void add(Row row) throws FoldException, BudgetExceededException;
}

package io.fanfold.merge;

/**
 * The fold of what one thread reads. The order of equal rows and groups follows the partitions' numbers, so that the
 * result does not depend on which thread was first. Rows for {@link io.fanfold.plan.MergeNode.TopRows} come sorted within
 * each partition.
 *
 * <p>Shares nothing with other partial folds but the budget. For one thread at a time; handing it to the thread that calls
 * {@link Fold#combine} needs a happens-before edge, such as a future's result.
 *
 * <p>It holds nothing but heap: one that is dropped gives its bytes back to the budget when its {@link Fold} is closed. That
 * the fold was closed meanwhile is not noticed at once.
 */
public sealed interface PartialFold extends RowSink permits RankedPartial {}

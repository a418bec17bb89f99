package io.fanfold.operator;

/**
 * The partial rows that one thread has merged. Equal rows and groups are ordered by partition number, so that the
 * result does not depend on which thread was first. Rows for {@link io.fanfold.plan.MergeNode.TopRows} must be sorted
 * within each partition.
 *
 * <p>Partial merges share only the budget and the groups that their {@link Merge} merges early. Used by one thread at a
 * time. Passing it to the thread that calls {@link Merge#combine} needs a happens-before edge, such as a future's
 * result.
 *
 * <p>It holds only heap, which is released to the budget when its {@link Merge} is closed. It may notice late that the
 * merge was closed.
 */
public sealed interface PartialMerge extends RowSink permits RankedPartial {}

package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.Part;
import io.fanfold.plan.PartPlans;
import io.fanfold.plan.PlanDoubt;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Compares the server's plan of the largest partition query with that of the whole block, and with several tables the
 * plans of the others too. If the join order differs, or the queries read more rows, all partition queries together may
 * take longer than the block.
 *
 * @param wholePlan the server's plan of the whole block
 */
record PlanRegression(LogicalPlan logical, List<ExplainedTable> wholePlan, WireConnection worker, ServerFlavor flavor) {
    /** InnoDB estimates a range at up to twice the sum of the estimates of its pieces. */
    private static final int RANGE_ERROR = 2;

    /** One worker would have this share of the rows: a split into ranges would not be faster. */
    private static final double NEARLY_ALL = 0.9;

    /** The most partition queries that are explained, the largest. */
    private static final int MOST_EXPLAINED = 32;

    /**
     * Returns the doubt about the split; empty if there is none.
     *
     * @param queries what the partition queries read, at least one
     * @param workers the number of workers, 1 or more
     * @throws RefusedException if the split cannot be faster
     */
    Optional<PlanDoubt> of(FanOutPlan plan, List<Part> queries, int workers) throws RefusedException {
        List<Part> largestFirst = Part.largestFirst(queries);
        Part largest = largestFirst.get(0);
        if (wholePlan.size() < 2 && largest.range().isEmpty()) {
            return Optional.empty();
        }
        int explain = wholePlan.size() < 2 ? 1 : Math.min(queries.size(), MOST_EXPLAINED);
        try {
            List<List<ExplainedTable>> plans = Explain.all(
                    worker,
                    largestFirst.subList(0, explain).stream()
                            .map(plan::partitionQuery)
                            .toList(),
                    flavor);
            PartPlans all = new PartPlans(wholePlan, plans, queries.size());
            Optional<Refusal> repeated = all.repeated(logical.split(), workers);
            // there may be fewer whole partitions than ranges of them
            boolean rangeOfPartition =
                    largest.range().isPresent() && !largest.names().isEmpty();
            if (!rangeOfPartition) {
                RefusedException.throwIf(repeated);
            }
            Optional<Refusal> unshared =
                    largest.range().isPresent() ? unshared(plans.get(0), largest, rows(queries)) : Optional.empty();
            Optional<Refusal> worse = CostGate.worse(
                    wholePlan,
                    plans.get(0),
                    logical.split(),
                    count(queries, largest),
                    Part.together(queries).partitions().size());
            return repeated.or(() -> unshared)
                    .or(() -> worse)
                    .map(PlanDoubt::of)
                    .or(() -> all.otherPlan(logical.split(), workers));
        } catch (ServerException | IOException e) {
            throw FailureMap.of(e);
        }
    }

    /** Returns why ranges do not share the work: nearly all rows are in one, or each is read by a scan of the table. */
    private Optional<Refusal> unshared(List<ExplainedTable> explained, Part largest, long rows) {
        if (largest.estimatedRows() > rows * NEARLY_ALL) {
            return Optional.of(new Refusal(Reason.KEY_RANGE, "nearly all rows are in one range"));
        }
        return CostGate.scansFully(explained, logical.split())
                ? Optional.of(
                        new Refusal(Reason.KEY_RANGE, "the server would read the whole table for a partition query"))
                : Optional.empty();
    }

    /** The number of partition queries, each as large as the largest. */
    private static int count(List<Part> queries, Part largest) {
        return largest.range().isEmpty()
                ? queries.size()
                : (int) Math.max(1, rows(queries) / Math.max(1, largest.estimatedRows()) / RANGE_ERROR);
    }

    private static long rows(List<Part> queries) {
        return queries.stream().mapToLong(Part::estimatedRows).sum();
    }
}

package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.Part;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Compares the server's plan of the largest partition query with that of the whole block. If the join order differs, or
 * the query reads more rows, all partition queries together may take longer than the block.
 *
 * @param wholePlan the server's plan of the whole block
 */
record PlanRegression(LogicalPlan logical, List<ExplainedTable> wholePlan, WireConnection worker, ServerFlavor flavor) {
    /** InnoDB estimates a range at up to twice the sum of the estimates of its pieces. */
    private static final int RANGE_ERROR = 2;

    /**
     * Returns the objection to the split; empty if there is none.
     *
     * @param queries what the partition queries read, at least one
     */
    Optional<Refusal> of(FanOutPlan plan, List<Part> queries) throws RefusedException {
        Part largest = queries.stream()
                .max(Comparator.comparingLong(Part::estimatedRows))
                .orElseThrow();
        if (logical.model().tables().size() < 2 && largest.range().isEmpty()) {
            return Optional.empty();
        }
        try {
            Reply.Result reply = worker.query(Explain.statement(plan.partitionQuery(largest), flavor));
            List<ExplainedTable> explained = Explain.read(reply.columns(), reply.rows());
            Optional<Refusal> unshared =
                    largest.range().isPresent() ? unshared(explained, largest, rows(queries)) : Optional.empty();
            return unshared.isPresent()
                    ? unshared
                    : CostGate.worse(
                            wholePlan,
                            explained,
                            logical.split(),
                            count(queries, largest),
                            Part.together(queries).partitions().size());
        } catch (ServerException | IOException e) {
            throw FailureMap.of(e);
        }
    }

    /** Returns why ranges do not share the work: nearly all rows are in one, or each is read by a scan of the table. */
    private Optional<Refusal> unshared(List<ExplainedTable> explained, Part largest, long rows) {
        if (largest.estimatedRows() > rows / 10 * 9) {
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

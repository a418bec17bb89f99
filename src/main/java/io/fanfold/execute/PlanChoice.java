package io.fanfold.execute;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.discovery.CatalogService;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.Part;
import io.fanfold.plan.PlanDoubt;
import io.fanfold.plan.SessionTraits;
import io.fanfold.plan.SplitPlanner;
import io.fanfold.plan.StatementPlan;
import io.fanfold.pool.Lease;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Completes the plan of a fan-out inside its snapshot, when the types of all inputs are known. For the coordinator
 * thread.
 *
 * @param first worker 0
 */
record PlanChoice(FanOutTask task, SplitPlanner planner, CatalogService catalog, Lease first) {
    /**
     * Chooses the plan of the blocks. If a block has two partition queries with the same result, the server's EXPLAIN
     * inside the snapshot decides between them. A query with a loose index scan is faster by orders of magnitude.
     *
     * @param types the column types of each block's inputs
     */
    StatementPlan cheapest(List<List<Column>> types) throws RefusedException, IOException {
        List<LogicalPlan> logicals =
                task.blocks().stream().map(BlockPlanning::logical).toList();
        StatementPlan plan = complete(logicals, types);
        List<LogicalPlan> byValues = logicals.stream()
                .map(logical -> logical.byValues().orElse(logical))
                .toList();
        if (byValues.equals(logicals)) {
            return plan;
        }
        Optional<StatementPlan> other = completeIfSplittable(byValues, types);
        if (other.isEmpty()) {
            return plan;
        }
        List<LogicalPlan> chosen = new ArrayList<>();
        for (int i = 0; i < logicals.size(); i++) {
            boolean skips = !byValues.get(i).equals(logicals.get(i))
                    && skipsMore(
                            task.blocks().get(i).parts().get(0),
                            other.get().blocks().get(i),
                            plan.blocks().get(i));
            chosen.add(skips ? byValues.get(i) : logicals.get(i));
        }
        return completeIfSplittable(chosen, types).orElse(plan);
    }

    /** Whether the partition query of a plan uses a loose index scan, and that of another plan does not. */
    private boolean skipsMore(Part part, FanOutPlan plan, FanOutPlan other) throws IOException {
        List<Reply> explained = first.connection()
                .pipeline(List.of(
                        Explain.statement(plan.partitionQuery(part), catalog.flavor()),
                        Explain.statement(other.partitionQuery(part), catalog.flavor())));
        return looseIndexScan(explained.get(0)) && !looseIndexScan(explained.get(1));
    }

    private static boolean looseIndexScan(Reply reply) {
        return reply instanceof Reply.Result explained
                && Explain.read(explained.columns(), explained.rows()).stream()
                        .anyMatch(ExplainedTable::looseIndexScan);
    }

    private Optional<StatementPlan> completeIfSplittable(List<LogicalPlan> blocks, List<List<Column>> types) {
        try {
            return Optional.of(complete(blocks, types));
        } catch (RefusedException e) {
            return Optional.empty();
        }
    }

    private StatementPlan complete(List<LogicalPlan> blocks, List<List<Column>> types) throws RefusedException {
        CatalogSnapshot catalogSnapshot = catalog.snapshot()
                .orElseThrow(() -> new RefusedException(Reason.PARTITIONS, "the catalog has not been read"));
        return planner.complete(
                task.logical().with(blocks),
                types,
                task.visibleColumns(),
                catalogSnapshot,
                this::padWeight,
                new SessionTraits(
                        task.settings().fixedTimeZone(first.facts().systemUtc()),
                        task.settings().zeroDates(),
                        task.settings().dividedDigits()));
    }

    /**
     * Checks each block for a plan regression, see {@link BlockPlanning#planRegression}. A regression of one block counts for the
     * statement.
     *
     * @param workers their number
     */
    Optional<PlanDoubt> regression(StatementPlan plan, int workers) throws RefusedException {
        for (int i = 0; i < task.blocks().size(); i++) {
            Optional<PlanDoubt> planRegression =
                    task.blocks().get(i).planRegression(plan.blocks().get(i), first, workers, catalog.flavor());
            if (planRegression.isPresent()) {
                return planRegression;
            }
        }
        return Optional.empty();
    }

    private Optional<byte[]> padWeight(String charset, String collation) {
        return catalog.probes().padWeight(charset, collation, first);
    }
}

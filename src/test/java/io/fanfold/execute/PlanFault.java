package io.fanfold.execute;

import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.StatementPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A mistake in the first block of a plan. While it is in effect, all statements that name a table are split by wrong
 * plans. For tests.
 */
public final class PlanFault implements AutoCloseable {
    private PlanFault() {}

    /**
     * Puts a mistake into all later plans of this process.
     *
     * @param table plans whose partition queries do not contain this text stay right
     */
    public static PlanFault of(String table, UnaryOperator<FanOutPlan> mistake) {
        PlanFaults.set(plan -> {
            FanOutPlan first = plan.blocks().get(0);
            if (!first.beforePartition().contains(table)) {
                return plan;
            }
            List<FanOutPlan> blocks = new ArrayList<>(plan.blocks());
            blocks.set(0, mistake.apply(first));
            return new StatementPlan(blocks, plan.texts(), plan.onWorker());
        });
        return new PlanFault();
    }

    /** A mistake in the merge. */
    public static UnaryOperator<FanOutPlan> merge(UnaryOperator<MergeNode> mistake) {
        return plan -> new FanOutPlan(
                plan.beforePartition(),
                plan.clauses(),
                plan.tail(),
                mistake.apply(plan.merge()),
                plan.completion(),
                plan.filters());
    }

    /** A mistake in the partition query after FROM. */
    public static UnaryOperator<FanOutPlan> tail(UnaryOperator<FanOutPlan.Tail> mistake) {
        return plan -> new FanOutPlan(
                plan.beforePartition(),
                plan.clauses(),
                mistake.apply(plan.tail()),
                plan.merge(),
                plan.completion(),
                plan.filters());
    }

    /** A mistake in the PARTITION clauses. */
    public static UnaryOperator<FanOutPlan> clauses(UnaryOperator<FanOutPlan.TablePartitions> mistake) {
        return plan -> new FanOutPlan(
                plan.beforePartition(),
                plan.clauses().stream().map(mistake).toList(),
                plan.tail(),
                plan.merge(),
                plan.completion(),
                plan.filters());
    }

    /** A mistake in how merged rows become the answer. */
    public static UnaryOperator<FanOutPlan> completion(UnaryOperator<Completion> mistake) {
        return plan -> new FanOutPlan(
                plan.beforePartition(),
                plan.clauses(),
                plan.tail(),
                plan.merge(),
                mistake.apply(plan.completion()),
                plan.filters());
    }

    /** A mistake in the text of the final query. */
    public static UnaryOperator<FanOutPlan> finalQuery(UnaryOperator<String> before, UnaryOperator<String> after) {
        return completion(completion -> {
            Completion.FinalQuery query = (Completion.FinalQuery) completion;
            return new Completion.FinalQuery(
                    query.encodings(),
                    before.apply(query.beforeTable()),
                    after.apply(query.afterTable()),
                    query.portions());
        });
    }

    /** Lets plans be right again. */
    @Override
    public void close() {
        PlanFaults.set(UnaryOperator.identity());
    }
}

package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Finish;
import java.util.List;
import java.util.Optional;

/**
 * The complete plan of a statement. Immutable.
 *
 * @param blocks the plans of the blocks that are split, in order of position
 * @param texts what stands before, between and behind the blocks in the statement that the server runs over their
 *     merged rows: one more than there are blocks
 * @param onWorker whether the finish query reads tables and must therefore run in a worker's snapshot, where the
 *     client's text literals are UTF-8, instead of on the client's connection
 */
public record StatementPlan(List<FanOutPlan> blocks, List<String> texts, boolean onWorker) implements SplitDecision {
    public StatementPlan {
        blocks = List.copyOf(blocks);
        texts = List.copyOf(texts);
        if (texts.size() != blocks.size() + 1) {
            throw new IllegalArgumentException(texts.size() + " texts around " + blocks.size() + " blocks");
        }
        if (blocks.size() > 1 && !blocks.stream().allMatch(StatementPlan::isQuery)) {
            throw new IllegalArgumentException("one of several blocks is no query");
        }
    }

    /** Whether the server finishes the merged rows with a query. */
    public boolean finishesByQuery() {
        return isQuery(blocks.get(0));
    }

    /** The finish query if merged rows may be given to it in portions. */
    public Optional<Finish.Query> portioned() {
        return blocks.get(0).finish() instanceof Finish.Query query
                        && query.portions().isPresent()
                        && !onWorker
                ? Optional.of(query)
                : Optional.empty();
    }

    private static boolean isQuery(FanOutPlan block) {
        return block.finish() instanceof Finish.Query;
    }
}

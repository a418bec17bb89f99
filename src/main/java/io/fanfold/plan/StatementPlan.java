package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Completion;
import java.util.List;
import java.util.Optional;

/**
 * The complete plan of a statement. Immutable.
 *
 * @param blocks the plans of the split blocks, in order of position
 * @param texts the statement's text before, between and after the blocks, which the server runs over their merged rows;
 *     one text more than blocks
 * @param onWorker whether the final query reads tables. It must then run in a worker's snapshot, where the client's
 *     text literals are UTF-8, instead of on the client's connection.
 */
public record StatementPlan(List<FanOutPlan> blocks, List<String> texts, boolean onWorker) {
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

    /** Whether there is a final query over the merged rows. */
    public boolean hasFinalQuery() {
        return isQuery(blocks.get(0));
    }

    /** Returns the final query if merged rows may be sent to it in portions. */
    public Optional<Completion.FinalQuery> portioned() {
        return blocks.get(0).completion() instanceof Completion.FinalQuery query
                        && query.portions().isPresent()
                        && !onWorker
                ? Optional.of(query)
                : Optional.empty();
    }

    private static boolean isQuery(FanOutPlan block) {
        return block.completion() instanceof Completion.FinalQuery;
    }
}

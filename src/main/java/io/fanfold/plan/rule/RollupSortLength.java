package io.fanfold.plan.rule;

import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Refusal;
import java.util.Optional;

/**
 * Refuses WITH ROLLUP with keys that may be longer than what servers sort by: the final query sorts them to group.
 *
 * <pre>
 * SELECT novel, COUNT(*) FROM t GROUP BY novel WITH ROLLUP
 * </pre>
 *
 * <p>Test: {@code RollupRulesTest}.
 */
final class RollupSortLength implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        return block.shape().rollup()
                ? block.shape().keys().stream()
                        .flatMap(key -> SortLength.refusal(block, key).stream())
                        .findFirst()
                : Optional.empty();
    }
}

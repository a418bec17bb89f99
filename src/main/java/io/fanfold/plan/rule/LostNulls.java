package io.fanfold.plan.rule;

import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import java.util.Optional;

/**
 * Refuses on MariaDB computed decimals as keys if it sorts in descending order to group, as for DISTINCT aggregates.
 * MariaDB 10.11 then treats NULL like the value before it: seen for CAST, arithmetic and ROUND.
 *
 * <pre>
 * SELECT num + 1, COUNT(DISTINCT b) FROM t GROUP BY num + 1 ORDER BY 1 DESC       refused
 * SELECT num + 1, COUNT(DISTINCT b) FROM t GROUP BY num + 1 ORDER BY 1            split
 * </pre>
 *
 * <p>Test: {@code NumberRulesTest}.
 */
final class LostNulls implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        boolean sorts = block.shape().materialized().isPresent()
                || !block.shape().distinctArguments().isEmpty();
        boolean downwards = block.model().orderBy().stream().anyMatch(SelectModel.OrderItem::descending);
        return block.groupingKeys().stream()
                .map(block::type)
                .filter(column -> block.flavor().isMariaDb() && sorts && downwards && column.computedDecimal())
                .findFirst()
                .map(column ->
                        new Refusal(Reason.KEY_TYPE, column.name() + " is a computed decimal, sorted downwards"));
    }
}

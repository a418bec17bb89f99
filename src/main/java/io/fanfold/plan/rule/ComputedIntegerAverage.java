package io.fanfold.plan.rule;

import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.Optional;

/**
 * Refuses on MySQL averages of computed integers in sorted groups with DISTINCT aggregates. MySQL 9.7 keeps these in a
 * temporary table, which has too few digits for the average of an IFNULL.
 *
 * <pre>
 * SELECT a, AVG(b + 1), COUNT(DISTINCT c) FROM t GROUP BY a ORDER BY a       refused
 * SELECT a, AVG(b), COUNT(DISTINCT c) FROM t GROUP BY a ORDER BY a           split
 * </pre>
 *
 * <p>Test: {@code NumberRulesTest}.
 */
final class ComputedIntegerAverage implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        return block.flavor().isMySql()
                        && !block.shape().distinctArguments().isEmpty()
                        && !block.shape().orderBy().isEmpty()
                        && block.averaged()
                                .map(block::type)
                                .anyMatch(column -> column.type().isInteger() && column.computed())
                ? Optional.of(new Refusal(Reason.ARGUMENT_TYPE, "an average of computed numbers in a temporary table"))
                : Optional.empty();
    }
}

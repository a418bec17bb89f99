package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregate;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import java.util.Optional;

/**
 * Refuses on MariaDB extremes of remainders beside DISTINCT aggregates. MariaDB 10.11 then sorts to group, but partition
 * queries use a temporary table, which drops the sign of zero.
 *
 * <pre>
 * SELECT MIN(-p % 1.0), COUNT(DISTINCT tiny) FROM t
 * </pre>
 *
 * <p>Test: {@code split-one-server.sql}.
 */
final class DistinctSignOfZero implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        if (block.flavor().isMySql() || block.shape().distinctArguments().isEmpty()) {
            return Optional.empty();
        }
        return block.shape().aggregates().stream()
                        .filter(LogicalAggregate.LogicalMinMax.class::isInstance)
                        .anyMatch(extreme ->
                                block.made(extreme.source(), known -> known.divides() == DivisionKind.REMAINDER))
                ? Optional.of(new Refusal(Reason.ARGUMENT_TYPE, SignOfZero.DETAIL))
                : Optional.empty();
    }
}

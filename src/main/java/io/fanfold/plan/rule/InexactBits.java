package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregate;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Refuses bit aggregates of other values than integers. MySQL 9.7 combines byte strings to results of the column's
 * declared length, so that those of several partitions cannot be combined like numbers.
 *
 * <pre>
 * SELECT BIT_OR(num) FROM t       refused
 * SELECT BIT_OR(a) FROM t         split
 * </pre>
 *
 * <p>Test: {@code AggregatePlannerTest}.
 */
final class InexactBits implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        return block.shape().aggregates().stream()
                .flatMap(aggregate -> aggregate instanceof LogicalAggregate.LogicalBits bits
                        ? Stream.of(block.type(bits.argument()))
                        : Stream.of())
                .filter(column -> !column.type().isInteger())
                .findFirst()
                .map(column -> new Refusal(Reason.ARGUMENT_TYPE, column.name() + " is " + column.type()));
    }
}

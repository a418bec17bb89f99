package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregate;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Refuses sums of numbers that are not exact: their last digits depend on the row order. Servers make floating-point
 * numbers of texts to add them.
 *
 * <pre>
 * SELECT SUM(dbl) FROM t                               refused
 * SELECT SUM(str) FROM t                               refused
 * SELECT SUM(dbl) OVER (ORDER BY a) FROM t WHERE b > 1 refused
 * SELECT SUM(num), MAX(dbl) FROM t                     split
 * </pre>
 *
 * <p>Test: {@code NumberRulesTest}.
 */
final class InexactSum implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        boolean approximate = block.model().approximate();
        Stream<Integer> windows = approximate ? Stream.of() : block.shape().exactSums().stream();
        Stream<Refusal> ofWindows = windows.flatMap(input -> refusal(block, input, Reason.APPROXIMATE));
        Stream<Refusal> ofGroups =
                block.shape().aggregates().stream().flatMap(aggregate -> refusal(block, aggregate, approximate));
        return Stream.concat(ofWindows, ofGroups).findFirst();
    }

    private static Stream<Refusal> refusal(TypedBlock block, LogicalAggregate aggregate, boolean approximate) {
        if (aggregate instanceof LogicalAggregate.LogicalSum sum && !sum.count()) {
            boolean allowed = approximate && block.type(sum.input()).type().isFloatingPoint();
            return allowed ? Stream.of() : refusal(block, sum.input(), Reason.APPROXIMATE);
        }
        return aggregate instanceof LogicalAggregate.LogicalSumDistinct sum
                ? Stream.concat(
                        refusal(block, sum.sum(), Reason.APPROXIMATE),
                        refusal(block, sum.argument(), Reason.ARGUMENT_TYPE))
                : Stream.of();
    }

    private static Stream<Refusal> refusal(TypedBlock block, int input, Reason reason) {
        Column column = block.type(input);
        return column.type().isExactNumber()
                ? Stream.of()
                : Stream.of(new Refusal(reason, column.name() + " is " + column.type()));
    }
}

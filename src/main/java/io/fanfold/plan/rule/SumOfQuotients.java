package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregate;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import java.util.Optional;

/**
 * Refuses on MariaDB sums of a derived table's quotients. MariaDB 10.11 adds quotients with more digits than a partial
 * sum shows. The text alone already refuses a sum whose own argument is a quotient.
 *
 * <pre>
 * SELECT SUM(x.q) FROM (SELECT num / 7 AS q FROM t) x
 * </pre>
 *
 * <p>Test: {@code HiddenPrecisionIT.quotients}.
 */
final class SumOfQuotients implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        if (block.flavor().isMySql()) {
            return Optional.empty();
        }
        return block.shape().aggregates().stream()
                        .filter(SumOfQuotients::sums)
                        .anyMatch(sum -> block.made(sum.source(), known -> known.divides() == DivisionKind.QUOTIENT))
                ? Optional.of(new Refusal(Reason.AGGREGATE, "a sum of quotients of a derived table"))
                : Optional.empty();
    }

    private static boolean sums(LogicalAggregate aggregate) {
        return aggregate instanceof LogicalAggregate.LogicalSum
                || aggregate instanceof LogicalAggregate.LogicalSumDistinct;
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.Optional;

/**
 * Refuses to average values that may have fewer digits than their type, such as those of an IF. Both servers then
 * compute fewer digits of the average (MySQL 9.7, MariaDB 10.11).
 *
 * <pre>
 * SELECT AVG(IFNULL(fine, b)) FROM t       refused
 * SELECT AVG(fine) FROM t                  split
 * </pre>
 *
 * <p>Test: {@code NumberRulesTest}.
 */
final class ShortAverage implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        return block.averaged().anyMatch(block::mayBeShort)
                ? Optional.of(new Refusal(
                        Reason.ARGUMENT_TYPE, "an average of values that may have fewer digits than their type"))
                : Optional.empty();
    }
}

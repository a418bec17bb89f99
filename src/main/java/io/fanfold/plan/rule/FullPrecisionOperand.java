package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Refuses to compute with keys that are decimals of the maximum precision. Results may be cut, in ways that depend on
 * the type.
 *
 * <pre>
 * SELECT dec65 + 1 FROM t GROUP BY dec65       refused
 * SELECT dec65 FROM t GROUP BY dec65           split
 * </pre>
 *
 * <p>Test: {@code NumberRulesTest}.
 */
final class FullPrecisionOperand implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        boolean computes =
                block.placement().isEmpty() || block.shape().materialized().isPresent();
        List<Integer> keys = block.shape().keys();
        return IntStream.range(0, computes ? keys.size() : 0)
                .filter(key -> !block.shownOnly(key))
                .mapToObj(key -> block.type(keys.get(key)))
                .filter(Column::fullDecimal)
                .findFirst()
                .map(column -> new Refusal(
                        Reason.KEY_TYPE, column.name() + " has all the digits there are, and is computed with"));
    }
}

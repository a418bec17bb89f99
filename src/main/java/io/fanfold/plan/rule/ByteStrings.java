package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * Refuses byte strings. They are sent in base64. Decoded, they have a weaker coercibility than a column, and MariaDB 10.11
 * treats them as text next to a text. Grouped WITH ROLLUP, base64 is sorted in another order, and MySQL 9.7 computes no MAX
 * of it without a warning.
 *
 * <pre>
 * SELECT bytes FROM t GROUP BY bytes UNION ALL SELECT b FROM d
 * SELECT bytes, COUNT(*) FROM t GROUP BY bytes WITH ROLLUP
 * SELECT a, RANK() OVER (ORDER BY bytes) FROM t WHERE a > 1
 * </pre>
 *
 * <p>Test: {@code golden.txt}.
 */
final class ByteStrings implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        boolean bytes = encodings.stream().anyMatch(ColumnEncoding.BinaryEncoding.class::isInstance);
        if (bytes && block.unordered()) {
            return Optional.of(new Refusal(Reason.KEY_TYPE, "byte strings in a set operation or expression"));
        }
        if (bytes && block.shape().rollup()) {
            return Optional.of(new Refusal(Reason.ROLLUP, "byte strings"));
        }
        return block.computedKeys().stream()
                .filter(key -> encodings.get(key) instanceof ColumnEncoding.BinaryEncoding)
                .findFirst()
                .map(key -> new Refusal(Reason.KEY_TYPE, "byte strings in what is computed from materialized rows"));
    }
}

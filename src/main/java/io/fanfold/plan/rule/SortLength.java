package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import java.util.List;
import java.util.Optional;

/**
 * Refuses materialized keys that the final query computes with and that may be longer than what servers sort by.
 *
 * <pre>
 * SELECT novel, RANK() OVER (ORDER BY novel) FROM t WHERE a > 1
 * </pre>
 *
 * <p>Test: {@code golden.txt}.
 */
final class SortLength implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        return block.computedKeys().stream()
                .flatMap(key -> refusal(block, block.shape().keys().get(key)).stream())
                .findFirst();
    }

    /** The bytes of a key that a sort compares completely in any collation: 255 characters of utf8mb4. */
    private static final long MAX_KEY_LENGTH = 1020;

    static Optional<Refusal> refusal(TypedBlock block, int input) {
        Column column = block.type(input);
        return column.length() > MAX_KEY_LENGTH && column.type().isString()
                ? Optional.of(new Refusal(Reason.KEY_TYPE, column.name() + " may be longer than what is sorted by"))
                : Optional.empty();
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.Template;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses computed texts of which a set operation may choose the collation. A merged column has the coercibility of a
 * table column. The original may have had a weaker one, and have taken the collation of another branch.
 *
 * <pre>
 * SELECT CONCAT(a, '-') FROM t GROUP BY a UNION SELECT name FROM d
 * </pre>
 *
 * <p>Test: {@code golden.txt}.
 */
final class Coercibility implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        if (!block.unordered()) {
            return Optional.empty();
        }
        Set<Integer> alike = block.placement().orElseThrow().alike();
        for (int i = 0; i < block.shape().items().size(); i++) {
            Template item = block.shape().items().get(i);
            if (!alike.contains(i) && block.sources(item).anyMatch(source -> computedText(block, source))) {
                return Optional.of(new Refusal(Reason.COLLATION, "a computed text beside another in a set operation"));
            }
        }
        return Optional.empty();
    }

    /** Whether an input is a text that is neither a plain column nor the MIN, MAX or ANY_VALUE of one. */
    private static boolean computedText(TypedBlock block, int input) {
        return block.type(input).type().isString() && !block.type(input).binaryString() && !block.plainColumn(input);
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.FunctionFacts;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import java.util.Optional;

/**
 * Refuses on MariaDB quotients and remainders as keys. If MariaDB 10.11 sorts to group, it makes a group for each
 * quotient with its hidden digits, and separate groups for remainders of zero with and without a sign. In a temporary
 * table it makes one group for values with the same text.
 *
 * <pre>
 * SELECT num / 7, COUNT(*) FROM t GROUP BY num / 7              refused
 * SELECT ROUND(num / 7, 2), COUNT(*) FROM t GROUP BY 1          split
 * </pre>
 *
 * <p>Test: {@code HiddenPrecisionIT.quotientsAsKeys}.
 */
final class QuotientKey implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        if (block.flavor().isMySql()) {
            return Optional.empty();
        }
        return block.groupingKeys().stream()
                        .anyMatch(key -> block.made(key, QuotientKey::divides)
                                && !block.words(key).isCallOf(FunctionFacts::rounds))
                ? Optional.of(new Refusal(Reason.KEY_TYPE, "a quotient or remainder is a grouping key"))
                : Optional.empty();
    }

    private static boolean divides(FunctionFacts known) {
        return known.divides() == DivisionKind.QUOTIENT || known.divides() == DivisionKind.REMAINDER;
    }
}

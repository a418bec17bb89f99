package io.fanfold.plan.rule;

import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import java.util.Optional;

/**
 * Refuses on MariaDB to compute with merged quotients. MariaDB 10.11 passes a quotient on with at least nine digits, even
 * if it shows fewer: for n = 1, {@code MIN(n / 7) * 7} is 1.0000, but 0.1429 * 7 is 1.0003. The expression around a
 * subquery computes with its value; a derived table has the shown digits.
 *
 * <pre>
 * SELECT MIN(n / 7) * 7 FROM t                refused
 * SELECT MIN(n / 7) FROM t                    split
 * </pre>
 *
 * <p>Test: {@code HiddenPrecisionIT.quotients}.
 */
final class QuotientOperand implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        if (block.flavor().isMySql()) {
            return Optional.empty();
        }
        return block.templates().stream()
                        .filter(template -> block.operand()
                                || !template.bare() && block.sortedBy(template).isEmpty())
                        .flatMap(block::sources)
                        .anyMatch(source -> block.made(source, known -> known.divides() == DivisionKind.QUOTIENT))
                ? Optional.of(new Refusal(Reason.ARGUMENT_TYPE, "a quotient is computed with after the merge"))
                : Optional.empty();
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.FunctionFacts.ChoiceWidth;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import java.util.Optional;

/**
 * Refuses to divide merged values that may have fewer digits than their type. Both servers compute more digits of a
 * quotient if the dividend has more (MySQL 9.7, MariaDB 10.11): for an integer 11, {@code IFNULL(b, 11) / 7} has nine
 * digits, but 11.0000000000 / 7 has eighteen.
 *
 * <pre>
 * SELECT SUM(IFNULL(fine, b)) / 7 FROM t       refused
 * SELECT SUM(fine) / 7 FROM t                  split
 * </pre>
 *
 * <p>Test: {@code HiddenPrecisionIT.shortDividends}.
 */
final class ShortDividend implements TypeRule {
    @Override
    public Optional<Refusal> check(TypedBlock block) {
        return block.templates().stream()
                        .filter(template -> block.operand()
                                || block.words(template).contains(known -> known.divides() == DivisionKind.QUOTIENT))
                        .flatMap(block::sources)
                        .anyMatch(source -> block.mayBeShort(source)
                                && block.made(source, known -> known.chooses() == ChoiceWidth.SEVERAL))
                ? Optional.of(new Refusal(
                        Reason.ARGUMENT_TYPE, "what may have fewer digits than its type is divided after the merge"))
                : Optional.empty();
    }
}

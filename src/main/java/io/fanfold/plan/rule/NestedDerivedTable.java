package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.Optional;

/**
 * Refuses on MySQL answers out of a temporary table over a derived table that is merged and is over one that is not:
 * which types MySQL 9.7 then sends was not measured.
 *
 * <pre>
 * SELECT DISTINCT z.n + 1 FROM (SELECT x.n FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) x) z       refused
 * SELECT DISTINCT x.n + 1 FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) x                           split
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class NestedDerivedTable implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.outOfFields()
                .filter(model -> answer.flavor().isMySql()
                        && !model.mergesDerived()
                        && model.derived().stream()
                                .flatMap(derived -> derived.block().stream())
                                .anyMatch(block ->
                                        block.plain() && !block.derived().isEmpty()))
                .map(model -> new Refusal(Reason.PLAN_TYPES, "a derived table over a derived table"));
    }
}

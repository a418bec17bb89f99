package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.Optional;

/**
 * Refuses a computed decimal of the maximum precision, if it may come from a temporary table: it has more digits
 * outside of one. The plan decides whether joined rows are sorted in one. Windows over groups are computed in one, by
 * the server or by the final query.
 *
 * <pre>
 * SELECT IFNULL(t.num, d.num) FROM t JOIN d ON t.c = d.k ORDER BY t.c
 * SELECT MAX(num) * 100.0, COUNT(*) OVER w FROM t GROUP BY a WINDOW w AS (ORDER BY a)
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class FullDecimal implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return (answer.sortsJoin() || answer.windowsOverGroups())
                        && answer.columns().stream().anyMatch(column -> column.fullDecimal() && column.computed())
                ? Optional.of(new Refusal(Reason.PLAN_TYPES, "a computed decimal with all the digits there are"))
                : Optional.empty();
    }
}

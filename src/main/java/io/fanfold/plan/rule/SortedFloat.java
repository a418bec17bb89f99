package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.Optional;

/**
 * Refuses on MariaDB a computed floating-point number of a fixed number of decimals, such as FLOOR's, in a sorted join.
 * The plan decides whether the rows are sorted in a temporary table, which cuts the number to its length.
 *
 * <pre>
 * SELECT FLOOR(t.dbl) FROM t JOIN d ON t.c = d.k ORDER BY t.c
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}.
 */
final class SortedFloat implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.columns().stream()
                .filter(column -> answer.flavor().isMariaDb()
                        && answer.sortsJoin()
                        && column.computed()
                        && column.type().isFloatingPoint()
                        && column.digitsFixed())
                .findFirst()
                .map(column -> new Refusal(Reason.PLAN_TYPES, "the computed floating-point number " + column.name()));
    }
}

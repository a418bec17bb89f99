package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.plan.PreparedAnswer.AnswerItem;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.FunctionFacts.ChoiceWidth;
import io.fanfold.sql.SelectModel;
import java.util.Optional;

/**
 * Refuses on MySQL a decimal chosen among numbers of fewer decimals, beside windows over groups. MySQL 9.7.4 shows it
 * with the decimals of the chosen number, but from a temporary table with those of all of them.
 *
 * <pre>
 * SELECT IF(a, MAX(num), a), COUNT(*) OVER (ORDER BY a) FROM t GROUP BY a
 * </pre>
 *
 * <p>Test: {@code AnswerRulesTest}, {@code split-one-server.sql}.
 */
final class ChosenDecimalBesideWindows implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        if (answer.flavor().isMariaDb() || !answer.windowsOverGroups()) {
            return Optional.empty();
        }
        SelectModel model = answer.select().orElseThrow();
        return answer.items()
                .filter(item -> chosen(model, item))
                .findFirst()
                .map(item -> new Refusal(
                        Reason.PLAN_TYPES,
                        "a decimal that is chosen, " + item.column().name()));
    }

    private static boolean chosen(SelectModel model, AnswerItem item) {
        return item.column().decimal()
                && !item.expr().aggregates().isEmpty()
                && model.words(item.expr().outer()).contains(known -> known.chooses() != ChoiceWidth.NONE);
    }
}

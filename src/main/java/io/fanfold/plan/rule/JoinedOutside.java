package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalStatement;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.AggregateFunction;
import java.util.Optional;

/**
 * Refuses text that joins the values of a merged block: the order of its rows is not fixed.
 *
 * <pre>
 * SELECT GROUP_CONCAT(x.n) FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) x                         refused
 * SELECT /&#42;+ APPROXIMATE *&#47; GROUP_CONCAT(x.n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) x       split
 * </pre>
 *
 * <p>Test: {@code RestRulesTest}.
 */
final class JoinedOutside implements RestRule {
    @Override
    public Optional<Refusal> check(LogicalStatement statement) {
        return !statement.approximate()
                        && statement.wordsAround().contains(known -> known.isAggregate(AggregateFunction::joins))
                ? Optional.of(new Refusal(Reason.AGGREGATE, "values of a merged block are joined in any order"))
                : Optional.empty();
    }
}

package io.fanfold.plan.rule;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * Refuses on MariaDB what compares groups with a subquery as a set. MariaDB 10.11 was seen to find no group at all if
 * {@code COUNT(*) NOT IN (SELECT ...)} is true for each.
 *
 * <pre>
 * SELECT a FROM t GROUP BY a HAVING COUNT(*) NOT IN (SELECT k FROM d)
 * </pre>
 *
 * <p>Test: {@code golden.txt}.
 */
final class SetComparisonOverGroups implements TextRule {
    @Override
    public Optional<Refusal> check(SelectModel model, ServerFlavor flavor) {
        return flavor.isMariaDb() && model.comparesSets()
                ? Optional.of(new Refusal(Reason.SUBQUERY, "compared as a set with what is made of groups"))
                : Optional.empty();
    }
}

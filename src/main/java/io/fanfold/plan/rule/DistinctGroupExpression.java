package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.Template;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * Refuses on MariaDB DISTINCT over expressions of groups. MariaDB 10.11 was seen to drop rows that differ.
 *
 * <pre>
 * SELECT DISTINCT COUNT(*) + 1 FROM t GROUP BY a
 * </pre>
 *
 * <p>Test: {@code split-one-server.sql}.
 */
final class DistinctGroupExpression implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        return block.flavor().isMariaDb()
                        && block.shape().distinctRows()
                        && !block.shape().items().stream().allMatch(Template::mergedColumn)
                ? Optional.of(new Refusal(Reason.UNSUPPORTED_SYNTAX, "DISTINCT over expressions of groups"))
                : Optional.empty();
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * Refuses on MySQL DISTINCT beside HAVING. MySQL 9.7 applies HAVING after DISTINCT, and loses groups for which HAVING is
 * true.
 *
 * <pre>
 * SELECT DISTINCT a FROM t GROUP BY a, b HAVING COUNT(*) > 1
 * </pre>
 *
 * <p>Test: {@code split-one-server.sql}.
 */
final class DistinctBesideHaving implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        return block.flavor().isMySql()
                        && block.shape().distinctRows()
                        && block.shape().having().isPresent()
                ? Optional.of(new Refusal(Reason.UNSUPPORTED_SYNTAX, "DISTINCT beside HAVING"))
                : Optional.empty();
    }
}

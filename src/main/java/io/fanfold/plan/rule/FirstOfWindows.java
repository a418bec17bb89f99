package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * Refuses on MariaDB LIMIT with window functions in a block inside a statement. Which groups are first depends on the plan
 * of MariaDB 10.11.
 *
 * <pre>
 * SELECT MAX(x.r) FROM (SELECT a, RANK() OVER (ORDER BY a DESC) AS r FROM t GROUP BY a LIMIT 2) x
 * </pre>
 *
 * <p>Test: {@code split-one-server.sql}.
 */
final class FirstOfWindows implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        boolean limited = block.placement().isPresent() && block.model().limit().isPresent();
        return block.flavor().isMariaDb()
                        && limited
                        && block.shape().grouped()
                        && block.model().windowed()
                ? Optional.of(new Refusal(Reason.WINDOW, "the first groups beside window functions in a statement"))
                : Optional.empty();
    }
}

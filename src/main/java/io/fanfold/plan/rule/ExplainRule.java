package io.fanfold.plan.rule;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;

/**
 * A reason not to split a block that its EXPLAIN shows. Stateless.
 */
public interface ExplainRule {
    /**
     * Checks the plan.
     *
     * @param columns the columns that the block shows, or those that it sorts by
     */
    Optional<Refusal> check(
            LogicalPlan block, List<Column> columns, List<ExplainedTable> explained, ServerFlavor flavor);
}

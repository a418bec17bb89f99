package io.fanfold.plan.rule;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;

/**
 * Refuses on MySQL dates in joined rows that are sorted in a temporary table. There the modes against zero dates turn
 * {@code 2004-02-00} into {@code 0000-00-00}, with a warning. The plan decides whether there is such a table, and it
 * may differ between partitions (MySQL 9.7).
 *
 * <pre>
 * SELECT t.day FROM t JOIN d ON t.c = d.k ORDER BY d.w       refused with "Using temporary"
 * SELECT t.day FROM t ORDER BY t.a                           split
 * </pre>
 *
 * <p>Test: {@code ExplainRulesTest}.
 */
final class SortedDates implements ExplainRule {
    @Override
    public Optional<Refusal> check(
            LogicalPlan block, List<Column> columns, List<ExplainedTable> explained, ServerFlavor flavor) {
        return flavor.isMySql() && explained.stream().anyMatch(ExplainedTable::temporary) && block.sortsDates(columns)
                ? Optional.of(new Refusal(Reason.PLAN_TYPES, "dates are sorted in a temporary table"))
                : Optional.empty();
    }
}

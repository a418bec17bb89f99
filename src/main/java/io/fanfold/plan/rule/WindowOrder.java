package io.fanfold.plan.rule;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.SelectModel;
import java.util.List;
import java.util.Optional;

/**
 * Refuses on MariaDB sorted groups with window functions. If an index returns the groups in the order of ORDER BY, 10.11
 * does not sort them again, although the window functions have reordered them. Its answer then has the order of the
 * last window, and under LIMIT other rows. No split answer would have that order. The same happens if it sorts the rows
 * to group them because of a DISTINCT aggregate.
 *
 * <pre>
 * SELECT a, RANK() OVER (ORDER BY COUNT(*)) FROM t GROUP BY a ORDER BY a
 * </pre>
 *
 * <p>Test: {@code WindowOrderTest}.
 */
final class WindowOrder implements AnswerRule {
    @Override
    public Optional<Refusal> check(PreparedAnswer answer) {
        return answer.flavor().isMariaDb()
                        && answer.select()
                                .filter(model -> unsorted(model, answer.explained()))
                                .isPresent()
                ? Optional.of(new Refusal(Reason.WINDOW, "MariaDB does not sort the groups after window functions"))
                : Optional.empty();
    }

    private static boolean unsorted(SelectModel model, List<ExplainedTable> explained) {
        boolean groups = model.windowed() && (!model.groupBy().isEmpty() || model.distinct());
        boolean sorts = explained.stream()
                .anyMatch(table -> table.select() == 1 && table.extra().contains("Using filesort"));
        boolean grouped = model.items().stream()
                .flatMap(item -> item.expr().aggregates().stream())
                .anyMatch(AggregateCall::distinct);
        return groups && !model.orderBy().isEmpty() && (grouped || !sorts);
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.LogicalAggregate;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SqlWords;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;

/**
 * Refuses on MariaDB remainders in the final query and in sorted joins. MariaDB 10.11 shows a remainder of zero with or
 * without a sign, depending on its plan. WITH ROLLUP, the final query computes MIN and MAX of merged values once more.
 *
 * <pre>
 * SELECT a, MAX(num) % 7 FROM t GROUP BY a                     refused
 * SELECT a, MIN(num % 2) FROM t GROUP BY a WITH ROLLUP         refused
 * SELECT num % 3, t.a FROM t JOIN d ON t.c = d.k ORDER BY t.b  refused
 * SELECT a, CONCAT(AVG(num), '%') FROM t GROUP BY a            split
 * </pre>
 *
 * <p>Test: {@code split-one-server.sql}.
 */
final class SignOfZero implements TextRule, FinalQueryRule {
    static final String DETAIL = "MariaDB shows a remainder of zero with or without a sign";

    @Override
    public Optional<Refusal> check(SelectModel model, ServerFlavor flavor) {
        boolean sortedJoin = model.plainRows()
                && !model.orderBy().isEmpty()
                && model.tables().size() > 1;
        return flavor.isMariaDb()
                        && sortedJoin
                        && model.items().stream().anyMatch(item -> remains(model.words(item.span())))
                ? Optional.of(new Refusal(Reason.ARGUMENT_TYPE, DETAIL))
                : Optional.empty();
    }

    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        if (block.flavor().isMySql()) {
            return Optional.empty();
        }
        boolean again = block.shape().rollup()
                && block.shape().aggregates().stream()
                        .anyMatch(aggregate -> aggregate instanceof LogicalAggregate.LogicalMinMax minMax
                                && remains(block.words(minMax.argument())));
        return again || block.templates().stream().anyMatch(template -> remains(block.words(template)))
                ? Optional.of(new Refusal(Reason.ARGUMENT_TYPE, DETAIL))
                : Optional.empty();
    }

    private static boolean remains(SqlWords words) {
        return words.contains(known -> known.divides() == DivisionKind.REMAINDER);
    }
}

package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.Template;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.Expr;
import io.fanfold.sql.FunctionFacts;
import io.fanfold.sql.FunctionFacts.CallForm;
import io.fanfold.sql.FunctionFacts.ChoiceWidth;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SqlWords;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Refuses on MySQL expressions that choose between decimals of keys. MySQL 9.7 computes them before it groups and shows as
 * many digits as the type has; the final query shows the digits of the chosen value. Aggregates of materialized rows are
 * computed at the same place in both.
 *
 * <pre>
 * SELECT IF(a > 3, num, 1), COUNT(*) FROM t GROUP BY a, num                         refused
 * SELECT IF(a > 3, CAST(a AS DECIMAL(5,2)), 1), COUNT(*) FROM t GROUP BY a          refused
 * SELECT IF(a > 3, a, 1), COUNT(*) FROM t GROUP BY a                                split
 * </pre>
 *
 * <p>Test: {@code split-one-server.sql}.
 */
final class ChosenDecimals implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        if (block.flavor().isMariaDb() || !block.shape().grouped()) {
            return Optional.empty();
        }
        return IntStream.range(0, block.shape().items().size()).anyMatch(item -> choosesDecimals(block, item))
                ? Optional.of(new Refusal(
                        Reason.ARGUMENT_TYPE, "a choice of decimals over keys, which has other digits there"))
                : Optional.empty();
    }

    private static boolean choosesDecimals(TypedBlock block, int number) {
        Template item = block.shape().items().get(number);
        SqlWords words = block.words(item);
        return item.ofKeys()
                && words.contains(known -> known.chooses() == ChoiceWidth.SEVERAL)
                && !words.contains(known -> known.isAggregate(AggregateFunction::joins))
                && (words.mayYieldDecimals()
                        || block.keysOf(item).anyMatch(Column::decimal)
                        || computed(block, item, block.typeOfItem(number)));
    }

    /** Whether an item is a decimal, or a text that may be made of one. */
    private static boolean computed(TypedBlock block, Template item, Optional<Column> type) {
        SqlWords words = block.words(item);
        boolean fractions = block.keysOf(item).anyMatch(key -> key.type().isTemporal() && key.decimals() > 0);
        boolean made = words.contains(FunctionFacts::converts) || fractions && words.contains(FunctionFacts::parses);
        return type.map(column -> column.decimal() || made && column.type().isString())
                .orElse(made);
    }

    @Override
    public boolean needsType(SelectModel model, Expr item, ServerFlavor flavor) {
        SqlWords words = model.words(item.outer());
        return flavor.isMySql()
                && item.aggregates().isEmpty()
                && item.windows().isEmpty()
                && words.contains(known -> known.chooses() == ChoiceWidth.SEVERAL)
                && !words.containsSubquery()
                // the typing query has no ROLLUP
                && !words.contains(known -> known.form() == CallForm.ROLLUP);
    }
}

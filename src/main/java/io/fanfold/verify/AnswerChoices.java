package io.fanfold.verify;

import io.fanfold.plan.LogicalStatement;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.Expr.ExprKind;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.StatementModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What SQL leaves open in the answer to a statement. Only these differences between two answers are allowed:
 *
 * <ul>
 *   <li>the order of rows that are equal in ORDER BY, and of all rows without ORDER BY
 *   <li>which rows a LIMIT leaves, if rows are equal in the order
 *   <li>which of several equal strings a group, a DISTINCT, MIN or MAX shows
 *   <li>in the same places, whether a DOUBLE zero is 0 or -0, and whether a YEAR zero is 0 or 0000
 *   <li>the results of window functions over rows that are equal in their order
 *   <li>approximate aggregates, if the user allows them
 * </ul>
 *
 * @param columns the rule of each result column
 * @param ordered whether the statement orders its rows
 * @param limited whether it has a LIMIT
 * @param tied whether it has window functions whose result depends on the order of equal rows
 * @param whole the statement if it was split as one block, and not only blocks inside it
 */
public record AnswerChoices(
        List<ColumnRule> columns, boolean ordered, boolean limited, boolean tied, Optional<SelectModel> whole) {
    private static final Pattern LIMIT = Pattern.compile("(?i)\\blimit\\b");

    /** Window functions that give equal rows equal results. */
    private static final Set<String> UNTIED = Set.of("RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST");

    public AnswerChoices {
        columns = List.copyOf(columns);
    }

    /**
     * Returns what a statement leaves open.
     *
     * @param answer its result columns
     */
    public static AnswerChoices of(LogicalStatement logical, List<Column> answer) {
        Optional<SelectModel> select = logical.statement().select();
        Optional<SelectModel> whole = logical.embedded() ? Optional.empty() : select;
        boolean approximate =
                logical.blocks().stream().anyMatch(block -> block.model().approximate());
        List<ColumnRule> columns = new ArrayList<>();
        for (int i = 0; i < answer.size(); i++) {
            columns.add(rule(whole, i, answer, approximate));
        }
        return new AnswerChoices(
                columns,
                select.map(model -> !model.orderBy().isEmpty()).orElse(false),
                select.map(model -> model.limit().isPresent())
                        .orElseGet(
                                () -> LIMIT.matcher(logical.statement().sql()).find()),
                tied(logical),
                whole);
    }

    private static boolean tied(LogicalStatement logical) {
        return Stream.concat(
                        logical.statement().select().stream(),
                        logical.statement().parts().stream().map(StatementModel.StatementBlock::block))
                .anyMatch(model -> Stream.concat(
                                model.items().stream().map(SelectModel.SelectItem::expr),
                                model.orderBy().stream().map(SelectModel.OrderItem::expr))
                        .flatMap(expr -> expr.windows().stream())
                        .anyMatch(window -> !UNTIED.contains(window.function())));
    }

    private static ColumnRule rule(Optional<SelectModel> whole, int number, List<Column> answer, boolean approximate) {
        Column column = answer.get(number);
        if (whole.map(SelectModel::plainRows).orElse(false)) {
            return ColumnRule.EXACT;
        }
        boolean item = whole.isPresent() && whole.get().items().size() == answer.size();
        ExprKind kind = item ? whole.orElseThrow().items().get(number).expr().kind() : ExprKind.OTHER;
        boolean floating = column.type() == ColumnType.DOUBLE || column.type() == ColumnType.FLOAT;
        if (approximate && kind != ExprKind.COLUMN && !column.type().isInteger()) {
            return ColumnRule.LEFT_OUT;
        }
        if (column.type().isString() && !column.binaryString() && !column.enumOrSet()) {
            return ColumnRule.CHOSEN;
        }
        if (item && kind == ExprKind.OTHER) {
            // the expression may compute with a chosen value, as LENGTH does
            return ColumnRule.CHOSEN;
        }
        return floating || column.type() == ColumnType.YEAR ? ColumnRule.ZERO : ColumnRule.EXACT;
    }

    boolean chosen() {
        return columns.contains(ColumnRule.CHOSEN);
    }
}

package io.fanfold.plan;

import io.fanfold.row.Column;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What rules ask about a statement that the server has prepared and explained. Immutable.
 *
 * @param select the statement, if it is one block; empty for a set operation
 * @param embedded whether split blocks are inside the statement
 * @param sumsOutside whether there are sums outside of the split blocks, see {@link LogicalStatement#sumsOutside}
 * @param columns the column definitions of PREPARE
 * @param explained the server's plan for the statement; empty if unknown
 */
public record PreparedAnswer(
        Optional<SelectModel> select,
        boolean embedded,
        boolean sumsOutside,
        List<Column> columns,
        List<ExplainedTable> explained,
        ServerFlavor flavor) {
    public PreparedAnswer {
        columns = List.copyOf(columns);
        explained = List.copyOf(explained);
    }

    /** Returns the answer of a planned statement. */
    public static PreparedAnswer of(
            LogicalStatement logical, List<Column> columns, List<ExplainedTable> explained, ServerFlavor flavor) {
        return new PreparedAnswer(
                logical.statement().select(), logical.embedded(), logical.sumsOutside(), columns, explained, flavor);
    }

    /** An expression of the select list, and its column. */
    public record AnswerItem(Expr expr, Column column) {}

    /** Returns the select list; none if a star in it hides which column is which, or if there are several blocks. */
    public Stream<AnswerItem> items() {
        List<SelectModel.SelectItem> items = select.map(SelectModel::items).orElse(List.of());
        return items.size() == columns.size()
                ? IntStream.range(0, items.size())
                        .mapToObj(i -> new AnswerItem(items.get(i).expr(), columns.get(i)))
                : Stream.empty();
    }

    /**
     * Returns the statement if its answer may come from the fields of a temporary table on MySQL, and its select list tells
     * which column is which. Window functions over rows always use such a table, though the plan does not show it.
     * Neither does a plan for ROLLUP over a join, or in some cases for window functions over groups.
     */
    public Optional<SelectModel> outOfFields() {
        boolean shown =
                explained.isEmpty() || explained.stream().anyMatch(table -> table.select() == 1 && table.temporary());
        return select.filter(model -> model.items().size() == columns.size())
                .filter(model -> shown
                        || model.windowed()
                        || model.rollup() && model.tables().size() > 1);
    }

    /** Whether some plans keep joined rows in a temporary table to sort them. */
    public boolean sortsJoin() {
        return select.filter(model -> !model.aggregated()
                        && model.groupBy().isEmpty()
                        && !model.orderBy().isEmpty()
                        && model.tables().size() > 1)
                .isPresent();
    }

    /** Whether there are window functions over groups, which need a temporary table. */
    public boolean windowsOverGroups() {
        return select.filter(model -> model.windowed()
                        && (model.aggregated() || !model.groupBy().isEmpty()))
                .isPresent();
    }
}

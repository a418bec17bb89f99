package io.fanfold.plan;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;

/**
 * The columns of rows that are materialized for the final query: the grouping keys, then every column that an aggregate
 * or window function reads. The functions themselves are kept, over those columns.
 *
 * <pre>
 * SELECT g, GROUP_CONCAT(a + 1 ORDER BY a + 1) FROM t WHERE b = 3 GROUP BY g
 *   partition query   SELECT g, a FROM t PARTITION (p) WHERE b = 3
 *   final query       SELECT c0, GROUP_CONCAT(c1 + 1 ORDER BY c1 + 1) FROM materialized GROUP BY c0
 * </pre>
 *
 * <p>For one block, one thread.
 */
final class MaterializedColumns {
    private final SelectModel model;
    private final ServerFlavor flavor;
    private final Inputs inputs;
    private final GroupingKeys keys;
    private final List<Integer> further = new ArrayList<>();
    private final List<Integer> sums = new ArrayList<>();
    private final List<Integer> alike = new ArrayList<>();
    private final List<Integer> json = new ArrayList<>();
    private final List<Integer> jsonColumns = new ArrayList<>();

    /**
     * @param keys the grouping keys; complete before any other method is called
     */
    MaterializedColumns(SelectModel model, ServerFlavor flavor, Inputs inputs, GroupingKeys keys) {
        this.model = model;
        this.flavor = flavor;
        this.inputs = inputs;
        this.keys = keys;
    }

    /** Returns the reference to a column of the rows. */
    Template.KeyRef column(ColumnRef column) {
        int input = inputs.value(column.span().of(model.sql()));
        if (!keys.inputs().contains(input) && !further.contains(input)) {
            further.add(input);
        }
        return new Template.KeyRef(columns().indexOf(input));
    }

    /** Returns the call of an aggregate over materialized columns. */
    List<Template.Piece> call(AggregateCall call, Expr expr) throws RefusedException {
        requireOneAnswer(call, expr);
        Splice splice = new Splice(model.sql());
        for (ColumnRef column : expr.columns()) {
            if (call.span().contains(column.span())) {
                Template.KeyRef carried = column(column);
                splice.replace(column.span(), List.of(carried));
                if (call.function().json()) {
                    jsonColumns.add(columns().get(carried.key()));
                }
            }
        }
        return splice.pieces(call.span());
    }

    /** Refuses results that depend on the order of the rows, unless that is allowed. */
    private void requireOneAnswer(AggregateCall call, Expr expr) throws RefusedException {
        AggregateFunction function = call.function();
        if (function == AggregateFunction.AVG
                && flavor.isMySql()
                && !model.groupBy().isEmpty()
                && !AverageQuotient.isExact(expr.enclosing(call), ServerFlavor.MYSQL)) {
            // from a temporary table it has other hidden digits than from an index
            throw new RefusedException(Reason.AVG_IN_EXPRESSION, call.span().of(model.sql()));
        }
        boolean total = !call.sortedBy().isEmpty() && call.sortedBy().containsAll(call.argumentTokens());
        if (!function.exact() && !model.approximate() && !total) {
            throw new RefusedException(
                    function.joins() ? Reason.AGGREGATE : Reason.APPROXIMATE,
                    call.span().of(model.sql()));
        }
        for (int i = 0; i < call.arguments().size(); i++) {
            int input = inputs.type(call.arguments().get(i).outer().of(model.sql()));
            if (function.sums()) {
                sums.add(input);
            } else if (function.json()) {
                json.add(input);
            }
            if (total && !model.approximate()) {
                alike.add(input);
            }
        }
    }

    /** Returns all columns of a materialized row, as numbers of inputs; at least one. */
    List<Integer> columns() {
        List<Integer> columns = new ArrayList<>(keys.inputs());
        columns.addAll(further);
        if (columns.isEmpty()) {
            columns.add(inputs.value("1"));
        }
        return columns;
    }

    /** Returns the type-only inputs of the summed expressions. */
    List<Integer> sums() {
        return sums;
    }

    /**
     * Refuses joined texts if the server needs a temporary table for the groups, because the declared length of the
     * texts depends on that.
     */
    void requireNoTemporaryTable(List<Expr> items, List<Template> orderBy) throws RefusedException {
        boolean joins = items.stream()
                .flatMap(item -> item.aggregates().stream())
                .anyMatch(call -> call.function().joins());
        boolean byKeys = orderBy.stream()
                .allMatch(order -> FinalQueryUse.column(order)
                        .filter(by -> by instanceof Template.KeyRef key
                                && key.key() < keys.list().size())
                        .isPresent());
        if (joins && (!byKeys || model.distinct() || model.windowed())) {
            throw new RefusedException(Reason.AGGREGATE, "joined texts that are sorted by more than keys");
        }
    }

    LogicalAggregation.MaterializedRows logical() {
        return new LogicalAggregation.MaterializedRows(keys.list().size(), alike, json, jsonColumns);
    }
}

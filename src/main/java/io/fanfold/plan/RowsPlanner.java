package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.plan.LogicalAggregation.LocalGroups;
import io.fanfold.plan.LogicalPlan.PlainRows;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Completes plans whose partition queries return rows of the answer, to be merged in an order or concatenated: plain
 * rows and partition-local groups. For one plan, one thread.
 */
final class RowsPlanner {
    /** The maximum number of first rows that each worker keeps in memory. Beyond it, sorted streams are merged. */
    private static final long MOST_TOP_ROWS = 20_000;

    private final LogicalPlan logical;
    private final SelectModel model;
    private final TypeBinding types;
    private final int visibleColumns;
    private final PartitionQuery query;

    /**
     * @param visibleColumns the number of columns of the statement's answer
     */
    RowsPlanner(LogicalPlan logical, TypeBinding types, int visibleColumns) {
        this.logical = logical;
        this.model = logical.model();
        this.types = types;
        this.visibleColumns = visibleColumns;
        this.query = new PartitionQuery(logical, types);
    }

    FanOutPlan plainRows(PlainRows shape) throws RefusedException {
        PartialRow row = PartialRow.ofSelectList(
                logical,
                types,
                visibleColumns,
                input -> !logical.inputs().get(input).typeOnly());
        List<SortKey> keys = new ArrayList<>();
        for (int i = 0; i < shape.sortInputs().size(); i++) {
            keys.add(row.key(shape.sortInputs().get(i), model.orderBy().get(i).descending()));
        }
        boolean certain =
                new WarningFreeRows(types).certain(shape, model.tables().size() > 1);
        return sortedRuns(row, "", keys, certain);
    }

    /** Plans partition-local groups if they are proven correct; empty if groups have to be merged from parts. */
    Optional<FanOutPlan> localGroups(LogicalAggregation shape) throws RefusedException {
        if (shape.whole().isEmpty()) {
            return Optional.empty();
        }
        LocalGroups whole = shape.whole().get();
        if (!proven(shape, whole)) {
            if (whole.onlyLocal().isPresent()) {
                throw new RefusedException(
                        whole.onlyLocal().get().reason(),
                        whole.onlyLocal().get().detail());
            }
            return Optional.empty();
        }
        PartialRow row = PartialRow.ofSelectList(logical, types, visibleColumns, whole.sortInputs()::contains);
        List<SortKey> keys = new ArrayList<>();
        for (int i = 0; i < whole.sortInputs().size(); i++) {
            keys.add(row.key(whole.sortInputs().get(i), whole.descending().get(i)));
        }
        StringBuilder rest = new StringBuilder(model.groupBy().stream()
                .map(key -> key.outer().of(model.sql()))
                .collect(Collectors.joining(", ", " GROUP BY ", "")));
        model.having()
                .ifPresent(
                        having -> rest.append(" HAVING ").append(having.outer().of(model.sql())));
        if (model.orderBy().isEmpty() && !whole.sortInputs().isEmpty()) {
            // by position, because a name might mean an alias
            rest.append(whole.sortInputs().stream()
                    .map(input -> Integer.toString(row.column(input) + 1))
                    .collect(Collectors.joining(", ", " ORDER BY ", "")));
        }
        return Optional.of(sortedRuns(row, rest.toString(), keys, false));
    }

    /** Whether each group has all its rows in one partition and is shown in only one way, whatever the plan. */
    private boolean proven(LogicalAggregation shape, LocalGroups whole) throws RefusedException {
        boolean apart = !whole.columns().isEmpty()
                && whole.columns().stream().allMatch(column -> types.decidesPartition(column, whole.partitioning()));
        boolean alike = true;
        for (int key : shape.keys()) {
            alike &= types.hasOneText(key);
        }
        return apart && alike && logical.placement().isEmpty();
    }

    /**
     * Plans partition queries whose rows are merged in an order or concatenated.
     *
     * @param rest the text after their condition, without ORDER BY and LIMIT
     */
    private FanOutPlan sortedRuns(PartialRow row, String rest, List<SortKey> keys, boolean certain)
            throws RefusedException {
        long offset = model.limit().map(SelectModel.Limit::offset).orElse(0L);
        long count = model.limit().map(SelectModel.Limit::count).orElse(Long.MAX_VALUE);
        long wanted = model.limit().isEmpty() ? Long.MAX_VALUE : offset + count;
        if (wanted < 0) {
            throw new RefusedException(Reason.NO_SHAPE, "offset and limit are over 2^63");
        }
        MergeNode merge = wanted <= MOST_TOP_ROWS
                ? new MergeNode.TopRows(keys, offset, count, visibleColumns)
                : new MergeNode.Streamed(keys, offset, count, visibleColumns, certain);
        String limit = model.limit().isEmpty() ? "" : " LIMIT " + wanted;
        return query.plan(row.selectList(), rest + order() + limit, merge, new Completion.AsIs());
    }

    private String order() {
        return model.orderBy().isEmpty()
                ? ""
                : model.orderBy().stream()
                        .map(item -> item.span().of(model.sql()))
                        .collect(Collectors.joining(", ", " ORDER BY ", ""));
    }
}

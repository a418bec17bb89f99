package io.fanfold.plan;

import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.GroupingKeys.GroupingKey;
import io.fanfold.plan.LogicalAggregation.LocalGroups;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.OrderItem;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides from the text whether all rows of a group are in one partition: all partitioning columns are grouping keys.
 * The server then computes each group as a whole.
 *
 * @param partitioning the partitioning of the table to split, if it is known
 * @param onlyLocal why the groups cannot be merged from parts, if only partition-local groups are wanted
 * @param groups the block's keys
 */
record LocalGroupsRule(
        SelectModel model,
        ServerFlavor flavor,
        Optional<Partitioning> partitioning,
        Optional<Refusal> onlyLocal,
        GroupingKeys groups,
        Inputs inputs,
        ItemNames names) {

    /**
     * Returns how to read partition-local groups, if the grouping determines the partition. ROLLUP is excluded, because
     * its rows combine several groups.
     */
    Optional<LocalGroups> of(TableRef split) throws RefusedException {
        List<String> columns = partitioning.map(Partitioning::columns).orElse(List.of());
        if (columns.isEmpty()
                || split.place() != SelectModel.TablePlace.FROM
                || model.using()
                || model.distinct()
                || model.rollup()
                || model.windowed()
                || !model.shown().isEmpty()) {
            return Optional.empty();
        }
        List<GroupingKey> keys = groups.list();
        List<Integer> columnInputs = new ArrayList<>();
        for (String column : columns) {
            Optional<GroupingKey> key = keys.stream()
                    .filter(known -> isColumnOf(split, column, known.expr()))
                    .findFirst();
            if (key.isEmpty()) {
                return Optional.empty();
            }
            columnInputs.add(key.get().input());
        }
        List<Integer> sortInputs = new ArrayList<>();
        List<Boolean> descending = new ArrayList<>();
        for (OrderItem item : model.orderBy()) {
            Optional<Integer> input = sortInput(item.expr());
            if (input.isEmpty()) {
                return Optional.empty();
            }
            sortInputs.add(input.get());
            descending.add(item.descending());
        }
        if (model.orderBy().isEmpty() && flavor.isMariaDb()) {
            // MariaDB sorts groups by their keys without ORDER BY
            keys.forEach(key -> {
                sortInputs.add(key.input());
                descending.add(false);
            });
        }
        if (sortInputs.isEmpty() && model.limit().isPresent()) {
            return Optional.empty();
        }
        return Optional.of(
                new LocalGroups(partitioning.orElseThrow(), columnInputs, sortInputs, descending, onlyLocal));
    }

    private boolean isColumnOf(TableRef split, String name, Expr key) {
        if (key.kind() != Expr.ExprKind.COLUMN || !key.columns().get(0).name().equalsIgnoreCase(name)) {
            return false;
        }
        String qualifier = key.columns().get(0).qualifier();
        if (qualifier == null) {
            return model.derived().isEmpty()
                    && model.tables().stream()
                                    .filter(table -> table.place() == SelectModel.TablePlace.FROM)
                                    .count()
                            == 1;
        }
        return qualifier.equals(split.shownName());
    }

    /**
     * Returns the input that partition-local groups are sorted by: a key, or an aggregate that the server sorts by its
     * shown value.
     */
    private Optional<Integer> sortInput(Expr written) throws RefusedException {
        Expr expr = written;
        if (written.kind() == Expr.ExprKind.INTEGER) {
            expr = names.atPosition(written.outer().of(model.sql())).expr();
        } else if (names.aliased(written).isPresent()) {
            expr = model.items().get(names.aliased(written).get()).expr();
        }
        int key = groups.of(expr);
        if (key >= 0) {
            return Optional.of(groups.inputs().get(key));
        }
        boolean shown = expr.kind() == Expr.ExprKind.AGGREGATE
                && switch (expr.aggregates().get(0).function()) {
                    case COUNT, SUM, MIN, MAX -> true;
                    default -> false;
                };
        return shown ? Optional.of(inputs.type(expr.outer().of(model.sql()))) : Optional.empty();
    }
}

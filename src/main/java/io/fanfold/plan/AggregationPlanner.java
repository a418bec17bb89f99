package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.plan.LogicalAggregation.LocalDistinctValues;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.GroupOrder;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Completes plans of aggregations: groups that are merged from their parts, and rows that are materialized for the
 * final query to group. For one plan, one thread.
 */
final class AggregationPlanner {
    /**
     * Makes the server sort rows instead of keeping a temporary table of groups, as it does itself for DISTINCT
     * aggregates. There may be many distinct arguments, and a temporary table that outgrows its memory is several times
     * slower. An index that skips from group to group is still used.
     */
    private static final String MANY_GROUPS = "SQL_BIG_RESULT ";

    private final LogicalPlan logical;
    private final SelectModel model;
    private final LogicalAggregation shape;
    private final TypeBinding types;
    private final ServerFlavor flavor;
    private final PlanRules rules;

    /** How to sum DISTINCT aggregates, if that is proven. */
    private final Optional<LocalDistinctValues> localDistinct;

    private final PartialRow row;
    private final PartitionQuery query;

    AggregationPlanner(
            LogicalPlan logical, LogicalAggregation shape, TypeBinding types, ServerFlavor flavor, PlanRules rules) {
        this.rules = rules;
        this.logical = logical;
        this.model = logical.model();
        this.shape = shape;
        this.types = types;
        this.flavor = flavor;
        this.localDistinct = shape.localDistinct().filter(this::proven);
        this.row = PartialRow.ofInputs(logical, types, this::fetched);
        this.query = new PartitionQuery(logical, types);
    }

    /**
     * Whether the partitioning columns are integers of the split table, as the server reported. Integers that are equal
     * in one place are equal everywhere, unlike dates with zero parts in some modes.
     */
    private boolean proven(LocalDistinctValues values) {
        return values.columns().stream()
                .allMatch(column -> types.of(column.input()).type().isInteger() && types.is(column, logical.split()));
    }

    /**
     * Whether partition queries return an input. If DISTINCT aggregates are summed, they return these instead of their
     * arguments.
     */
    private boolean fetched(int input) {
        boolean added = localDistinct.isPresent()
                && shape.distinctArguments().contains(input)
                && !shape.keys().contains(input);
        return localDistinct.map(values -> values.whole().containsValue(input)).orElse(false)
                || !logical.inputs().get(input).typeOnly() && !added;
    }

    FanOutPlan complete() throws RefusedException {
        FinalQueryUse use =
                new FinalQueryUse(shape, sortedByKeys(), logical.placement().isPresent());
        TypedBlock block = new TypedBlock(logical, shape, use, types, flavor);
        RefusedException.throwIf(rules.ofTypes(block));
        return shape.materialized().isPresent()
                ? materialized(shape.materialized().get(), use, block)
                : merged(use, block);
    }

    // ---- groups merged from their parts

    private FanOutPlan merged(FinalQueryUse use, TypedBlock block) throws RefusedException {
        Optional<DirectGroups> direct = DirectGroups.of(logical, shape, types, flavor, sortedByKeys());
        List<GroupKey> keys = keys(direct, new DependentKeys(logical, shape, types).of(use, sortedByKeys()));
        Map<Integer, Integer> sortColumns = direct.isPresent() ? Map.of() : addSortColumns(use, keys);
        List<MergeFunction> functions = functions(direct);
        Optional<DirectGroups> portions = direct.isPresent()
                ? Optional.empty()
                : DirectGroups.inPortions(logical, shape, types, flavor, sortedByKeys());
        Completion completion = direct.isPresent()
                ? direct.get().completion()
                : new FinalQueryWriter(logical, use, types, block, rules)
                        .write(keys.size(), sortColumns, sortedByKeys(), portions.map(DirectGroups::portions));
        List<Integer> grouping = grouping();
        boolean sorts = !shape.distinctArguments().isEmpty()
                && localDistinct.isEmpty()
                && grouping.stream().allMatch(types::sortedWhole);
        return query.plan(
                (sorts ? MANY_GROUPS : "") + row.selectList(),
                groupBy(grouping),
                new MergeNode.Aggregate(
                        keys,
                        functions,
                        direct.or(() -> portions).map(DirectGroups::averages).orElse(List.of()),
                        !shape.grouped(),
                        direct.map(DirectGroups::order)
                                .or(() -> portions.map(groups -> groups.orderOfPortions(keys.size())))
                                .orElse(GroupOrder.NONE)),
                completion);
    }

    private List<MergeFunction> functions(Optional<DirectGroups> direct) throws RefusedException {
        List<MergeFunction> functions = new ArrayList<>();
        AggregatePlanner completer = new AggregatePlanner(row, types, shape.grouped());
        for (int number = 0; number < shape.aggregates().size(); number++) {
            LogicalAggregate aggregate = shape.aggregates().get(number);
            Integer whole = localDistinct
                    .map(LocalDistinctValues::whole)
                    .orElse(Map.of())
                    .get(number);
            MergeFunction completed =
                    whole != null ? completer.addedUp(aggregate, whole) : completer.complete(aggregate);
            functions.add(
                    direct.map(groups -> groups.function(aggregate, completed)).orElse(completed));
        }
        return functions;
    }

    /** @param dependent see {@link DependentKeys} */
    private List<GroupKey> keys(Optional<DirectGroups> direct, Set<Integer> dependent) throws RefusedException {
        List<GroupKey> keys = new ArrayList<>();
        for (int number = 0; number < shape.keys().size(); number++) {
            int input = shape.keys().get(number);
            if (!shape.distinctArguments().isEmpty()) {
                types.requireSortedWhole(input);
            }
            types.requireOneForm(input);
            if (dependent.contains(number) && types.compared(input).byWeight()) {
                keys.add(GroupKey.dependent(row.column(input)));
                continue;
            }
            SortKey compare = row.key(input, false);
            keys.add(new GroupKey(
                    row.column(input),
                    direct.map(groups -> groups.key(input, compare)).orElse(compare)));
        }
        return keys;
    }

    /**
     * Adds keys that are only sorted by: the exact forms of keys whose text sorts differently.
     *
     * @return for each such key, the number of the key to sort by
     */
    private Map<Integer, Integer> addSortColumns(FinalQueryUse use, List<GroupKey> keys) {
        Map<Integer, Integer> sortColumns = new HashMap<>();
        for (int key = 0; key < shape.keys().size(); key++) {
            boolean exact = types.exactForm(shape.keys().get(key)).isPresent();
            if (exact && use.sorted(new Template.KeyRef(key))) {
                SortKey compare = keys.get(key).compare().orElseThrow();
                sortColumns.put(key, keys.size());
                keys.add(new GroupKey(compare.column(), compare));
            }
        }
        return sortColumns;
    }

    /**
     * Returns the inputs that partition queries group by: the keys, and the arguments of DISTINCT aggregates unless
     * these are summed.
     */
    private List<Integer> grouping() {
        List<Integer> grouping = new ArrayList<>(shape.keys());
        if (localDistinct.isPresent()) {
            return grouping;
        }
        shape.distinctArguments().stream()
                .filter(input -> !grouping.contains(input))
                .forEach(grouping::add);
        return grouping;
    }

    private String groupBy(List<Integer> grouping) {
        // MariaDB would sort the groups of every partition needlessly
        return grouping.isEmpty()
                ? ""
                : grouping.stream()
                        .map(input -> Integer.toString(row.column(input) + 1))
                        .collect(Collectors.joining(", ", " GROUP BY ", " ORDER BY NULL"));
    }

    /** Whether the server itself sorts the groups by their keys. */
    private boolean sortedByKeys() {
        return flavor.isMariaDb()
                && shape.materialized().isEmpty()
                && shape.orderBy().isEmpty()
                && !model.groupBy().isEmpty()
                && !shape.distinctRows()
                && !shape.rollup();
    }

    // ---- materialized rows

    /** Plans rows that are returned unchanged, from which the final query makes the answer. */
    private FanOutPlan materialized(
            LogicalAggregation.MaterializedRows materialized, FinalQueryUse use, TypedBlock block)
            throws RefusedException {
        for (int input : materialized.alike()) {
            if (!types.hasOneText(input)) {
                throw new RefusedException(
                        Reason.AGGREGATE, types.of(input).name() + " has equal values that look different");
            }
        }
        for (int input : materialized.json()) {
            ColumnEncodings.requireJsonValue(types.of(input));
        }
        for (int input : materialized.jsonColumns()) {
            ColumnEncodings.requireJsonColumn(types.of(input), flavor);
        }
        for (int input : block.groupingKeys()) {
            types.requireOneForm(input);
        }
        Completion completion = new FinalQueryWriter(logical, use, types, block, rules)
                .write(shape.keys().size(), Map.of(), false, Optional.empty());
        return query.plan(
                row.selectList(), "", new MergeNode.Concatenate(shape.keys().size()), completion);
    }
}

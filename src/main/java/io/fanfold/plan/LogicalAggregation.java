package io.fanfold.plan;

import io.fanfold.catalog.Partitioning;
import io.fanfold.reason.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An aggregation, scalar or grouped.
 *
 * @param keys the inputs that are grouping keys; for materialized rows, all their columns
 * @param distinctArguments the inputs that are arguments of DISTINCT aggregates
 * @param aggregates the aggregate functions to merge
 * @param exactSums type-only inputs that the final query sums, which must be exact numbers
 * @param whole how to read partition-local groups, if each group lies in one partition
 * @param localDistinct how to sum DISTINCT aggregates, if none of their values is in two partitions
 * @param materialized how to materialize rows for the final query to group; empty if groups are merged here
 * @param grouped whether no input rows give no result rows, as with GROUP BY
 * @param rollup whether the final query groups once more, WITH ROLLUP
 * @param distinctRows whether SELECT DISTINCT applies to rows with aggregates, so that result rows may repeat
 * @param items the select list over merged columns, without aliases
 * @param having the HAVING condition over merged columns
 * @param orderBy the sort expressions over merged columns, with their direction
 */
public record LogicalAggregation(
        List<Integer> keys,
        List<Integer> distinctArguments,
        List<LogicalAggregate> aggregates,
        List<Integer> exactSums,
        Optional<LocalGroups> whole,
        Optional<LocalDistinctValues> localDistinct,
        Optional<MaterializedRows> materialized,
        boolean grouped,
        boolean rollup,
        boolean distinctRows,
        List<Template> items,
        Optional<Template> having,
        List<Template> orderBy)
        implements LogicalPlan.Shape {
    public LogicalAggregation {
        keys = List.copyOf(keys);
        distinctArguments = List.copyOf(distinctArguments);
        aggregates = List.copyOf(aggregates);
        exactSums = List.copyOf(exactSums);
        items = List.copyOf(items);
        orderBy = List.copyOf(orderBy);
    }

    /**
     * Returns how many of the first keys the final query groups by: the grouping keys of materialized rows, all
     * keys for ROLLUP, and 0 if the merged rows already are the groups.
     */
    public int grouping() {
        return materialized.map(MaterializedRows::grouping).orElse(rollup ? keys.size() : 0);
    }

    /**
     * Returns the input that a merged column is computed from, see {@link LogicalAggregate#source}; -1 if there is no
     * single one.
     */
    int source(Template.Ref ref) {
        if (ref instanceof Template.KeyRef key) {
            return keys.get(key.key());
        }
        return ref instanceof Template.AggregateRef aggregate
                ? aggregates.get(aggregate.aggregate()).source()
                : -1;
    }

    /** Returns all expressions over merged columns. */
    public List<Template> templates() {
        List<Template> all = new ArrayList<>(items);
        having.ifPresent(all::add);
        all.addAll(orderBy);
        return all;
    }

    /** Returns the partitioning that this plan assumes for the split table, empty if it assumes none. */
    Optional<Partitioning> assumed() {
        return whole.map(LocalGroups::partitioning).or(() -> localDistinct.map(LocalDistinctValues::partitioning));
    }

    /**
     * Returns this plan with groups merged from their parts. If the block allows only partition-local groups, it is
     * left with an unproven {@link LocalGroups}, which is refused later.
     */
    LogicalAggregation inParts() {
        Optional<LocalGroups> left =
                whole.filter(groups -> groups.onlyLocal().isPresent()).map(LocalGroups::unproven);
        return new LogicalAggregation(
                keys,
                distinctArguments,
                aggregates,
                exactSums,
                left,
                Optional.empty(),
                materialized,
                grouped,
                rollup,
                distinctRows,
                items,
                having,
                orderBy);
    }

    /**
     * DISTINCT aggregates that can be summed over the partitions, because none of their values is in two partitions.
     *
     * @param partitioning the assumed partitioning of the table
     * @param columns the inputs that are partitioning columns, with their names
     * @param whole maps the number of each such aggregate to the type-only input with the aggregate itself
     */
    public record LocalDistinctValues(
            Partitioning partitioning, List<PartitioningColumn> columns, Map<Integer, Integer> whole) {
        public LocalDistinctValues {
            columns = List.copyOf(columns);
            whole = Map.copyOf(whole);
        }
    }

    /**
     * Rows that partition queries return unchanged, because their aggregates or window functions have no merge rule.
     * The final query computes these functions over the materialized rows.
     *
     * @param grouping how many of the first keys the final query groups by; 0 if it does not group
     * @param alike type-only inputs whose equal values must have the same text, because the order of a list depends on
     *     them alone
     * @param json type-only inputs that become JSON values
     * @param jsonColumns the columns that those are computed from
     */
    public record MaterializedRows(int grouping, List<Integer> alike, List<Integer> json, List<Integer> jsonColumns) {
        public MaterializedRows {
            alike = List.copyOf(alike);
            json = List.copyOf(json);
            jsonColumns = List.copyOf(jsonColumns);
        }
    }

    /**
     * Partition-local groups: each group has all its rows in one partition, because it has one value of the
     * partitioning expression. Each partition query is the block itself, and its groups are concatenated or merged in
     * order.
     *
     * @param partitioning the assumed partitioning of the table
     * @param columns the inputs that are partitioning columns; empty if the partitioning turned out to be different
     * @param sortInputs the inputs that are the sort keys, in order
     * @param descending for each sort key, whether it is descending
     * @param onlyLocal why the groups cannot be merged from their parts; empty if they can
     */
    public record LocalGroups(
            Partitioning partitioning,
            List<Integer> columns,
            List<Integer> sortInputs,
            List<Boolean> descending,
            Optional<Refusal> onlyLocal) {
        public LocalGroups {
            columns = List.copyOf(columns);
            sortInputs = List.copyOf(sortInputs);
            descending = List.copyOf(descending);
        }

        private LocalGroups unproven() {
            return new LocalGroups(partitioning, List.of(), List.of(), List.of(), onlyLocal);
        }
    }
}

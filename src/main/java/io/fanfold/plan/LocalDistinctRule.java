package io.fanfold.plan;

import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.LogicalAggregation.LocalDistinctValues;
import io.fanfold.plan.LogicalPlan.Input;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Decides from the text whether DISTINCT aggregates can be summed over the partitions. The arguments and grouping keys
 * of each must include all partitioning columns. Then no value of a group is in two partitions.
 *
 * <pre>
 * SELECT g, COUNT(DISTINCT k) FROM t GROUP BY g        t is partitioned by k
 *   partition query   SELECT g, COUNT(DISTINCT k) FROM t PARTITION (p) GROUP BY 1
 *   fold              the counts of a group are added
 * </pre>
 *
 * @param model the block
 * @param split the table to split
 * @param partitioning its partitioning
 * @param inputs the expressions of the partition queries
 */
record LocalDistinctRule(SelectModel model, TableRef split, Partitioning partitioning, Inputs inputs) {
    /**
     * Returns how to sum the DISTINCT aggregates, empty if they cannot be summed.
     *
     * @param keys the inputs that are grouping keys
     * @param aggregates all aggregate functions to merge
     */
    Optional<LocalDistinctValues> of(List<Integer> keys, List<LogicalAggregate> aggregates) {
        List<PartitioningColumn> columns = new ArrayList<>();
        Map<Integer, Integer> whole = new HashMap<>();
        for (int aggregate = 0; aggregate < aggregates.size(); aggregate++) {
            List<Integer> arguments = arguments(aggregates.get(aggregate));
            if (arguments.isEmpty()) {
                continue;
            }
            List<Integer> apart = new ArrayList<>(keys);
            apart.addAll(arguments);
            for (String column : partitioning.columns()) {
                Optional<Integer> input =
                        apart.stream().filter(known -> mayBe(known, column)).findFirst();
                if (input.isEmpty()) {
                    return Optional.empty();
                }
                columns.add(new PartitioningColumn(input.get(), column));
            }
            whole.put(aggregate, inputs.type(call(aggregates.get(aggregate), arguments)));
        }
        return columns.isEmpty()
                ? Optional.empty()
                : Optional.of(new LocalDistinctValues(partitioning, columns, whole));
    }

    private static List<Integer> arguments(LogicalAggregate aggregate) {
        if (aggregate instanceof LogicalAggregate.LogicalCountDistinct count) {
            return count.arguments();
        }
        return aggregate instanceof LogicalAggregate.LogicalSumDistinct sum ? List.of(sum.argument()) : List.of();
    }

    private String call(LogicalAggregate aggregate, List<Integer> arguments) {
        String function = aggregate instanceof LogicalAggregate.LogicalSumDistinct ? "SUM" : "COUNT";
        return function + "(DISTINCT "
                + String.join(
                        ", ",
                        arguments.stream()
                                .map(inputs.list()::get)
                                .map(Input::sql)
                                .toList()) + ")";
    }

    /** Whether an input may be the column; the server says later which column it is. */
    private boolean mayBe(int input, String column) {
        String text = inputs.list().get(input).sql().replace("`", "").toLowerCase(Locale.ROOT);
        String own = column.toLowerCase(Locale.ROOT);
        return text.equals(own) || text.equals(split.shownName().toLowerCase(Locale.ROOT) + "." + own);
    }
}

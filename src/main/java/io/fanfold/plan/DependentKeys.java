package io.fanfold.plan;

import io.fanfold.row.Column;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Finds grouping keys that follow from other keys. If all columns of a table's primary key are keys, all rows of a group
 * come from one row of that table, or from none in an outer join. So its other columns have one value in the group, and
 * merging need not compare them. This saves WEIGHT_STRING, which MySQL stores in the temporary table of the groups.
 *
 * <pre>
 * SELECT c.id, c.name, SUM(o.amount) FROM orders o JOIN c ON c.id = o.customer GROUP BY c.id, c.name
 *   c.name follows from c.id
 * </pre>
 *
 * For one plan, one thread.
 */
final class DependentKeys {
    private final LogicalPlan logical;
    private final LogicalAggregation shape;
    private final TypeBinding types;

    DependentKeys(LogicalPlan logical, LogicalAggregation shape, TypeBinding types) {
        this.logical = logical;
        this.shape = shape;
        this.types = types;
    }

    /**
     * Returns the keys that need not be compared.
     *
     * @param use the columns that are sorted by
     * @param sortedByKeys whether the merged groups are sorted by all keys in their order. Keys that follow from keys before
     *     them do not change that order.
     */
    Set<Integer> of(FinalQueryUse use, boolean sortedByKeys) {
        Set<Integer> dependent = new HashSet<>();
        if (shape.rollup()) {
            return dependent;
        }
        logical.primaryKeys().forEach((table, columns) -> {
            Map<String, Integer> keys = keysOf(table);
            List<Integer> deciding = columns.stream()
                    .map(name -> keys.getOrDefault(lower(name), -1))
                    .toList();
            int last = deciding.stream().max(Integer::compare).orElse(-1);
            if (last < 0 || deciding.contains(-1)) {
                return;
            }
            keys.values().stream()
                    .filter(key -> !deciding.contains(key))
                    .filter(key -> sortedByKeys ? key > last : !use.sorted(new Template.KeyRef(key)))
                    .forEach(dependent::add);
        });
        return dependent;
    }

    /** Returns the keys that are columns of a table instance, by the column's name in lower case. */
    private Map<String, Integer> keysOf(TableRef table) {
        Map<String, Integer> keys = new HashMap<>();
        boolean unique = table.place() == TablePlace.FROM
                && logical.model().tables().stream()
                                .filter(other -> shown(other).equalsIgnoreCase(shown(table)))
                                .count()
                        == 1;
        IntStream.range(0, unique ? shape.keys().size() : 0).forEach(key -> {
            Column column = types.of(shape.keys().get(key));
            if (!column.computed()
                    && column.table().equalsIgnoreCase(shown(table))
                    && column.orgTable().equalsIgnoreCase(table.name())) {
                keys.put(lower(column.orgName()), key);
            }
        });
        return keys;
    }

    private static String shown(TableRef table) {
        return table.alias() == null ? table.name() : table.alias();
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}

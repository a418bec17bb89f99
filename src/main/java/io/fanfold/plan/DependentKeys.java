package io.fanfold.plan;

import io.fanfold.row.Column;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds grouping keys that are functionally dependent on other keys (MySQL manual, Detection of Functional Dependence). If
 * all columns of a table's primary key are keys, all rows of a group come from one row of that table, or from none in an
 * outer join. So its other columns have one value in the group, and merging need not compare them. This saves WEIGHT_STRING,
 * which makes the server's temporary table of the groups larger.
 *
 * <pre>
 * SELECT c.id, c.name, SUM(o.amount) FROM orders o JOIN c ON c.id = o.customer GROUP BY c.id, c.name
 *   c.name depends on c.id
 * </pre>
 *
 * <p>All workers must see one row for each primary key. Their snapshots are proven equal, or {@code consistency: relaxed}
 * allows groups with a part of a change.
 *
 * <p>For one plan, one thread.
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
     * @param sortedByKeys whether the merged groups are sorted by all keys in their order. Keys that depend on keys before
     *     them do not change that order.
     */
    Set<Integer> of(FinalQueryUse use, boolean sortedByKeys) {
        Set<Integer> dependent = new HashSet<>();
        if (shape.rollup()) {
            return dependent;
        }
        logical.primaryKeys().forEach((table, columns) -> {
            Map<String, Integer> keys = keysOf(table);
            if (!keys.keySet().containsAll(columns)) {
                return;
            }
            List<Integer> deciding = columns.stream().map(keys::get).toList();
            keys.values().stream()
                    .filter(key -> !deciding.contains(key))
                    .filter(key -> sortedByKeys
                            ? deciding.stream().allMatch(before -> before < key)
                            : !use.sorted(new Template.KeyRef(key)))
                    .forEach(dependent::add);
        });
        return dependent;
    }

    /** Returns the keys that are columns of a table instance, by the column's name. */
    private Map<String, Integer> keysOf(TableRef table) {
        Map<String, Integer> keys = new HashMap<>();
        if (!namesOneTable(table)) {
            return keys;
        }
        for (int key = 0; key < shape.keys().size(); key++) {
            Column column = types.of(shape.keys().get(key));
            if (!column.computed()
                    && column.table().equalsIgnoreCase(table.shownName())
                    && column.orgTable().equalsIgnoreCase(table.name())) {
                keys.put(column.orgName(), key);
            }
        }
        return keys;
    }

    /** Whether the name by which the server shows a column's table means only this table of the FROM clause. */
    private boolean namesOneTable(TableRef table) {
        return table.place() == TablePlace.FROM
                && logical.model().tables().stream()
                                .filter(other -> other.shownName().equalsIgnoreCase(table.shownName()))
                                .count()
                        == 1;
    }
}

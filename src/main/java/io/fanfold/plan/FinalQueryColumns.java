package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The expressions for merged columns in a final query. Under ROLLUP an aggregate is computed once more, over the groups
 * of a result row: one group, or all groups of a super-aggregate row.
 */
final class FinalQueryColumns {
    /** The alias of the JSON_TABLE. */
    static final String TABLE = "ff";

    private final List<ColumnEncoding> encodings;
    private final int keys;
    private final List<LogicalAggregate> again;
    private final Map<Integer, Integer> sortColumns;

    /**
     * Names merged columns.
     *
     * @param encodings the encodings of all merged columns in order
     * @param keys how many of them are keys, including those that are only sorted by; the aggregates follow
     * @param sortColumns maps keys that do not sort themselves to the merged column to sort by instead
     * @param again under ROLLUP the aggregates, which are computed once more; else empty
     */
    FinalQueryColumns(
            List<ColumnEncoding> encodings, int keys, Map<Integer, Integer> sortColumns, List<LogicalAggregate> again) {
        this.encodings = encodings;
        this.keys = keys;
        this.again = again;
        this.sortColumns = Map.copyOf(sortColumns);
    }

    /** Returns an element of ORDER BY. */
    String renderOrder(Template order, FinalQueryUse use) {
        Integer column = use.sortedBy(order).map(this::sortColumn).orElse(null);
        if (column == null) {
            return order.render(this::render);
        }
        return column(column) + (FinalQueryUse.descending(order) ? " DESC" : "");
    }

    /** Returns an element of ORDER BY for a key, ascending. */
    String renderSort(int key) {
        return column(sortColumns.getOrDefault(key, key));
    }

    private @Nullable Integer sortColumn(Template.Ref ref) {
        return ref instanceof Template.KeyRef key ? sortColumns.get(key.key()) : null;
    }

    String render(Template.Ref ref) {
        if (ref instanceof Template.KeyRef key) {
            return column(key.key());
        }
        if (ref instanceof Template.AggregateRef aggregate) {
            return aggregate(aggregate.aggregate());
        }
        Template.QuotientRef quotient = (Template.QuotientRef) ref;
        return "(" + aggregate(quotient.sumIndex()) + "/" + aggregate(quotient.countIndex()) + ")";
    }

    private String aggregate(int aggregate) {
        String column = column(keys + aggregate);
        return again.isEmpty() ? column : again(again.get(aggregate), column);
    }

    private static String again(LogicalAggregate aggregate, String column) {
        if (aggregate instanceof LogicalAggregate.LogicalSum sum) {
            // without any group, MySQL returns a row in which counts are 0
            return sum.count() ? "CAST(COALESCE(SUM(" + column + "), 0) AS SIGNED)" : "SUM(" + column + ")";
        }
        if (aggregate instanceof LogicalAggregate.LogicalMinMax minMax) {
            return (minMax.largest() ? "MAX(" : "MIN(") + column + ")";
        }
        if (aggregate instanceof LogicalAggregate.LogicalBits bits) {
            return "BIT_" + bits.operation() + "(" + column + ")";
        }
        throw new IllegalStateException("refused under ROLLUP: " + aggregate);
    }

    private String column(int column) {
        String name = TABLE + ".c" + column;
        return encodings.get(column) instanceof ColumnEncoding.BinaryEncoding ? "FROM_BASE64(" + name + ")" : name;
    }
}

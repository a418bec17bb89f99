package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.plan.SplitDraft.SlotDraft;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The expressions for merged columns in a final query. Under ROLLUP an aggregate is computed once more, over the groups
 * of a result row: one group, or all groups of a super-aggregate row.
 */
final class FinishColumns {
    /** The alias of the JSON_TABLE. */
    static final String TABLE = "ff";

    private final List<Carrier> carriers;
    private final int keys;
    private final List<SlotDraft> again;
    private final Map<Integer, Integer> sortColumns;

    /**
     * Names merged columns.
     *
     * @param carriers the encodings of all merged columns in order
     * @param keys how many of them are keys, including those that are only sorted by; the aggregates follow
     * @param sortColumns maps keys that do not sort themselves to the merged column to sort by instead
     * @param again under ROLLUP the aggregates, which are computed once more; else empty
     */
    FinishColumns(List<Carrier> carriers, int keys, Map<Integer, Integer> sortColumns, List<SlotDraft> again) {
        this.carriers = carriers;
        this.keys = keys;
        this.again = again;
        this.sortColumns = Map.copyOf(sortColumns);
    }

    /** Returns an element of ORDER BY. */
    String renderOrder(Template order, FinishUse use) {
        Integer column = use.sortedBy(order).map(this::sortColumn).orElse(null);
        if (column == null) {
            return order.render(this::render);
        }
        return column(column) + (FinishUse.descending(order) ? " DESC" : "");
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
        if (ref instanceof Template.SlotRef slot) {
            return slot(slot.slot());
        }
        Template.QuotientRef quotient = (Template.QuotientRef) ref;
        return "(" + slot(quotient.sumSlot()) + "/" + slot(quotient.countSlot()) + ")";
    }

    private String slot(int slot) {
        String column = column(keys + slot);
        return again.isEmpty() ? column : again(again.get(slot), column);
    }

    private static String again(SlotDraft slot, String column) {
        if (slot instanceof SlotDraft.Sum sum) {
            // without any group, MySQL returns a row in which counts are 0
            return sum.count() ? "CAST(COALESCE(SUM(" + column + "), 0) AS SIGNED)" : "SUM(" + column + ")";
        }
        if (slot instanceof SlotDraft.Extreme extreme) {
            return (extreme.largest() ? "MAX(" : "MIN(") + column + ")";
        }
        if (slot instanceof SlotDraft.Bits bits) {
            return "BIT_" + bits.operation() + "(" + column + ")";
        }
        throw new IllegalStateException("refused under ROLLUP: " + slot);
    }

    private String column(int column) {
        String name = TABLE + ".c" + column;
        return carriers.get(column) instanceof Carrier.Bytes ? "FROM_BASE64(" + name + ")" : name;
    }
}

package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.plan.SplitDraft.SlotDraft;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names of merged columns in a finish query. Under ROLLUP a slot is aggregated once more, over the groups that a
 * row of the answer stands for: one of them, or all below a super-aggregate row.
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
     * @param carriers of all merged columns in order
     * @param keys how many of them are keys, those that only sort included; the slots follow
     * @param sortColumns for keys that do not sort by themselves the merged column to sort by instead
     * @param again under ROLLUP the slots, which are aggregated once more; else none
     */
    FinishColumns(List<Carrier> carriers, int keys, Map<Integer, Integer> sortColumns, List<SlotDraft> again) {
        this.carriers = carriers;
        this.keys = keys;
        this.again = again;
        this.sortColumns = Map.copyOf(sortColumns);
    }

    /** An element of ORDER BY. */
    String renderOrder(Template order, FinishUse use) {
        Integer column = use.sortedBy(order).map(this::sortColumn).orElse(null);
        if (column == null) {
            return order.render(this::render);
        }
        return column(column) + (FinishUse.descending(order) ? " DESC" : "");
    }

    /** Sorts upwards by a key. */
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
            // over no groups at all MySQL has a row, in which counts are 0
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

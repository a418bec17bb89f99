package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Carrier;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of merged columns in a finish query. */
final class FinishColumns {
    /** The alias of the JSON_TABLE. */
    static final String TABLE = "ff";

    private final List<Carrier> carriers;
    private final int keys;
    private final Map<Integer, Integer> sortColumns;

    /**
     * Names merged columns.
     *
     * @param carriers of all merged columns in order
     * @param keys how many of them are keys; the slots follow
     * @param sortColumns for keys that do not sort by themselves the merged column to sort by instead
     */
    FinishColumns(List<Carrier> carriers, int keys, Map<Integer, Integer> sortColumns) {
        this.carriers = carriers;
        this.keys = keys;
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
            return column(keys + slot.slot());
        }
        Template.QuotientRef quotient = (Template.QuotientRef) ref;
        return "(" + column(keys + quotient.sumSlot()) + "/" + column(keys + quotient.countSlot()) + ")";
    }

    private String column(int column) {
        String name = TABLE + ".c" + column;
        return carriers.get(column) instanceof Carrier.Bytes ? "FROM_BASE64(" + name + ")" : name;
    }
}

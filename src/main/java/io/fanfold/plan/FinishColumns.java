package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.plan.SplitDraft.Aggregation;
import io.fanfold.plan.SplitDraft.SlotDraft;
import java.util.List;

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

    private FinishColumns(List<Carrier> carriers, int keys, List<SlotDraft> again) {
        this.carriers = carriers;
        this.keys = keys;
        this.again = again;
    }

    /** Columns that are used as they are. */
    FinishColumns(List<Carrier> carriers, int keys) {
        this(carriers, keys, List.of());
    }

    /** The columns of a shape. */
    static FinishColumns of(Aggregation shape, List<Carrier> carriers) {
        return new FinishColumns(carriers, shape.keys().size(), shape.rollup() ? shape.slots() : List.of());
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
        throw new IllegalStateException("no DISTINCT aggregate gets here: " + slot);
    }

    private String column(int column) {
        String name = TABLE + ".c" + column;
        return carriers.get(column) instanceof Carrier.Bytes ? "FROM_BASE64(" + name + ")" : name;
    }
}

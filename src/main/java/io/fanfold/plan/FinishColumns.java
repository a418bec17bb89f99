package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.Carrier;
import java.util.List;

/** The names of merged columns in a finish query. */
final class FinishColumns {
    /** The alias of the JSON_TABLE. */
    static final String TABLE = "ff";

    private final List<Carrier> carriers;
    private final int keys;

    FinishColumns(List<Carrier> carriers, int keys) {
        this.carriers = carriers;
        this.keys = keys;
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

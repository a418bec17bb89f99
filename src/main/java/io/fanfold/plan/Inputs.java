package io.fanfold.plan;

import io.fanfold.plan.LogicalPlan.Input;
import java.util.ArrayList;
import java.util.List;

/** Collects the expressions of the partition queries without duplicates. For one thread. */
final class Inputs {
    private final List<Input> inputs;

    Inputs() {
        this(List.of());
    }

    /**
     * @param known the expressions that they already have
     */
    Inputs(List<Input> known) {
        this.inputs = new ArrayList<>(known);
    }

    /** Returns the number of a value input with this text. */
    int value(String sql) {
        return add(new Input(sql, false));
    }

    /** Returns the number of an input whose type is needed, but not its value. */
    int type(String sql) {
        int value = inputs.indexOf(new Input(sql, false));
        return value >= 0 ? value : add(new Input(sql, true));
    }

    private int add(Input input) {
        int known = inputs.indexOf(input);
        if (known >= 0) {
            return known;
        }
        inputs.add(input);
        return inputs.size() - 1;
    }

    List<Input> list() {
        return inputs;
    }
}

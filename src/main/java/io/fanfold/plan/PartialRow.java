package io.fanfold.plan;

import io.fanfold.plan.LogicalPlan.Input;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * The row of a partition query while it is laid out: the columns of the inputs, followed by hidden columns for values
 * that cannot be compared directly. For one plan, one thread.
 */
final class PartialRow {
    private final List<Input> inputs;
    private final TypeBinding types;

    /** The elements of the partition query's select list. */
    private final List<String> elements = new ArrayList<>();

    /** The column of each input; -1 for inputs that are not fetched. */
    private final List<Integer> columnOfInput = new ArrayList<>();

    /** The number of columns minus the number of elements: the statement's own select list is one element. */
    private final int surplus;

    private PartialRow(LogicalPlan logical, TypeBinding types, int surplus) {
        this.inputs = logical.inputs();
        this.types = types;
        this.surplus = surplus;
    }

    /**
     * Creates a row of inputs only.
     *
     * @param fetched the inputs to fetch
     */
    static PartialRow ofInputs(LogicalPlan logical, TypeBinding types, IntPredicate fetched) {
        PartialRow row = new PartialRow(logical, types, 0);
        row.fetch(fetched);
        return row;
    }

    /**
     * Creates a row of the statement's own select list, followed by inputs.
     *
     * @param visibleColumns the number of columns of the select list
     * @param fetched the inputs to fetch
     */
    static PartialRow ofSelectList(LogicalPlan logical, TypeBinding types, int visibleColumns, IntPredicate fetched) {
        PartialRow row = new PartialRow(logical, types, visibleColumns - 1);
        row.elements.add(logical.model().selectList().of(logical.model().sql()));
        row.fetch(fetched);
        return row;
    }

    private void fetch(IntPredicate fetched) {
        for (int input = 0; input < inputs.size(); input++) {
            boolean has = fetched.test(input);
            columnOfInput.add(has ? elements.size() + surplus : -1);
            if (has) {
                elements.add(inputs.get(input).sql());
            }
        }
    }

    /** Returns the column of an input, -1 if it has none. */
    int column(int input) {
        return columnOfInput.get(input);
    }

    /** Returns the key that compares an input. Adds a hidden column if its values cannot be compared directly. */
    SortKey key(int input, boolean descending) throws RefusedException {
        return key(input, types.compared(input), descending);
    }

    /** Returns the key that compares an input in the given way. Adds a hidden column if needed. */
    SortKey key(int input, TypeBinding.BoundComparison compared, boolean descending) {
        int column = column(input);
        Optional<String> hidden = compared.hidden(inputs.get(input).sql());
        if (hidden.isPresent()) {
            int known = elements.indexOf(hidden.get());
            if (known < 0) {
                elements.add(hidden.get());
                known = elements.size() - 1;
            }
            column = known + surplus;
        }
        return new SortKey(column, compared.comparison(), compared.pad(), descending);
    }

    /** Returns the partition query's select list. */
    String selectList() {
        return String.join(", ", elements);
    }
}

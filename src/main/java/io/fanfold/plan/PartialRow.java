package io.fanfold.plan;

import io.fanfold.plan.SplitDraft.Input;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * The row of a partition query while it is laid out: which column holds each input, and behind them the hidden columns
 * by which values are compared that do not compare by themselves. For one plan, one thread.
 */
final class PartialRow {
    private final List<Input> inputs;
    private final KeyTypes types;

    /** The elements of the partition query's select list. */
    private final List<String> elements = new ArrayList<>();

    /** For each input its column; -1 for those that are not fetched. */
    private final List<Integer> columnOfInput = new ArrayList<>();

    /** How many columns more there are than elements: the statement's own select list is one element. */
    private final int surplus;

    private PartialRow(SplitDraft draft, KeyTypes types, int surplus) {
        this.inputs = draft.inputs();
        this.types = types;
        this.surplus = surplus;
    }

    /**
     * A row of inputs alone.
     *
     * @param fetched which inputs
     */
    static PartialRow ofInputs(SplitDraft draft, KeyTypes types, IntPredicate fetched) {
        PartialRow row = new PartialRow(draft, types, 0);
        row.fetch(fetched);
        return row;
    }

    /**
     * A row of the statement's own select list, with inputs behind it.
     *
     * @param visibleColumns how many columns the select list has
     * @param fetched which inputs
     */
    static PartialRow ofSelectList(SplitDraft draft, KeyTypes types, int visibleColumns, IntPredicate fetched) {
        PartialRow row = new PartialRow(draft, types, visibleColumns - 1);
        row.elements.add(draft.model().selectList().of(draft.model().sql()));
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

    /** The column that holds an input; -1 when none does. */
    int column(int input) {
        return columnOfInput.get(input);
    }

    /** The key that compares an input; adds a hidden column where it does not compare by itself. */
    SortKey key(int input, boolean descending) throws Refusal {
        return key(input, types.compared(input), descending);
    }

    /** The same for a value that is compared in a way of its own. */
    SortKey key(int input, KeyTypes.Compared compared, boolean descending) {
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

    /** The partition query's select list. */
    String selectList() {
        return String.join(", ", elements);
    }
}

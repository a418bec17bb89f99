package io.fanfold.plan;

import io.fanfold.plan.LogicalPlan.PlainRows;
import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;

/**
 * Makes the plan of a block from its logical plan and the types. Adds the hidden columns that values are compared by,
 * lays out the partial row, and writes the partition query and the final step. Immutable.
 */
final class PhysicalPlanner {
    private final LogicalPlan logical;
    private final TypeBinding types;
    private final ServerFlavor flavor;
    private final PlanRules rules;

    PhysicalPlanner(LogicalPlan logical, TypeBinding types, ServerFlavor flavor, PlanRules rules) {
        this.rules = rules;
        this.logical = logical;
        this.types = types;
        this.flavor = flavor;
    }

    /** Whether the merged rows of a block may be the answer unchanged. */
    static boolean rowsAsClient(LogicalPlan logical) {
        return logical.shape() instanceof LogicalAggregation shape
                ? logical.mayBeWhole() || DirectGroups.possible(logical, shape)
                : logical.placement().isEmpty();
    }

    /**
     * @param visibleColumns the number of columns of the statement's answer
     */
    FanOutPlan complete(int visibleColumns) throws RefusedException {
        RowsPlanner rows = new RowsPlanner(logical, types, visibleColumns);
        if (logical.shape() instanceof LogicalAggregation shape) {
            // reasons to refuse parts of groups also apply to whole groups: the server may show them in two ways
            FanOutPlan inParts = new AggregationPlanner(logical, shape, types, flavor, rules).complete();
            return rows.localGroups(shape).orElse(inParts);
        }
        if (logical.shape() instanceof PlainRows shape) {
            return rows.plainRows(shape);
        }
        throw new IllegalStateException("unknown shape " + logical.shape());
    }
}

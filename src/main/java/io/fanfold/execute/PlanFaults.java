package io.fanfold.execute;

import io.fanfold.plan.StatementPlan;
import java.util.function.UnaryOperator;

/**
 * Changes plans in tests, so that splits give wrong answers which the verification must find. In production, nothing sets
 * a change.
 */
final class PlanFaults {
    private static volatile UnaryOperator<StatementPlan> change = UnaryOperator.identity();

    private PlanFaults() {}

    static StatementPlan apply(StatementPlan plan) {
        return change.apply(plan);
    }

    /** Changes all later plans of this process. */
    static void set(UnaryOperator<StatementPlan> fault) {
        change = fault;
    }
}

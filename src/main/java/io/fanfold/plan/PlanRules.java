package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;

/**
 * The quirks of servers for which planning ends; {@code plan.rule} has them. Each method asks the rules of one step and
 * returns the first refusal. Stateless.
 */
public interface PlanRules {
    /** Returns why a block is not split, as far as its text shows. */
    Optional<Refusal> ofText(SelectModel model, ServerFlavor flavor);

    /**
     * Returns why a block is not split by its grouping keys.
     *
     * @param keys the grouping expressions without duplicates, in order
     */
    Optional<Refusal> ofKeys(SelectModel model, List<Expr> keys, ServerFlavor flavor);

    /** Returns why groups are not merged, as far as their logical plan shows. */
    Optional<Refusal> ofGroups(SelectModel model, LogicalAggregation shape, ServerFlavor flavor);

    /** Whether {@link #ofFinalQuery} asks for the type of an element of the select list. */
    boolean needsType(SelectModel model, Expr item, ServerFlavor flavor);

    /** Returns why an aggregation is not split, as far as its types show. */
    Optional<Refusal> ofTypes(TypedBlock block);

    /**
     * Returns why the final query of an aggregation is not run.
     *
     * @param encodings the encodings of the merged columns, in order
     */
    Optional<Refusal> ofFinalQuery(TypedBlock block, List<ColumnEncoding> encodings);

    /** Returns why the rest of a statement is not run around its merged blocks. */
    Optional<Refusal> ofRest(LogicalStatement statement);
}

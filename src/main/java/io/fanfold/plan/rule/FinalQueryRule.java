package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;

/**
 * A reason not to run the final query of an aggregation. Stateless.
 */
public interface FinalQueryRule {
    /**
     * Checks the query.
     *
     * @param encodings the encodings of the merged columns, in order
     */
    Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings);

    /** Whether the rule needs the type of an element of the select list, see {@link TypedBlock#typeOfItem}. */
    default boolean needsType(SelectModel model, Expr item, ServerFlavor flavor) {
        return false;
    }
}

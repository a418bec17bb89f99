package io.fanfold.plan.rule;

import io.fanfold.reason.Refusal;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;

/**
 * A reason not to split a block that its grouping keys show. Stateless.
 */
public interface KeyRule {
    /**
     * Checks the keys.
     *
     * @param keys the grouping expressions without duplicates, in order; for positions and aliases, what these mean
     */
    Optional<Refusal> check(SelectModel model, List<Expr> keys, ServerFlavor flavor);
}

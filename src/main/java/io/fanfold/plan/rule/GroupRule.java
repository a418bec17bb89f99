package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalAggregation;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * A reason not to merge groups that their logical plan shows. Stateless.
 */
public interface GroupRule {
    Optional<Refusal> check(SelectModel model, LogicalAggregation shape, ServerFlavor flavor);
}

package io.fanfold.plan.rule;

import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;

/**
 * A reason not to split a block that its text shows. Stateless.
 */
public interface TextRule {
    Optional<Refusal> check(SelectModel model, ServerFlavor flavor);
}

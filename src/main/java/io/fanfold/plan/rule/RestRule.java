package io.fanfold.plan.rule;

import io.fanfold.plan.LogicalStatement;
import io.fanfold.reason.Refusal;
import java.util.Optional;

/**
 * A reason not to run the rest of a statement around its merged blocks. Stateless.
 */
public interface RestRule {
    Optional<Refusal> check(LogicalStatement statement);
}

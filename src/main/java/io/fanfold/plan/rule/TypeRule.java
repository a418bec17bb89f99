package io.fanfold.plan.rule;

import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Refusal;
import java.util.Optional;

/**
 * A reason not to split an aggregation that its types show. Stateless.
 */
public interface TypeRule {
    Optional<Refusal> check(TypedBlock block);
}

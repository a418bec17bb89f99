package io.fanfold.plan.rule;

import io.fanfold.plan.PreparedAnswer;
import io.fanfold.reason.Refusal;
import java.util.Optional;

/**
 * A reason not to split a statement that its PREPARE and EXPLAIN show. In most cases the execution would return other
 * values or definitions than PREPARE announces. Stateless.
 */
public interface AnswerRule {
    Optional<Refusal> check(PreparedAnswer answer);
}

package io.fanfold.plan;

import io.fanfold.metrics.Reason;

/**
 * The result of a planning step. The first step makes a {@link StatementDraft} from the text alone. The second step
 * uses the types that the server reports for the typing queries. It completes each {@link SplitDraft} to a
 * {@link FanOutPlan}, and all of them to a {@link StatementPlan}. Either step may end in {@link PassThrough}.
 */
public sealed interface SplitDecision permits SplitDecision.PassThrough, StatementDraft, StatementPlan {
    /**
     * The statement is sent to the server unchanged.
     *
     * @param reason why
     * @param detail what was found; may contain text of the statement, so for DEBUG only
     */
    record PassThrough(Reason reason, String detail) implements SplitDecision {}
}

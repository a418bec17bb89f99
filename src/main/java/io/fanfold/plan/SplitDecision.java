package io.fanfold.plan;

import io.fanfold.metrics.Reason;

/**
 * What planning came to. Planning has two steps: a {@link StatementDraft} is made of the text alone; with the types
 * that the server reports for its typing query each {@link SplitDraft} of it is completed to a {@link FanOutPlan}, all
 * together a {@link StatementPlan}. Either step may end in {@link PassThrough}.
 */
public sealed interface SplitDecision permits SplitDecision.PassThrough, StatementDraft, StatementPlan {
    /**
     * The statement goes to the server as it is.
     *
     * @param reason why
     * @param detail what was found; may hold text of the statement, so for DEBUG only
     */
    record PassThrough(Reason reason, String detail) implements SplitDecision {}
}

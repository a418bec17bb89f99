package io.fanfold.plan;

import io.fanfold.metrics.Reason;

/**
 * What planning came to. Planning has two steps: a {@link SplitDraft} is made of the text alone; with the types that the
 * server reports for its typing query it is completed to a {@link FanOutPlan}. Either step may end in
 * {@link PassThrough}.
 */
public sealed interface SplitDecision permits SplitDecision.PassThrough, SplitDraft, FanOutPlan {
    /**
     * The statement goes to the server as it is.
     *
     * @param reason why
     * @param detail what was found; may hold text of the statement, so for DEBUG only
     */
    record PassThrough(Reason reason, String detail) implements SplitDecision {}
}

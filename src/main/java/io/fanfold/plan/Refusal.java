package io.fanfold.plan;

import io.fanfold.metrics.Reason;

/**
 * Ends a planning step from deep inside it. It never leaves this package: the entry points convert it to a
 * {@link SplitDecision.PassThrough}.
 */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    Refusal(Reason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    SplitDecision.PassThrough toDecision() {
        String detail = getMessage();
        return new SplitDecision.PassThrough(reason, detail == null ? "" : detail);
    }
}

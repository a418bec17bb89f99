package io.fanfold.execute;

import io.fanfold.metrics.Reason;
import io.fanfold.plan.SplitDecision.PassThrough;

/** Ends an attempt at a fan-out before the first byte of the answer: the statement is passed through. */
final class Abandoned extends Exception {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    Abandoned(Reason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    Abandoned(PassThrough decision) {
        this(decision.reason(), decision.detail());
    }

    Reason reason() {
        return reason;
    }

    String detail() {
        return String.valueOf(getMessage());
    }
}

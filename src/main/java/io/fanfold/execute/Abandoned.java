package io.fanfold.execute;

import io.fanfold.metrics.Reason;
import io.fanfold.plan.SplitDecision.PassThrough;

/** Ends an attempt at a fan-out before the first byte of the answer: the statement is passed through. */
final class Abandoned extends Exception {
    private static final long serialVersionUID = 1;

    private final Reason reason;
    private final boolean measured;

    Abandoned(Reason reason, String detail) {
        this(reason, detail, false);
    }

    private Abandoned(Reason reason, String detail, boolean measured) {
        super(detail, null, false, false);
        this.reason = reason;
        this.measured = measured;
    }

    /** Passed through to learn how long the statement takes by itself. */
    static Abandoned toMeasure(String detail) {
        return new Abandoned(Reason.MEASURED, detail, true);
    }

    Abandoned(PassThrough decision) {
        this(decision.reason(), decision.detail());
    }

    Reason reason() {
        return reason;
    }

    /** Whether the time of the statement by itself is to be measured. */
    boolean measured() {
        return measured;
    }

    String detail() {
        return String.valueOf(getMessage());
    }
}

package io.fanfold.sql;

import io.fanfold.metrics.Reason;

/**
 * Ends the reading of a statement from deep inside it. It never leaves this package: {@link SelectReader} converts it
 * to a {@link ParseResult.Refused}.
 */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    Refusal(Reason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    /** Creates a refusal that names the text at fault and its position. */
    static Refusal at(Reason reason, String what, int position) {
        return new Refusal(reason, what + " at character " + (position + 1));
    }

    ParseResult.Refused result() {
        return new ParseResult.Refused(reason, String.valueOf(getMessage()));
    }
}

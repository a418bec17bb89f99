package io.fanfold.reason;

import org.jspecify.annotations.Nullable;

/**
 * Ends reading, planning or running a statement before the first byte of its answer. The statement is then passed
 * through. It has no stack trace, because refusals are ordinary and frequent.
 */
public class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final String detail;

    public RefusedException(Reason reason, String detail) {
        this(reason, detail, null);
    }

    public RefusedException(Refusal refusal) {
        this(refusal.reason(), refusal.detail(), null);
    }

    /** Creates one that was caused by another failure, such as a server's error. */
    public RefusedException(Reason reason, String detail, @Nullable Throwable cause) {
        super(detail, cause, false, false);
        this.reason = reason;
        this.detail = detail;
    }

    /**
     * Creates one that names the text at fault and its position.
     *
     * @param position the index of the text's first character; the message counts from 1
     */
    public static RefusedException at(Reason reason, String what, int position) {
        return new RefusedException(reason, what + " at character " + (position + 1));
    }

    public Reason reason() {
        return reason;
    }

    public String detail() {
        return detail;
    }

    public Refusal refusal() {
        return new Refusal(reason, detail);
    }
}

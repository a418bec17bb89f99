package io.fanfold.config;

/** A setting of a running proxy cannot be set. The message is for the client that has asked for it. */
public final class SetException extends Exception {
    private static final long serialVersionUID = 1;

    /** Why. */
    public enum Problem {
        /** There is no setting of that name. */
        UNKNOWN,
        /** It takes effect only at start. */
        READ_ONLY,
        /** The value is wrong, alone or together with other settings. */
        WRONG_VALUE
    }

    private final Problem problem;

    SetException(Problem problem, String message) {
        super(message);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}

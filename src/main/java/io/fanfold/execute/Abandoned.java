package io.fanfold.execute;

import io.fanfold.backend.ServerException;
import io.fanfold.merge.FoldException;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.SplitDecision.PassThrough;
import org.jspecify.annotations.Nullable;

/** Ends a fan-out attempt before the first byte of the answer; the statement is then passed through. */
final class Abandoned extends Exception {
    private static final long serialVersionUID = 1;
    private static final String CANCELLED = "cancelled";
    private static final String INTERRUPTED = "1317: ";

    private final Reason reason;
    private final Kind kind;

    private enum Kind {
        USUAL,
        MEASURED,
        KILLED
    }

    Abandoned(Reason reason, String detail) {
        this(reason, detail, Kind.USUAL, null);
    }

    private Abandoned(Reason reason, String detail, Kind kind, @Nullable Throwable cause) {
        super(detail, cause, false, false);
        this.reason = reason;
        this.kind = kind;
    }

    /** Passes the statement through to measure how long it takes without a split. */
    static Abandoned toMeasure(String detail) {
        return new Abandoned(Reason.MEASURED, detail, Kind.MEASURED, null);
    }

    /** A KILL QUERY hit a preflight query on the client's connection; it was meant for the client's statement. */
    static Abandoned killed(String detail) {
        return new Abandoned(Reason.INTERNAL, detail, Kind.KILLED, null);
    }

    /** The server refused or aborted a worker's statement. */
    static Abandoned by(ServerException error) {
        return new Abandoned(Reason.WORKER_ERROR, error.errno() + ": " + error.getMessage(), Kind.USUAL, error);
    }

    /** Given up only because another part of the same statement failed or was cancelled. */
    static Abandoned cancelled() {
        return new Abandoned(Reason.INTERNAL, CANCELLED);
    }

    /** Partial rows could not be folded. */
    static Abandoned by(FoldException failure) {
        boolean many = failure.kind() == FoldException.Kind.TOO_MANY_ROWS;
        return new Abandoned(many ? Reason.FINISH_FAILED : Reason.VALUE, failure.kind() + ": " + failure.getMessage());
    }

    Abandoned(PassThrough decision) {
        this(decision.reason(), decision.detail());
    }

    Reason reason() {
        return reason;
    }

    /** Whether the statement's time without a split must be measured. */
    boolean measured() {
        return kind == Kind.MEASURED;
    }

    /** Whether the client must be sent the error that its statement was interrupted. */
    boolean killed() {
        return kind == Kind.KILLED;
    }

    String detail() {
        return String.valueOf(getMessage());
    }

    /**
     * Whether this is closer to the cause than another failure of the same statement. A killed statement may have been
     * killed because of another failure, and a cancelled one always was. Among equals the first counts.
     */
    boolean tellsMoreThan(Abandoned other) {
        return weight() > other.weight();
    }

    private int weight() {
        String detail = detail();
        if (detail.equals(CANCELLED)) {
            return 0;
        }
        return detail.startsWith(INTERRUPTED) ? 1 : 2;
    }
}

package io.fanfold.reason;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Ends reading, planning or running a statement before the first byte of its answer. The statement is then passed
 * through. It has no stack trace, because refusals are ordinary and frequent.
 */
public class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;

    public RefusedException(Reason reason, String detail) {
        this(new Refusal(reason, detail), null);
    }

    public RefusedException(Refusal refusal) {
        this(refusal, null);
    }

    /** Creates one for which there is a remedy. */
    public RefusedException(Reason reason, String detail, Refusal.Remedy remedy) {
        this(new Refusal(reason, detail, remedy, reason.holdsFor()));
    }

    /** Creates one that holds for other executions than its reason usually does. */
    public RefusedException(Reason reason, String detail, Refusal.HoldsFor holdsFor) {
        this(new Refusal(reason, detail, Refusal.Remedy.NONE, holdsFor));
    }

    /** Creates one that was caused by another failure, such as a server's error. */
    public RefusedException(Reason reason, String detail, @Nullable Throwable cause) {
        this(new Refusal(reason, detail), cause);
    }

    private RefusedException(Refusal refusal, @Nullable Throwable cause) {
        super(refusal.detail(), cause, false, false);
        this.refusal = refusal;
    }

    /**
     * Creates one that names the text at fault and its position.
     *
     * @param position the index of the text's first character; the message counts from 1
     */
    public static RefusedException at(Reason reason, String what, int position) {
        return new RefusedException(reason, what + " at character " + (position + 1));
    }

    /** Throws a refusal if there is one. */
    public static void throwIf(Optional<Refusal> refusal) throws RefusedException {
        if (refusal.isPresent()) {
            throw new RefusedException(refusal.get());
        }
    }

    /** Returns the same refusal that holds for other executions. */
    public RefusedException holdingFor(Refusal.HoldsFor executions) {
        return new RefusedException(
                new Refusal(refusal.reason(), refusal.detail(), refusal.remedy(), executions), getCause());
    }

    public Reason reason() {
        return refusal.reason();
    }

    public String detail() {
        return refusal.detail();
    }

    public Refusal refusal() {
        return refusal;
    }
}

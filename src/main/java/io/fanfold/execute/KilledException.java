package io.fanfold.execute;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;

/** A KILL QUERY meant for the client's statement ended a preflight query. The client is told that its statement ended. */
final class KilledException extends RefusedException {
    private static final long serialVersionUID = 1L;

    KilledException(String detail) {
        super(Reason.INTERNAL, detail);
    }
}

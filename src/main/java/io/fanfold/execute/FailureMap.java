package io.fanfold.execute;

import io.fanfold.client.NoRoomException;
import io.fanfold.client.ServerException;
import io.fanfold.execute.ClientConnection.ClientGoneException;
import io.fanfold.execute.QueryExecution.Cancel;
import io.fanfold.operator.BudgetExceededException;
import io.fanfold.operator.MergeException;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a statement whose fan-out fails: which refusal a failure is, which of several failures is the cause,
 * and what the client gets. All steps use it. Stateless.
 */
final class FailureMap {
    /** ER_UNKNOWN_ERROR. */
    private static final int UNKNOWN_ERROR = 1105;

    private FailureMap() {}

    /** What the client of a failed fan-out gets. */
    sealed interface StatementEnd {
        /** The server's answer to the original statement: nothing was sent before. */
        record PassedThrough(Reason reason, String detail) implements StatementEnd {}

        /** An error, because somebody or a time limit ended the statement, or because the proxy stops. */
        record Cancelled(String why, Interruption error) implements StatementEnd {}

        /** An error after the first rows of the answer. */
        record BrokenOff(Reason reason, String detail, Interruption error) implements StatementEnd {}

        /** Nothing, because it has left. */
        record ClientLeft(String why) implements StatementEnd {}
    }

    /**
     * Returns the refusal for a failure of a worker or of a merge.
     *
     * @param failure one of the exceptions of clients and operators
     */
    static RefusedException of(Exception failure) {
        if (failure instanceof RefusedException refused) {
            return refused;
        }
        if (failure instanceof ServerException error) {
            return new RefusedException(Reason.WORKER_ERROR, error.errno() + ": " + error.getMessage(), error);
        }
        if (failure instanceof NoRoomException || failure instanceof BudgetExceededException) {
            return new RefusedException(Reason.MEMORY, String.valueOf(failure.getMessage()));
        }
        if (failure instanceof MergeException merge) {
            boolean many = merge.kind() == MergeException.MergeFailure.TOO_MANY_ROWS;
            return new RefusedException(
                    many ? Reason.FINAL_QUERY_FAILED : Reason.VALUE, merge.kind() + ": " + merge.getMessage());
        }
        return new RefusedException(
                failure instanceof IOException ? Reason.WORKER_ERROR : Reason.INTERNAL, failure.toString());
    }

    /** Another part of the same statement failed or was cancelled. */
    static RefusedException cancelled() {
        return new RefusedException(Reason.INTERNAL, "cancelled", new CancellationException());
    }

    /**
     * Selects the cause of two failures of one statement. A statement that was killed may have been killed because of
     * another failure, and a cancelled one always was. Of equals, the first counts.
     *
     * @param known the failure found so far, null if none
     */
    static RefusedException cause(@Nullable RefusedException known, RefusedException other) {
        return known == null || weight(other) > weight(known) ? other : known;
    }

    private static int weight(RefusedException failure) {
        if (failure.getCause() instanceof CancellationException) {
            return 0;
        }
        return failure.getCause() instanceof ServerException error && Interruption.isKill(error.errno()) ? 1 : 2;
    }

    /** Returns why a failure cancels the whole statement; null if it does not. */
    static @Nullable Cancel cancels(RefusedException failure) {
        if (Interruption.late(failure.getCause())) {
            return Cancel.LATE;
        }
        return failure instanceof KilledException ? Cancel.KILLED : null;
    }

    /**
     * What the client gets if the answer has not begun.
     *
     * @param cancelled why the statement was cancelled; null if it was not
     */
    static StatementEnd beforeAnswer(RefusedException failure, @Nullable Cancel cancelled, ServerFlavor flavor) {
        // whether the end of the client's connection has already cancelled the statement depends on timing
        return cancelled == null || cancelled.passesThrough() || failure.reason() == Reason.CLIENT_LOST
                ? new StatementEnd.PassedThrough(failure.reason(), failure.detail())
                : cancelled(cancelled, flavor);
    }

    /**
     * What the client gets if the answer has begun.
     *
     * @param failure a {@link RefusedException} is the cause that workers report
     * @param cancelled why the statement was cancelled; null if it was not
     */
    static StatementEnd duringAnswer(Throwable failure, @Nullable Cancel cancelled, ServerFlavor flavor) {
        if (failure instanceof ClientGoneException) {
            return new StatementEnd.ClientLeft(String.valueOf(failure.getMessage()));
        }
        if (failure instanceof InterruptedException) {
            return cancelled(cancelled == null ? Cancel.STOPPING : cancelled, flavor);
        }
        if (!(failure instanceof RefusedException refused)) {
            return brokenOff(Reason.INTERNAL, failure.toString(), failure.toString());
        }
        if (cancelled != null && !cancelled.passesThrough()) {
            return cancelled(cancelled, flavor);
        }
        if (refused.getCause() instanceof ServerException error) {
            Interruption same = new Interruption(error.errno(), error.sqlState(), String.valueOf(error.getMessage()));
            return new StatementEnd.BrokenOff(refused.reason(), refused.detail(), same);
        }
        String why = refused.reason().sentence() + " (" + refused.detail() + ")";
        return brokenOff(refused.reason(), refused.detail(), why);
    }

    private static StatementEnd cancelled(Cancel cancelled, ServerFlavor flavor) {
        return new StatementEnd.Cancelled(String.valueOf(cancelled), Interruption.of(cancelled, flavor));
    }

    private static StatementEnd brokenOff(Reason reason, String detail, String why) {
        return new StatementEnd.BrokenOff(
                reason, detail, new Interruption(UNKNOWN_ERROR, "HY000", "the answer broke off: " + why));
    }
}

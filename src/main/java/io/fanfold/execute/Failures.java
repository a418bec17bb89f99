package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.operator.MergeException;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** The failures of a running fan-out as refusals, and which of several is the cause. */
final class Failures {
    private Failures() {}

    /** The server refused or interrupted a worker's statement. */
    static RefusedException of(ServerException error) {
        return new RefusedException(Reason.WORKER_ERROR, error.errno() + ": " + error.getMessage(), error);
    }

    /** The partial rows could not be merged. */
    static RefusedException of(MergeException failure) {
        boolean many = failure.kind() == MergeException.MergeFailure.TOO_MANY_ROWS;
        return new RefusedException(
                many ? Reason.FINAL_QUERY_FAILED : Reason.VALUE, failure.kind() + ": " + failure.getMessage());
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
}

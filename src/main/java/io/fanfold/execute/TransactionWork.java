package io.fanfold.execute;

import java.time.Duration;
import java.util.Optional;

/**
 * The part of a fan-out that concerns the client's transaction.
 *
 * @param place the statement's place in it
 * @param client the client's own connection
 * @param keepsReadView whether the transaction keeps the read view of its first statement
 * @param counts the session's command counts when the statement arrived; empty if the server does not report them
 * @param idle how long the workers' snapshots may stay open for the next statement; 0 closes them at once
 */
record TransactionWork(
        TransactionPlace place,
        ClientTransaction client,
        boolean keepsReadView,
        Optional<CommandCounts> counts,
        Duration idle) {
    /** Whether the workers have to read the snapshots of the transaction's first statement. */
    boolean needsSnapshots() {
        return keepsReadView && !place.first();
    }

    /** Whether the workers' snapshots stay open after the statement has been answered. */
    boolean retains() {
        return keepsReadView && counts.isPresent() && !idle.isZero();
    }

    /**
     * Records that the client's connection holds the locks that the statement takes. From now on later statements may
     * be split.
     */
    void begun() {
        if (place.first()) {
            counts.ifPresent(known -> begun(known));
        }
    }

    /** Records that the server runs the statement itself, after one more command on the client's connection. */
    void begunBy(String command) {
        counts.ifPresent(known -> begun(known.plus(command, 1)));
    }

    private void begun(CommandCounts known) {
        place.transaction().begun(known.plus("begin", client.begins()), keepsReadView);
    }
}

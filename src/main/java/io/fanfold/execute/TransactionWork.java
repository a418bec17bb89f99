package io.fanfold.execute;

import java.time.Duration;
import java.util.Optional;

/**
 * What a fan-out has to do with the client's transaction.
 *
 * @param place where the statement stands in it
 * @param client the client's own connection
 * @param keepsReadView whether the transaction keeps the read view of its first statement
 * @param counts what the session had run when the statement came; empty where the server does not tell
 * @param idle how long the workers' snapshots may stay open for the next statement; 0: they may not
 */
record TransactionWork(
        TransactionPlace place,
        ClientTransaction client,
        boolean keepsReadView,
        Optional<CommandCounts> counts,
        Duration idle) {
    /** Whether the workers have to read the snapshots that the transaction's first statement has read. */
    boolean needsSnapshots() {
        return keepsReadView && !place.first();
    }

    /** Whether the workers' snapshots stay open when the statement has been answered. */
    boolean retains() {
        return keepsReadView && counts.isPresent() && !idle.isZero();
    }

    /** The client's connection has what the statement takes: from now on later statements may be split. */
    void begun() {
        if (place.first()) {
            counts.ifPresent(known -> begun(known));
        }
    }

    /** The same, where the server runs the statement after all, once the client's connection has run another command. */
    void begunBy(String command) {
        counts.ifPresent(known -> begun(known.plus(command, 1)));
    }

    private void begun(CommandCounts known) {
        place.transaction().begun(known.plus("begin", client.begins()), keepsReadView);
    }
}

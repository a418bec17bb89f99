package io.fanfold.execute;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.nio.charset.Charset;
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
    /**
     * Joins the client's transaction after the preflight. Refuses a statement whose transaction may have changed rows:
     * the workers would not see the changes.
     *
     * @param charset the session's character set
     */
    static TransactionWork join(
            QueryExecution query,
            TransactionPlace place,
            Preflight.Answers preflight,
            ClientConnection client,
            Charset charset,
            Duration idle)
            throws RefusedException {
        boolean keepsReadView = place.first()
                ? preflight.settings().repeatableRead()
                : place.transaction().repeatableRead();
        if (!place.first()) {
            Optional<String> changed =
                    preflight.commands().map(place.transaction()::changed).orElse(Optional.of("unknown"));
            if (changed.isPresent()) {
                throw new RefusedException(Reason.IN_TRANSACTION, "it may have changed rows: " + changed.get());
            }
        }
        return new TransactionWork(
                place,
                new ClientTransaction(query, client, charset, place.beginning().filter(any -> keepsReadView)),
                keepsReadView,
                preflight.commands(),
                idle);
    }

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

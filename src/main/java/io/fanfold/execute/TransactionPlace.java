package io.fanfold.execute;

import io.fanfold.wire.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A statement's place in a transaction.
 *
 * @param transaction the transaction
 * @param beginning the state of the transaction if the statement is its first; empty for later ones
 * @param uncertain whether the server must be asked if the transaction is open. The previous statement failed and may have
 *     begun or ended it, and an error packet has no status flags
 */
public record TransactionPlace(OpenTransaction transaction, Optional<FreshTransaction> beginning, boolean uncertain) {
    /** Whether the statement is the first of the transaction. */
    public boolean first() {
        return beginning.isPresent();
    }

    /**
     * Restores the session to its state before its first statement, so that this one runs in a fresh transaction on the
     * server.
     *
     * @param work the fan-out's part in the transaction; null if it had none yet
     * @return completes when the session is restored; exceptionally if its connection is lost
     */
    CompletableFuture<List<Reply>> restore(
            ClientConnection client, FreshTransaction fresh, @Nullable TransactionWork work) {
        transaction.release();
        byte[] restart = fresh.restart().getBytes(StandardCharsets.US_ASCII);
        CompletableFuture<List<Reply>> restored =
                client.ask(List.of(new ClientConnection.Command.Transaction(restart)));
        if (work != null && !work.keepsReadView()) {
            work.begunBy(fresh.counted());
        }
        return restored;
    }
}

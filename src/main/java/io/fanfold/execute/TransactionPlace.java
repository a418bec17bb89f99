package io.fanfold.execute;

import java.util.Optional;

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
}

package io.fanfold.execute;

import java.util.Optional;

/**
 * Where a statement stands in a transaction.
 *
 * @param transaction the transaction
 * @param beginning how the statement finds it, where it is the first one; empty for later ones
 * @param untold whether the server has to be asked if the transaction is open: the statement before has failed, which may have begun or
 *     ended it, and an error has no status flags
 */
public record TransactionPlace(OpenTransaction transaction, Optional<FreshTransaction> beginning, boolean untold) {
    /** Whether the statement is the first of the transaction. */
    public boolean first() {
        return beginning.isPresent();
    }
}

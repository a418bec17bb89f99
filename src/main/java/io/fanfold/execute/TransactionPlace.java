package io.fanfold.execute;

import java.util.Optional;

/**
 * Where a statement stands in a transaction.
 *
 * @param transaction the transaction
 * @param beginning how the statement finds it, where it is the first one; empty for later ones
 */
public record TransactionPlace(OpenTransaction transaction, Optional<FreshTransaction> beginning) {
    /** Whether the statement is the first of the transaction. */
    public boolean first() {
        return beginning.isPresent();
    }
}

package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * Settings of statements inside transactions.
 *
 * @param splits whether they are split
 * @param idle how long the workers' snapshots stay open for the next statement of a REPEATABLE READ transaction; 0 ends
 *     them with the statement
 */
@RecordBuilder
public record TransactionConfig(Splits splits, Duration idle) implements TransactionConfigBuilder.With {
    /** Whether statements inside transactions are split. */
    public enum Splits {
        ON,
        OFF
    }

    public static TransactionConfig defaults() {
        return new TransactionConfig(Splits.ON, Duration.ofSeconds(5));
    }
}

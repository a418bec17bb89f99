package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * Settings of reuse: the rows of a partition query are used again while the server's binary log shows no change of the
 * tables that they come from.
 *
 * @param mode whether rows are used again
 * @param patience how long a statement waits until the binary log has been read up to its snapshots, from 0
 */
@RecordBuilder
public record ReuseConfig(Reuse mode, Duration patience) implements ReuseConfigBuilder.With {
    /** Whether rows of partition queries are used again. */
    public enum Reuse {
        OFF,
        ON
    }

    public static ReuseConfig defaults() {
        return new ReuseConfig(Reuse.OFF, Duration.ofMillis(20));
    }
}

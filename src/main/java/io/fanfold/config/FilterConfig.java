package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * Settings of dynamic filters: partition queries of joins are filtered by the remaining keys of the joined tables.
 *
 * @param dynamic whether they are used
 * @param keys the most keys of one filter, 1..1000000
 */
@RecordBuilder
public record FilterConfig(Dynamic dynamic, int keys) implements FilterConfigBuilder.With {
    /** The largest valid number of keys. */
    static final int MOST_KEYS = 1_000_000;

    /** Whether dynamic filters are used. */
    public enum Dynamic {
        ON,
        OFF
    }

    public static FilterConfig defaults() {
        return new FilterConfig(Dynamic.ON, 20_000);
    }
}

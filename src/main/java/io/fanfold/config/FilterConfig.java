package io.fanfold.config;

/**
 * Settings of dynamic filters: partition queries of joins are filtered by the remaining keys of the joined tables.
 *
 * @param dynamic whether they are used
 * @param keys the most keys of one filter, 1..1000000
 */
public record FilterConfig(Dynamic dynamic, int keys) {
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

    public FilterConfig with(Dynamic other) {
        return new FilterConfig(other, keys);
    }
}

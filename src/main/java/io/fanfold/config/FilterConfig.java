package io.fanfold.config;

/**
 * How partition queries of joins are filtered by the keys that are left of the joined tables.
 *
 * @param dynamic whether they are
 * @param keys the most keys of one filter, 1..1000000
 */
public record FilterConfig(Dynamic dynamic, int keys) {
    /** The most that may be set. */
    static final int MOST_KEYS = 1_000_000;

    /** Whether there are dynamic filters. */
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

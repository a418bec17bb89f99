package io.fanfold.plan;

import java.util.List;

/**
 * The dynamic filters that a block's joins imply. Immutable.
 *
 * @param found each may be added or left out; of several with the same column an earlier one leaves fewer keys
 * @param refused why other joins imply none, for logs and tests
 */
public record KeyFilters(List<KeyFilter> found, List<String> refused) {
    /** No filters. */
    public static final KeyFilters NONE = new KeyFilters(List.of(), List.of());

    public KeyFilters {
        found = List.copyOf(found);
        refused = List.copyOf(refused);
    }
}
